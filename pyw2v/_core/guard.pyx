"""`Guard`: writers of an object wait for each other; readers, as a rule, for nobody."""

import threading


cdef class Guard:
    """Lets readers of an object know whether it was written meanwhile.

    A writer's changes are in a `with` statement. A reader takes the number first, and compares it
    last; if that was odd, for somebody was writing, or is another now, what the reader made of the
    object is void, and it reads again with `lock`, which keeps writers out.

    The lock lets its owner in again: writers call each other, and readers. `derived` is for what
    follows from the object and is set, with the lock, when somebody first needs it.
    """

    def __cinit__(self):
        self.lock = threading.RLock()

    @property
    def number(self):
        """Another one after each write, and odd during one. (A method would take longer.)"""
        return self._number.number()

    @property
    def moving(self):
        """Whether threads are training the rows now: what is found out of them holds no longer."""
        return self._n_moving > 0

    def __enter__(self):
        self.lock.acquire()
        if self._depth == 0:
            self._number.begin_write()
        self._depth += 1

    def __exit__(self, *exception):
        self.leave()

    cdef leave(self):
        self._depth -= 1
        if self._depth == 0:
            self._number.end_write()
        self.lock.release()

    cdef enter_surely(self):
        """As __enter__; a KeyboardInterrupt while it waits is returned, for the caller to raise."""
        interrupt = None
        while True:
            try:
                self.__enter__()
                return interrupt
            except KeyboardInterrupt as error:
                interrupt = error

    cdef move(self, int step):
        self._n_moving += step

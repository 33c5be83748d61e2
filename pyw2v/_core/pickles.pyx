# distutils: language = c++
"""The interpreter of pickle streams: see pyw2v.io.pickle_stream, which owns the markers.

It makes numbers, text, bytes, lists, tuples and markers, and calls nothing but the markers' own
classes. Every position and every length is checked before it is used.
"""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from cpython.list cimport PyList_GetItem, PyList_SetItem, PyList_Size
from cpython.ref cimport Py_INCREF


cdef extern from "Python.h":
    object PyUnicode_DecodeUTF8(const char*, Py_ssize_t, const char*)
    object PyUnicode_DecodeLatin1(const char*, Py_ssize_t, const char*)


cdef extern from *:
    """
    #include <cstring>
    static inline double pyw2v_double(unsigned long long bits) {
        double value;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
    """
    double pyw2v_double(unsigned long long) noexcept nogil


cdef enum:
    # Fewer than any file of gensim's has: the two arrays of a word's Huffman path, which are ten
    # objects, take 62 bytes and five for every node.
    kBytesAnObject = 6
    kSpareObjects = 1000
    kObjectsASet = 4  # an empty one takes as much memory; a file has few of them
    kMaxMarks = 1000  # containers in each other; pickle itself recurses, and never gets there
    kMaxLine = 1000  # characters of a name or of a number in digits
    kMaxIntBytes = 1000  # random states have 16
    kViewedBytes = 1 << 14  # longer ones are not copied


cdef class Interpreter:
    """One stream, what of it is on the stack, and where."""

    cdef bytes _stream
    cdef object _view, _markers, _call, _dict
    cdef const unsigned char* _data
    cdef Py_ssize_t _size, _pos, _objects_left
    cdef list _memo, _stack, _below
    cdef readonly Py_ssize_t at  # the opcode that is being done

    def __init__(self, bytes stream not None, markers):
        self._stream = stream
        self._view = memoryview(stream)
        self._data = <const unsigned char*>PyBytes_AsString(stream)
        self._size = len(stream)
        self._objects_left = kSpareObjects + self._size // kBytesAnObject
        self._markers = markers
        self._call = markers.Call
        self._dict = markers.Dict
        self._memo = []
        self._stack = []  # since the last mark
        self._below = []  # the stacks below each mark

    def run(self):
        """Return the one value that the stream leaves on the stack."""
        while self._step():
            pass
        if self._below or PyList_Size(self._stack) != 1:
            raise ValueError("the stream must end with one value")
        return self._stack[0]

    # -- reading -----------------------------------------------------------------------------

    cdef int _need(self, Py_ssize_t n_bytes) except -1:
        if n_bytes < 0 or n_bytes > self._size - self._pos:
            raise IndexError
        return 0

    cdef unsigned long long _unsigned(self, int n_bytes) except? 987654321:
        cdef unsigned long long value = 0
        cdef int i
        self._need(n_bytes)
        for i in range(n_bytes):
            value |= (<unsigned long long>self._data[self._pos + i]) << (8 * i)
        self._pos += n_bytes
        return value

    cdef Py_ssize_t _length(self, int n_bytes) except -1:
        """Read a length, and check that as much is left."""
        cdef unsigned long long value = self._unsigned(n_bytes)
        if value > <unsigned long long>(self._size - self._pos):
            raise IndexError
        return <Py_ssize_t>value

    cdef object _bytes(self, Py_ssize_t n_bytes):
        """Return bytes, or a view of many."""
        cdef Py_ssize_t begin = self._pos
        self._need(n_bytes)
        self._pos += n_bytes
        if n_bytes >= kViewedBytes:
            return self._view[begin : self._pos]
        return PyBytes_FromStringAndSize(<const char*>self._data + begin, n_bytes)

    cdef object _text(self, Py_ssize_t n_bytes):
        cdef Py_ssize_t begin = self._pos
        self._need(n_bytes)
        self._pos += n_bytes
        return PyUnicode_DecodeUTF8(<const char*>self._data + begin, n_bytes, "surrogatepass")

    cdef object _latin(self, Py_ssize_t n_bytes):
        cdef Py_ssize_t begin = self._pos
        self._need(n_bytes)
        self._pos += n_bytes
        return PyUnicode_DecodeLatin1(<const char*>self._data + begin, n_bytes, NULL)

    cdef object _line(self):
        cdef Py_ssize_t begin = self._pos
        cdef Py_ssize_t end = self._stream.find(b"\n", begin, begin + kMaxLine)
        if end < 0:
            raise ValueError(f"a line must end within {kMaxLine} bytes")
        self._pos = end + 1
        return PyUnicode_DecodeUTF8(<const char*>self._data + begin, end - begin, NULL)

    cdef object _integer(self, Py_ssize_t n_bytes):
        if n_bytes > kMaxIntBytes:
            raise ValueError(f"an integer must have at most {kMaxIntBytes} bytes, got {n_bytes}")
        return int.from_bytes(self._bytes(n_bytes), "little", signed=True)

    # -- the stack ---------------------------------------------------------------------------

    cdef object _top(self):
        cdef Py_ssize_t n = PyList_Size(self._stack)
        if n == 0:
            raise IndexError
        return <object>PyList_GetItem(self._stack, n - 1)

    cdef object _pop(self):
        if PyList_Size(self._stack) == 0:
            raise IndexError
        return self._stack.pop()

    cdef int _replace_top(self, value) except -1:
        cdef Py_ssize_t n = PyList_Size(self._stack)
        if n == 0:
            raise IndexError
        Py_INCREF(value)  # which PyList_SetItem takes
        PyList_SetItem(self._stack, n - 1, value)
        return 0

    cdef list _pop_mark(self):
        cdef list items = self._stack
        if not self._below:
            raise IndexError
        self._stack = self._below.pop()
        return items

    cdef int _count(self, Py_ssize_t n=1) except -1:
        """Count an object, of which a stream may make so many; a large one as several."""
        self._objects_left -= n
        if self._objects_left < 0:
            raise ValueError(f"more than an object for every {kBytesAnObject} bytes of the file")
        return 0

    cdef int _put(self, Py_ssize_t place) except -1:
        cdef list memo = self._memo
        cdef Py_ssize_t n = PyList_Size(memo)
        if place == 1 and n == 0:
            memo.append(None)  # Python 2 counts from 1
            n = 1
        if place > n:
            raise ValueError(f"memo {place} comes after memo {n - 1}")
        value = self._top()
        if place == n:
            memo.append(value)
        else:
            Py_INCREF(value)
            PyList_SetItem(memo, place, value)
        return 0

    cdef int _get(self, Py_ssize_t place) except -1:
        if place >= PyList_Size(self._memo):
            raise IndexError
        self._stack.append(<object>PyList_GetItem(self._memo, place))
        return 0

    # -- one opcode --------------------------------------------------------------------------

    cdef bint _step(self) except -1:
        """Do one opcode, the most frequent first; return whether others follow."""
        cdef int opcode
        self.at = self._pos
        self._need(1)
        opcode = self._data[self._pos]
        self._pos += 1
        if opcode == 0x94:  # MEMOIZE
            self._memo.append(self._top())
        elif opcode == c"h":  # BINGET
            self._get(self._unsigned(1))
        elif opcode == c"j":  # LONG_BINGET
            self._get(self._unsigned(4))
        elif opcode == c"q":  # BINPUT
            self._put(self._unsigned(1))
        elif opcode == c"r":  # LONG_BINPUT
            self._put(self._unsigned(4))
        elif opcode == c"K":  # BININT1
            self._stack.append(self._unsigned(1))
        elif opcode == c"M":  # BININT2
            self._stack.append(self._unsigned(2))
        elif opcode == c"J":  # BININT
            self._stack.append(<int><unsigned int>self._unsigned(4))
        elif opcode == 0x8C:  # SHORT_BINUNICODE
            self._stack.append(self._text(self._length(1)))
        elif opcode == c"X":  # BINUNICODE
            self._stack.append(self._text(self._length(4)))
        elif opcode == c"C":  # SHORT_BINBYTES
            self._stack.append(self._bytes(self._length(1)))
        elif opcode == 0x85:  # TUPLE1
            self._count()
            self._replace_top((self._top(),))
        elif opcode == 0x86:  # TUPLE2
            self._count()
            second = self._pop()
            self._replace_top((self._top(), second))
        elif opcode == 0x87:  # TUPLE3
            self._count()
            third = self._pop()
            second = self._pop()
            self._replace_top((self._top(), second, third))
        elif opcode == c"(":  # MARK
            if PyList_Size(self._below) >= kMaxMarks:
                raise ValueError(f"more than {kMaxMarks} containers within each other")
            self._below.append(self._stack)
            self._stack = []
        elif opcode == c"t":  # TUPLE
            self._count()
            items = tuple(self._pop_mark())
            self._stack.append(items)
        elif opcode == c"b":  # BUILD
            state = self._pop()
            self._build(self._top(), state)
        elif opcode == c"R" or opcode == 0x81:  # REDUCE, NEWOBJ
            args = self._pop()
            self._replace_top(self._new_call(self._top(), args, opcode == 0x81))
        elif opcode == c"}":  # EMPTY_DICT
            self._count()
            self._stack.append(self._dict())
        elif opcode == c"u":  # SETITEMS
            self._add_to_dict(self._pop_mark())
        elif opcode == c"N":
            self._stack.append(None)
        elif opcode == 0x88:  # NEWTRUE
            self._stack.append(True)
        elif opcode == 0x89:  # NEWFALSE
            self._stack.append(False)
        elif opcode == c")":  # EMPTY_TUPLE
            self._stack.append(())
        elif opcode == 0x8A:  # LONG1
            self._stack.append(self._integer(self._length(1)))
        elif opcode == c".":  # STOP
            return False
        else:
            self._rare_step(opcode)
        return True

    cdef int _rare_step(self, int opcode) except -1:
        if opcode == 0x80:  # PROTO
            version = self._unsigned(1)
            if not 2 <= version <= 5:
                raise ValueError(f"the protocol must be 2 to 5, got {version}")
        elif opcode == 0x95:  # FRAME
            self._length(8)
        elif opcode == c"G":  # BINFLOAT
            self._stack.append(self._double())
        elif opcode == c"I" or opcode == c"L":
            # INT and LONG: Python 2's form of what does not fit into four bytes.
            text = self._line()
            number = text == "01" if text in ("00", "01") else int(text.removesuffix("L"))
            self._stack.append(number)
        elif opcode == 0x8B:  # LONG4
            self._stack.append(self._integer(self._length(4)))
        elif opcode == 0x8D:  # BINUNICODE8
            self._stack.append(self._text(self._length(8)))
        elif opcode == c"U":  # SHORT_BINSTRING, Python 2's str
            self._stack.append(self._latin(self._length(1)))
        elif opcode == c"T":  # BINSTRING
            self._stack.append(self._latin(self._length(4)))
        elif opcode == c"B":  # BINBYTES
            self._stack.append(self._bytes(self._length(4)))
        elif opcode == 0x8E or opcode == 0x96:  # BINBYTES8, BYTEARRAY8
            self._stack.append(self._bytes(self._length(8)))
        elif opcode == c"0":  # POP
            if self._stack:
                self._pop()
            else:
                self._pop_mark()
        elif opcode == c"1":  # POP_MARK
            self._pop_mark()
        elif opcode == c"]":  # EMPTY_LIST
            self._count()
            self._stack.append([])
        elif opcode == 0x8F:  # EMPTY_SET
            self._count(kObjectsASet)
            self._stack.append(self._markers.Set([], False))
        elif opcode == 0x91:  # FROZENSET
            self._count(kObjectsASet)
            members = self._pop_mark()
            self._stack.append(self._markers.Set(members, True))
        elif opcode == c"a":  # APPEND
            item = self._pop()
            self._add_to_list([item])
        elif opcode == c"e":  # APPENDS
            self._add_to_list(self._pop_mark())
        elif opcode == 0x90:  # ADDITEMS
            members = self._pop_mark()
            target = self._top()
            if type(target) is not self._markers.Set or target.is_frozen:
                raise ValueError(f"items of a set are added to {self._markers.kind(target)}")
            target.items.extend(members)
        elif opcode == c"s":  # SETITEM
            value = self._pop()
            key = self._pop()
            self._add_to_dict([key, value])
        elif opcode == c"c":  # GLOBAL
            module = self._line()
            name = self._line()
            self._add_name(module, name)
        elif opcode == 0x93:  # STACK_GLOBAL
            name = self._pop()
            module = self._pop()
            if type(name) is not str or type(module) is not str:
                raise ValueError("a name must be text")
            self._add_name(module, name)
        else:
            raise ValueError(f"opcode {bytes([opcode])!r} is in no file of a model")
        return 0

    cdef object _double(self):
        cdef unsigned long long bits = 0
        cdef int i
        self._need(8)
        for i in range(8):  # the first byte is the highest
            bits = bits << 8 | self._data[self._pos + i]
        self._pos += 8
        return pyw2v_double(bits)

    cdef int _add_to_list(self, list items) except -1:
        target = self._top()
        if type(target) is not list:
            raise ValueError(f"items of a list are added to {self._markers.kind(target)}")
        target.extend(items)
        return 0

    cdef int _add_to_dict(self, list items) except -1:
        target = self._top()
        if PyList_Size(items) % 2:
            raise ValueError("a key of a dict has no value")
        if type(target) is self._dict:
            if target.items:
                target.items.extend(items)
            else:
                target.items = items
        elif type(target) is self._call:
            if target.items is None:
                target.items = items
            else:
                target.items.extend(items)
        else:
            raise ValueError(f"keys and values are added to {self._markers.kind(target)}")
        return 0

    cdef int _add_name(self, module, name) except -1:
        self._count()
        self._stack.append(self._markers.name(module, name, self.at))
        return 0

    cdef object _new_call(self, function, args, bint is_new):
        if type(function) is not self._markers.Name:
            kind = self._markers.kind(function)
            raise ValueError(f"calls {kind}, where a name must be")
        if type(args) is not tuple:
            kind = self._markers.kind(args)
            raise ValueError(f"the arguments of {function} must be a tuple, got {kind}")
        self._count()
        return self._call(function, args, is_new, self.at)

    cdef int _build(self, target, state) except -1:
        if type(target) is not self._call:
            raise ValueError(f"a state is set on {self._markers.kind(target)}")
        if target.state is not None:
            raise ValueError(f"a second state is set on what {target.function} makes")
        target.state = state
        return 0

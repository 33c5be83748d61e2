"""From the markers of a pickle stream to what a model needs: data, arrays, and `Saved` objects.

Comes after `pickle_stream` has read the whole stream. Names are looked up in the tables below and
nowhere else, but for the classes of one package that the caller trusts. Values are made in a loop,
not by recursion, from the inside out and each once, however often it is referred to; what contains
itself is refused, and so is what would be larger than the file if it were written out, since
whoever prints, compares or saves it later does that.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from pyw2v.io import pickle_arrays
from pyw2v.io import pickle_calls as calls
from pyw2v.io import pickle_names as names
from pyw2v.io.pickle_calls import SCALARS, TEXT, Start, raw_of
from pyw2v.io.pickle_stream import Call, Dict, ForbiddenNameError, Name, Set, shown

_SPARE_VALUES = 1000

# How a call's value is made, and what it may be given after the call.
_Entry: TypeAlias = tuple["Callable[[Converter, Call], Start] | None", str]


class Saved:
    """An object of one of gensim's classes, as data: its class's `name`, attributes in `vars`."""

    __slots__ = ("__dict__", "name")  # `name` is out of the reach of attributes

    def __init__(self, name: str, attributes: dict[str, Any]) -> None:
        self.name = name
        self.__dict__ = attributes


class Converter:
    """Makes values of one stream, of `n_bytes`; its names may be those of a trusted `package`."""

    def __init__(self, n_bytes: int, package: str | None) -> None:
        self._package = package
        self._max_size = _SPARE_VALUES + n_bytes
        # What is copied on the way: values into containers, bytes into arrays. In a file that a
        # pickler wrote each of them stands once; calls could share their arguments.
        self._copies_left = 2 * self._max_size
        # By the markers' identities: nothing here hashes them, and all live as long as the root.
        self._done: dict[int, Any] = {}
        self._sizes: dict[int, int] = {}
        # By names' identities, what they stand for.
        self._entries: dict[int, _Entry] = {}
        self._saved_names: dict[int, str] = {}

    def check_name(self, module: str, name: str) -> None:
        """Refuse a name that neither a model of words needs nor the package may have."""
        if (module, name) not in _KNOWN and not self._is_trusted(module):
            raise ForbiddenNameError(
                f"the file names {shown(module, name)}, which no model of words needs: it is not "
                "loaded, since a pickle could run any code by it"
            )

    def value_of(self, root: Any) -> Any:
        """Return what `root` stands for."""
        whole: list[Any] = [root]
        frames = [_Frame(whole, whole, list)]
        while True:
            frame = frames[-1]
            below = self._fill(frame)
            if below is not None:
                frames.append(below)
                continue
            if frame.size > self._max_size:
                raise ValueError("what the file holds is larger than the file, by references")
            made = frame.finish(frame.content)
            frames.pop()
            if not frames:
                return made[0]
            self._done[id(frame.node)] = made
            self._sizes[id(frame.node)] = frame.size

    def _fill(self, frame: _Frame) -> _Frame | None:
        """Put values in place of markers; where one is to be made first, return its frame."""
        content, done = frame.content, self._done
        for i in range(frame.next, len(content)):
            child = content[i]
            kind = type(child)
            if kind in SCALARS:
                continue
            key = id(child)
            if key in done:
                content[i] = done[key]
                if content[i] is _Frame:
                    raise ValueError("a value contains itself")
                frame.size += self._sizes.get(key, 1) - 1
                continue
            name = self._saved_names.get(id(child.function)) if kind is Call else None
            made = None if name is None else self._simple_saved(child, name)
            if made is not None:
                content[i] = done[key] = made
                frame.size += self._sizes[key] - 1
                self._count_copies(self._sizes[key])
                continue
            inner, finish = self._start(child, kind)
            self._count_copies(_n_copied(finish) if inner is None else len(inner))
            if inner is None:
                content[i] = done[key] = finish
            elif SCALARS.issuperset(map(type, inner)):
                content[i] = done[key] = finish(inner)
                if inner:
                    self._sizes[key] = 1 + len(inner)
                    frame.size += len(inner)
            else:
                frame.next = i
                done[key] = _Frame  # until it is finished
                return _Frame(child, inner, finish)
        return None

    def _count_copies(self, n: int) -> None:
        self._copies_left -= n
        if self._copies_left < 0:
            raise ValueError("what the file holds is larger than the file, by shared arguments")

    def _start(self, node: Any, kind: type) -> Start:
        if kind is Call:
            return self._call(node)
        if kind is list:
            return node.copy(), calls.same
        if kind is tuple:
            return list(node), tuple
        if kind is Dict:
            return node.items.copy(), calls.dict_of
        if kind is Set:
            return node.items.copy(), calls.frozenset_of if node.is_frozen else calls.set_of
        if kind is Name:
            return None, self._named(node)
        if kind is memoryview:
            return None, bytes(node)
        raise ValueError(f"a {kind.__name__} is no value of a pickle")

    # -- names -----------------------------------------------------------------------------------

    def _is_trusted(self, module: str) -> bool:
        return self._package is not None and module.partition(".")[0] == self._package

    def _named(self, name: Name) -> Any:
        """Return what a name stands for that is a value: a type of numbers, or None for code."""
        if self._is_trusted(name.module):
            return self._class_of_package(name)
        return names.VALUES.get((name.module, name.name))

    def _class_of_package(self, name: Name) -> type:
        """Return a class that the trusted package itself defines, and has imported."""
        module = sys.modules.get(name.module)
        found = None if module is None else vars(module).get(name.name)
        if not isinstance(found, type) or not self._is_trusted(str(found.__module__)):
            raise ForbiddenNameError(f"the file names {name}, which is no class there")
        return found

    # -- calls -----------------------------------------------------------------------------------

    def _call(self, call: Call) -> Start:
        make, may_have = self._entries.get(id(call.function)) or self._entry(call.function)
        try:
            if make is None or (call.is_new and may_have != "attributes"):
                raise ValueError("it makes nothing that a model of words needs")
            if call.state is not None and may_have not in ("state", "attributes"):
                raise ValueError("it has no state")
            if call.items is not None and may_have != "items":
                raise ValueError("it has no items")
            start: Start = make(self, call)
            return start
        except ForbiddenNameError:
            raise
        except ValueError as error:
            raise ValueError(f"byte {call.at}: {call.function}: {error}") from None

    def _entry(self, name: Name) -> _Entry:
        """Look a name up once; all calls of it share the marker."""
        entry: _Entry = _CALLS.get((name.module, name.name), (None, ""))
        if self._is_trusted(name.module):
            self._class_of_package(name)
            entry = (Converter._saved, "attributes")
        self._entries[id(name)] = entry
        return entry

    def _simple_saved(self, call: Call, name: str) -> Saved | None:
        """What most objects of a file are: numbers and text, one object for every word."""
        state = call.state
        if type(state) is not Dict or call.args or call.items is not None or not call.is_new:
            return None
        items = state.items
        if not SCALARS.issuperset(map(type, items)):
            return None
        self._sizes[id(call)] = 1 + len(items)
        return Saved(name, _attributes(items))

    def _reconstructor(self, call: Call) -> Start:
        """Protocol 2's form of a new object of a class without a `__new__` of its own."""
        args = call.args
        is_plain = len(args) == 3 and type(args[0]) is Name and type(args[1]) is Name
        if not is_plain or args[1].name != "object" or args[2] is not None:
            raise ValueError("its arguments must be a class, object and None")
        return self._new_object(call, args[0])

    def _saved(self, call: Call) -> Start:
        if not call.is_new:
            raise ValueError("its objects are not made by a call")
        return self._new_object(call, call.function)

    def _new_object(self, call: Call, name: Name) -> Start:
        if self._is_trusted(name.module):
            cls = self._class_of_package(name)
            if not hasattr(cls, "get_vector"):
                return self._object_of_package(call, cls)
        elif _CALLS.get((name.module, name.name), (None, ""))[1] != "attributes":
            raise ValueError(f"no object of {name} is needed")
        state = call.state
        if call.items is not None or (call.is_new and call.args):
            raise ValueError("its objects have nothing but attributes")
        if state is not None and type(state) is not Dict:
            raise ValueError("an object must have attributes by name")
        saved = self._saved_names[id(name)] = f"{name.module}.{name.name}"
        return [] if state is None else state.items.copy(), partial(_saved_object, saved)

    def _object_of_package(self, call: Call, cls: type) -> Start:
        if call.items is not None or not (call.is_new or call.function.name == "_reconstructor"):
            raise ValueError("its objects have nothing but a state")
        args = call.args if call.is_new else ()

        def finish(content: list[Any]) -> Any:
            *given, state = content
            made = cls.__new__(cls, *given)
            _set_state(made, state)
            return made

        return [*args, call.state], finish

    def _dtype(self, call: Call) -> Start:
        args, state = call.args, call.state
        if not 1 <= len(args) <= 3:
            raise ValueError("a type has a code")
        order = None
        if state is not None:
            # version, byte order, then what only types with fields have.
            if type(state) is not tuple or len(state) < 5 or state[2:5] != (None, None, None):
                raise ValueError("the type must be of one number or text")
            order = state[1]
        return None, pickle_arrays.dtype_of(args[0], order)

    def _dtype_in(self, node: Any) -> Any:
        key = id(node)
        dtype = self._done.get(key)
        if isinstance(dtype, np.dtype):
            return dtype
        if type(node) is not Call or (node.function.module, node.function.name) != names.DTYPE_NAME:
            raise ValueError("an array must have a type")
        dtype = self._done[key] = self._call(node)[1]
        return dtype

    def _array(self, call: Call) -> Start:
        args, state = call.args, call.state
        if len(args) != 3 or type(args[0]) is not Name or args[0].name != "ndarray":
            raise ValueError("an array must be an ndarray")
        if type(state) is not tuple or len(state) != 5:
            raise ValueError("an array must have a shape, a type and data")
        _, shape, node, order, data = state
        dtype = self._dtype_in(node)
        if not dtype.hasobject:
            return None, pickle_arrays.array_of(raw_of(data), dtype, shape, order)
        if type(data) is not list:
            raise ValueError("an array of objects must have a list of them")
        return data.copy(), lambda content: pickle_arrays.objects_of(content, shape, order)

    def _array_of_buffer(self, call: Call) -> Start:
        """Protocol 5's form of an array."""
        if not 4 <= len(call.args) <= 5 or call.args[4:] not in ((), (None,)):
            raise ValueError("an array must have data, a type, a shape and an order")
        data, node, shape, order = call.args[:4]
        dtype = self._dtype_in(node)
        if dtype.hasobject:
            raise ValueError("a buffer has no objects")
        return None, pickle_arrays.array_of(raw_of(data), dtype, shape, order)

    def _number(self, call: Call) -> Start:
        if len(call.args) != 2:
            raise ValueError("a number must have a type and data")
        dtype = self._dtype_in(call.args[0])
        if dtype.hasobject:
            raise ValueError("a number is no object")
        return None, pickle_arrays.array_of(raw_of(call.args[1]), dtype, (1,))[0]


def _n_copied(made: Any) -> int:
    if isinstance(made, np.ndarray):
        return made.nbytes
    return len(made) if type(made) in (bytes, bytearray, str) else 1


class _Frame:
    """A value that is being made, and what of."""

    __slots__ = ("content", "finish", "next", "node", "size")

    def __init__(self, node: Any, content: list[Any], finish: Callable[[list[Any]], Any]) -> None:
        self.node = node
        self.content = content
        self.finish = finish
        self.next = 0
        self.size = 1 + len(content)


def _saved_object(name: str, content: list[Any]) -> Saved:
    return Saved(name, _attributes(content))


def _attributes(content: list[Any]) -> dict[str, Any]:
    given = content[::2]
    if not TEXT.issuperset(map(type, given)):
        raise ValueError("the names of attributes must be text")
    return dict(zip(given, content[1::2], strict=True))


def _set_state(made: Any, state: Any) -> None:
    """Give an object of a trusted package its state, as pickle would."""
    if state is None:
        return
    set_state = getattr(made, "__setstate__", None)
    if set_state is not None:
        set_state(state)
        return
    of_slots = None
    if type(state) is tuple and len(state) == 2:
        state, of_slots = state
    for attributes in (state, of_slots):
        if attributes is not None and type(attributes) is not dict:
            raise ValueError(f"the state of a {type(made).__name__} must be its attributes")
        if attributes:
            _attributes([part for pair in attributes.items() for part in pair])
    vars(made).update(state or {})
    for name, value in (of_slots or {}).items():
        setattr(made, name, value)


# -- what a pickle may name ----------------------------------------------------------------------

# How a call's value is made, and what it may be given after the call: attributes (then it is a new
# object of a class), a state, items, or nothing.
_CALLS: dict[tuple[str, str], _Entry] = {
    **{
        (module, name): (Converter._saved, "attributes")
        for module, classes in names.CLASSES.items()
        for name in classes
    },
    **dict.fromkeys(names.RANDOM, (calls.random, "state")),
    **{(f"{m}.multiarray", "_reconstruct"): (Converter._array, "state") for m in names.NUMPY_CORES},
    **{(f"{m}.multiarray", "scalar"): (Converter._number, "") for m in names.NUMPY_CORES},
    **{
        (f"{m}.numeric", "_frombuffer"): (Converter._array_of_buffer, "") for m in names.NUMPY_CORES
    },
    names.DTYPE_NAME: (Converter._dtype, "state"),
    names.ENCODE_NAME: (calls.encoded, ""),
    **{(m, name): (calls.set_call, "") for m in names.BUILTINS for name in ("set", "frozenset")},
    **{(m, "bytes"): (calls.empty_bytes, "") for m in names.BUILTINS},
    **{(m, "bytearray"): (calls.byte_array, "") for m in names.BUILTINS},
    **{(m, "complex"): (calls.complex_number, "") for m in names.BUILTINS},
    **{(m, "_reconstructor"): (Converter._reconstructor, "state") for m in ("copyreg", "copy_reg")},
    **{("collections", n): (calls.dict_call, "items") for n in ("defaultdict", "OrderedDict")},
    **{
        (module, f"{kind}Path"): (calls.path, "")
        for module in ("pathlib", "pathlib._local")
        for kind in ("Posix", "Windows")
    },
}
_KNOWN = names.VALUES_AND_BASES | _CALLS.keys()

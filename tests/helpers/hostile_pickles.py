"""Pickles that attack their reader, by families.

`forms()` yields (name, content, expected): what a load must come to is "refused" (a ValueError that
names the file), "loads", "missing" (an OSError that names an array's file), or "either" of the
first two. `array_files()` yields arrays' files, to be put beside a sound pickle; all are refused.
"""

import struct

import numpy as np
from pickle_assembler import (
    KEYED_VECTORS,
    Raw,
    array,
    build,
    call,
    code,
    dtype,
    items,
    model,
    name,
    new,
    phrases,
    stack_name,
    stream,
    subwords,
    vectors,
)

TOUCH = "touch canary"
PYTHON = "open('canary', 'w')"
GADGETS = [
    *((module, "system", TOUCH) for module in ("os", "posix", "nt")),
    *(("os", what, TOUCH) for what in ("popen", "execl", "remove", "putenv", "unlink")),
    *(
        ("subprocess", what, TOUCH)
        for what in ("Popen", "call", "run", "check_output", "getoutput")
    ),
    *(("builtins", what, PYTHON) for what in ("eval", "exec", "compile", "open", "__import__")),
    *(("__builtin__", what, PYTHON) for what in ("eval", "execfile", "apply", "file", "reload")),
    *(("builtins", what, "canary") for what in ("getattr", "setattr", "vars", "globals", "type")),
    *(("builtins", what, "canary") for what in ("map", "filter", "breakpoint", "input", "print")),
    *(("builtins", what, 10**9) for what in ("range", "list", "tuple", "dict", "str", "int")),
    *(
        ("operator", what, "system")
        for what in ("attrgetter", "methodcaller", "itemgetter", "call")
    ),
    *(("functools", what, PYTHON) for what in ("partial", "reduce", "partialmethod")),
    *(("importlib", what, "antigravity") for what in ("import_module", "reload", "__import__")),
    *(("runpy", what, "canary") for what in ("run_path", "run_module", "_run_code")),
    *(("pickle", what, b"cos\nsystem\n") for what in ("loads", "_loads", "Unpickler")),
    *(("codecs", what, "canary") for what in ("open", "encode", "decode", "lookup")),
    *(("_codecs", what, "canary") for what in ("decode", "lookup", "escape_decode")),
    *(("numpy", what, "canary") for what in ("load", "fromfile", "memmap", "save", "savez")),
    *(
        ("numpy", what, "canary")
        for what in ("frombuffer", "array", "zeros", "loadtxt", "vectorize")
    ),
    *(("numpy.testing._private.utils", what, PYTHON) for what in ("runstring", "measure")),
    *(("numpy.f2py.crackfortran", what, PYTHON) for what in ("myeval", "getlincoef")),
    *(("numpy.f2py.diagnose", "run_command", TOUCH), ("numpy.distutils.exec_command", "x", TOUCH)),
    *(("torch.serialization", "load", "canary"), ("torch._inductor.codecache", "x", TOUCH)),
    *(("torch", what, "canary") for what in ("load", "_utils._rebuild_tensor_v2", "jit.load")),
    *(("joblib", what, "canary") for what in ("load", "numpy_pickle.NumpyArrayWrapper")),
    *(("joblib.numpy_pickle", "load", "canary"), ("dill", "loads", b""), ("cloudpickle", "x", b"")),
    *(("ctypes", what, "libc.so.6") for what in ("CDLL", "cdll", "string_at", "memmove")),
    *(("gensim.utils", what, "canary") for what in ("unpickle", "pickle", "check_output")),
    *(
        ("gensim.models.word2vec", what, "canary")
        for what in ("LineSentence", "os.system", "logger")
    ),
    *(("pyw2v.io.gensim_format", what, "canary") for what in ("read", "Saved", "os.system")),
    *(("pyw2v", what, "canary") for what in ("Word2Vec", "KeyedVectors.load", "compat.install")),
    *(
        ("copyreg", what, "canary")
        for what in ("__newobj__", "add_extension", "_reduce_ex", "pickle")
    ),
    *(("types", what, "canary") for what in ("FunctionType", "CodeType", "ModuleType")),
    *(("shutil", "rmtree", "canary"), ("pty", "spawn", TOUCH), ("timeit", "timeit", PYTHON)),
    *(("site", "main", "x"), ("pydoc", "pipepager", TOUCH), ("code", "interact", "x")),
    *(
        ("pathlib", what, "canary")
        for what in ("Path", "Path.touch", "PosixPath.unlink", "os.mkdir")
    ),
    *(
        ("collections", what, "canary")
        for what in ("namedtuple", "UserDict", "_sys.exit", "Counter")
    ),
    *(("logging.config", "dictConfig", "x"), ("webbrowser", "open", "x"), ("socket", "socket", 1)),
]


def gadgets():
    """Calls of what a model has no need of, by each opcode that names or calls."""
    ways = (
        call,
        lambda m, n, a: Raw(stack_name(m, n) + code((a,)) + b"R"),
        new,
        lambda m, n, a: vectors(x=call(m, n, a)),
    )
    for i, (module, what, argument) in enumerate(GADGETS):
        yield f"gadget-{module}.{what}", stream(ways[i % 4](module, what, argument)), "refused"
    os_system = name("os", "system")
    argument = code(TOUCH)
    yield "inst", b"\x80\x02(" + argument + b"ios\nsystem\n.", "refused"
    yield "obj", b"\x80\x02(" + os_system + argument + b"o.", "refused"
    yield "newobj-ex", b"\x80\x04" + os_system + code((TOUCH,)) + b"}\x92.", "refused"
    yield "protocol-0", b"cos\nsystem\n(S'touch canary'\ntR.", "refused"
    yield "protocol-1", b"cos\nsystem\nq\x00(U\x0ctouch canarytR.", "refused"
    yield "protocol-6", b"\x80\x06" + call("os", "system", TOUCH) + b".", "refused"
    yield "protocol-0-inside", b"\x80\x02\x80\x00N.", "refused"
    for i, opcode in enumerate((b"\x82\x01", b"\x83\x01\x00", b"\x84\x01\x00\x00\x00")):
        yield f"extension-{i}", b"\x80\x02" + opcode + b")R.", "refused"
    yield "persistent-id", b"\x80\x02Pcanary\n.", "refused"
    yield "binary-persistent-id", b"\x80\x02" + argument + b"Q.", "refused"
    for i, opcode in enumerate((b"\x97", b"\x98", b"N\x98", b"\x97\x98")):
        yield f"buffer-outside-{i}", b"\x80\x05" + opcode + b".", "refused"
    for i, module in enumerate(
        ("os\0", "\uff4f\uff53", "os.path", "", ".", "numpy..", "os ", "\ud800")
    ):
        named = Raw(stack_name(module, "system") + code((TOUCH,)) + b"R")
        yield f"name-module-{i}", stream(named), "refused"
    for i, what in enumerate(
        ("dtype.__class__", "ndarray.tofile", "dtype\0", "\uff44type", "", "x" * 9999)
    ):
        yield f"name-{i}", stream(Raw(stack_name("numpy", what) + code(("f4",)) + b"R")), "refused"
    for i, pair in enumerate(((1, "a"), ("a", 1), (None, None), (b"numpy", b"dtype"), ([], {}))):
        yield f"name-of-kind-{i}", stream(Raw(code(pair[0]) + code(pair[1]) + b"\x93")), "refused"
    yield "name-long-line", b"\x80\x02c" + b"a" * 100000 + b"\nb\n.", "refused"
    yield "name-not-utf8", b"\x80\x02c\xff\xfe\nb\n.", "refused"
    # A class within a class: what a reader with live classes would hand out.
    yield "name-of-name", stream(Raw(code("numpy") + name("numpy", "ndarray") + b"\x93")), "refused"


ALLOWED = [
    *(("builtins", what) for what in ("set", "hash", "int", "bytearray", "object", "complex")),
    *(("numpy", what) for what in ("ndarray", "dtype", "float32", "bool_")),
    *(("numpy._core.multiarray", "_reconstruct"), ("numpy._core.multiarray", "scalar")),
    *(("numpy._core.numeric", "_frombuffer"), ("_codecs", "encode")),
    *(
        ("copyreg", "_reconstructor"),
        ("collections", "defaultdict"),
        ("collections", "OrderedDict"),
    ),
    *(("pathlib", "PosixPath"), ("gensim.utils", "call_on_class_only")),
    *(KEYED_VECTORS, ("gensim.models.phrases", "npmi_scorer")),
    ("numpy.random._pickle", "__randomstate_ctor"),
]
STATES = [
    {"__defaults__": ("canary",), "__code__": None, "name": 5},
    {"__class__": 1, "__dict__": {}, "__setstate__": 5, "__reduce__": 6},
    (None, {"__module__": "os", "load": 5, "__init__": None}),
    (1, 2, 3),
    [1, 2],
    7,
    "text",
]


def forging():
    """Names that are allowed, used otherwise than a model uses them."""
    for i, (module, what) in enumerate(ALLOWED):
        # A state is set on the thing itself: on a class or function, were it one.
        yield f"build-on-{what}", stream(build(name(module, what), STATES[i % 7])), "refused"
        set_on = build(name(module, what), STATES[(i + 1) % 7])
        yield f"build-in-{what}", stream(vectors(x=set_on)), "refused"
        yield f"items-on-{what}", stream(items(name(module, what), [("a", 1)])), "refused"
        yield (
            f"call-{what}",
            stream(call(module, what, *[object_code() for _ in range(3)])),
            "refused",
        )
        yield f"new-{what}", stream(new(module, what, 5, "x")), "refused"
        made = call(module, what)
        yield f"state-{what}", stream(build(made, STATES[(i + 2) % 7])), "refused"
        yield f"items-of-{what}", stream(items(made, [(name("numpy", "dtype"), 1)])), "refused"
    for i, state in enumerate(STATES):
        expected = "refused"
        yield f"saved-state-{i}", stream(build(new(*KEYED_VECTORS), state)), expected
    yield "saved-non-text-names", stream(build(new(*KEYED_VECTORS), {1: 2, b"x": 3})), "refused"
    clash = {"name": 5, "__class__": 1, "__dict__": {}, "__setstate__": 2, "load": 3, "wv": 4}
    yield "attributes-clash", stream(vectors(**clash)), "refused"
    del clash["wv"]
    yield "attributes-clash-harmless", stream(vectors(**clash)), "loads"
    twice = build(build(new(*KEYED_VECTORS), {"a": 1}), {"b": 2})
    yield "two-states", stream(twice), "refused"
    for i, value in enumerate((5, "x", [], {}, (), None)):
        yield f"build-on-data-{i}", stream(build(Raw(code(value)), {"a": 1})), "refused"
        yield f"call-data-{i}", stream(Raw(code(value) + b")R")), "refused"
        argless = Raw(name("numpy", "dtype") + code(value) + b"R")
        yield f"arguments-{i}", stream(argless), "refused"
    for i, args in enumerate(((), (1,), (name(*KEYED_VECTORS),), (name("numpy", "dtype"),) * 3)):
        yield f"reconstructor-{i}", stream(call("copyreg", "_reconstructor", *args)), "refused"
    basis = (name(*KEYED_VECTORS), name("builtins", "int"), 5)
    yield "reconstructor-basis", stream(call("copyreg", "_reconstructor", *basis)), "refused"
    forged = (1 << 40).to_bytes(8, "little")
    for i, kind in enumerate(("O", "|O", "O8", "=O")):
        pointers = (name("numpy", "ndarray"), (1,), kind)
        yield f"ndarray-{i}", stream(call("numpy", "ndarray", (1,), kind, forged)), "refused"
        yield f"new-ndarray-{i}", stream(new("numpy", "ndarray", (1,), kind, forged)), "refused"
        made = array((1,), kind, forged)
        yield f"objects-of-bytes-{i}", stream(vectors(vectors=made)), "refused"
        scalar = call("numpy._core.multiarray", "scalar", dtype(kind), forged)
        yield f"object-scalar-{i}", stream(vectors(x=scalar)), "refused"
        view = call("numpy._core.numeric", "_frombuffer", forged, dtype(kind), (1,), "C")
        yield f"object-buffer-{i}", stream(vectors(x=view)), "refused"
        again = call("numpy._core.multiarray", "_reconstruct", *pointers)
        yield f"reconstruct-objects-{i}", stream(vectors(x=again)), "refused"


def object_code():
    return Raw(code([1, {"a": (2, b"3")}]))


def bombs():
    """Short streams that demand much time, memory or depth."""
    doubling = b"".join(b"2\x86" for _ in range(120))
    yield "tuples-by-dup", b"\x80\x02K\x01" + doubling + b".", "refused"
    for what, step in (("tuple", b"h%c\x86"), ("list", b"](h%ch%ce")):
        nested = b"K\x01\x85\x94"
        for i in range(100):
            pair = bytes([i])
            part = step.replace(b"%c", pair)
            nested += (b"h" + pair + part if what == "tuple" else part) + b"\x94"
        for place in ("root", "key", "member", "attribute", "word", "event", "count"):
            put = {
                "root": lambda x: x,
                "key": lambda x: Raw(b"}" + x + b"K\x01s"),
                "member": lambda x: Raw(b"\x8f(" + x + b"\x90"),
                "attribute": lambda x: vectors(hs=x, x=x),
                "word": lambda x: vectors(index_to_key=Raw(b"](" + x + b"\x8c\x01be")),
                "event": lambda x: model(lifecycle_events=Raw(b"](}\x8c\x01a" + x + b"se")),
                "count": lambda x: vectors(expandos=Raw(b"}\x8c\x05count" + x + b"s")),
            }[place]
            yield f"nested-{what}-{place}", b"\x80\x04" + put(Raw(nested)) + b".", "refused"
    deep = {
        "tuples": b")" + b"\x85" * 30_000,
        "lists": b"]" * 30_000 + b"a" * 29_999,
        "marks": b"(" * 30_000 + b"t" * 30_000,
        "calls": name("numpy", "dtype") + b"\x94)" + b"\x85h\x00\x8c\x01x\x86R" * 10_000,
        "states": (name(*KEYED_VECTORS) + b"\x94" + b"0") + b"h\x00)\x81" * 10_000 + b"b" * 9_999,
        "dicts": b"}" + b"\x8c\x01a}" * 10_000 + b"s" * 10_000,
    }
    for what, content in deep.items():
        yield f"deep-{what}", b"\x80\x04" + content + b".", "refused"
        # Nothing is wrong with a value that is deep and of no use, if it is no recursion.
        yield f"deep-{what}-within", stream(vectors(x=Raw(content))), "either"
    part = Raw(name(*KEYED_VECTORS) + b"\x94)\x81")
    state = Raw(b"}\x8c\x15__recursive_saveloads](\x8c\x02wves\x8c\x02wv")
    chain = b"h\x00)\x81" + state
    nested = part + (state + chain * 300) + b"Ns" + b"bs" * 300 + b"b"
    yield "deep-parts", b"\x80\x04" + nested + b".", "refused"
    for what, content in {
        "list": b"]\x94h\x00a",
        "tuple": b"]\x94h\x00\x85\x94a0h\x01",
        "dict": b"}\x94K\x01h\x00s",
        "object": name(*KEYED_VECTORS) + b")\x81\x94}\x8c\x02wvh\x00sb",
        "state": name(*KEYED_VECTORS) + b")\x81\x94h\x00b",
        "array": code(array((1,), "O", Raw(b"]\x94h\x00a"))),
    }.items():
        yield f"cycle-{what}", b"\x80\x04" + content + b".", "refused"
        yield f"cycle-{what}-within", stream(vectors(x=Raw(content))), "refused"
    much = 3 * 10**8
    yield (
        "tuple-of-bytes",
        stream(call("builtins", "tuple", call("builtins", "bytes", much))),
        "refused",
    )
    for what in ("bytes", "bytearray", "list", "set", "frozenset", "complex"):
        yield f"{what}-of-number", stream(vectors(x=call("builtins", what, 2 * 10**9))), "refused"
        yield (
            f"{what}-of-many",
            stream(vectors(x=call("builtins", what, "a" * 999, "x"))),
            "refused",
        )
    yield "array-of-number", stream(vectors(vectors=array((2, 3), "f4", 10**9))), "refused"
    yield (
        "scalar-of-number",
        stream(vectors(x=call("numpy._core.multiarray", "scalar", dtype(), 10**9))),
        "refused",
    )
    for i, place in enumerate((10**8, 2**32 - 1, 2)):
        put = b"\x80\x02Nr" + struct.pack("<I", place)
        yield f"memo-{i}", put + b".", "refused"
    yield "memo-negative", b"\x80\x02Np-1\n.", "refused"
    yield "int-of-two-gigabytes", b"\x80\x02\x8b\xff\xff\xff\x7f.", "refused"
    yield (
        "int-of-a-megabyte",
        b"\x80\x02\x8b\x00\x00\x10\x00" + b"\x7f" * (1 << 20) + b".",
        "refused",
    )
    yield "int-of-negative-length", b"\x80\x02\x8b\xff\xff\xff\xff\x00.", "refused"
    for letter in (b"I", b"L"):
        yield f"digits-{letter.decode()}", b"\x80\x02" + letter + b"9" * 10**6 + b"\n.", "refused"
        yield f"no-digits-{letter.decode()}", b"\x80\x02" + letter + b"abc\n.", "refused"
    for i, n in enumerate((2**63, 2**64 - 1, 10**12, 100)):
        frame = b"\x80\x04\x95" + struct.pack("<Q", n) + b"N."
        yield f"frame-{i}", frame, "refused"
    for opcode in (b"\x8d", b"\x8e", b"\x96"):
        for i, n in enumerate((2**63, 2**64 - 1, 2**40)):
            yield (
                f"length-{opcode.hex()}-{i}",
                b"\x80\x05" + opcode + struct.pack("<Q", n) + b"N.",
                "refused",
            )
    for opcode in (b"X", b"B", b"T"):
        for i, n in enumerate((2**32 - 1, 2**31, 2**31 - 1)):
            yield (
                f"length-{opcode.hex()}-{i}",
                b"\x80\x04" + opcode + struct.pack("<I", n) + b"N.",
                "refused",
            )
    for what, one in {"lists": b"]", "dicts": b"}", "sets": b"\x8f", "tuples": b"(t"}.items():
        yield f"many-{what}", b"\x80\x04(" + one * 60_000 + b"t.", "refused"
    yield "many-memos", b"\x80\x04N" + b"\x94" * 200_000 + b".", "refused"
    modulus = 2**61 - 1
    colliding = b"".join(code(i * modulus) + b"N" for i in range(1, 9_000))
    yield "equal-hashes", b"\x80\x04}(" + colliding + b"u.", "refused"
    yield (
        "equal-hashes-of-words",
        stream(vectors(index_to_key=[i * modulus for i in range(1, 9_000)])),
        "refused",
    )
    shared = Raw(code("w" * 10**5) + b"\x94")
    yield (
        "one-long-word",
        stream(vectors(index_to_key=Raw(b"](" + shared + b"h\x00" * 9999 + b"e"))),
        "refused",
    )
    events = Raw(b"](" + b"}\x8c\x01a" + shared + b"s" + b"}\x8c\x01ah\x00s" * 999 + b"e")
    # Vectors have no events, and load.
    yield "one-long-event", stream(model(lifecycle_events=events)), "either"
    rows = [Raw(code("w" * 10**5) + b"\x94"), *[Raw(b"h\x00")] * 999]
    yield "text-of-lists", stream(vectors(expandos={"x": rows})), "refused"


def shared():
    """Calls that share one large argument, each of which would copy it."""
    big = b"B" + struct.pack("<I", 1 << 20) + bytes(1 << 20) + b"\x940"  # memo 0
    dtype = name("numpy", "dtype") + b"\x8c\x02u1\x89\x88\x87R\x940"
    new = (
        name("numpy.core.multiarray", "_reconstruct")
        + b"\x940"
        + name("numpy", "ndarray")
        + b"\x940"
    )
    array = b"h\x02h\x03K\x00\x85C\x01b\x87R(K\x01J\x00\x00\x10\x00\x85h\x01\x89h\x00tb"
    yield (
        "bytes-of-arrays",
        b"\x80\x04" + big + dtype + new + b"](" + array * 20_000 + b"e.",
        "refused",
    )
    items = b"\x80\x04](" + b"K\x01" * 300_000 + b"e\x940" + name("builtins", "set") + b"\x940"
    yield "items-of-sets", items + b"](" + b"h\x01h\x00\x85R" * 50_000 + b"e.", "refused"
    pairs = b"\x80\x04](" + b"K\x01K\x02\x86" * 30_000 + b"e\x940"
    pairs += name("collections", "OrderedDict") + b"\x940"
    level = b"h\x01h\x00\x85RM\x01\x00M\x01\x000"
    yield "pairs-of-nested-dicts", pairs + level * 6_000 + b"N" + b"s" * 6_000 + b".", "refused"
    state = b"\x80\x04}(" + b"".join(b"\x8c\x04%04dN" % i for i in range(9_000)) + b"u\x940"
    word = name("gensim.models.keyedvectors", "Vocab") + b"\x940"
    yield "attributes", state + word + b"](" + b"h\x01)\x81h\x00b" * 20_000 + b"e.", "refused"


def joined():
    """Text that a file has once and names often, and numbers that are keys of one hash."""
    shared = Raw(code("w" * 10**5) + b"\x94")
    parts = Raw(b"(" + shared + b"h\x00" * 9999 + b"t")
    path = Raw(name("pathlib", "PosixPath") + parts + b"R")
    yield "one-long-part-of-a-path", stream(vectors(x=path)), "refused"
    pair = b"h\x00%s\x86K\x05"
    pairs = Raw(
        b"}(" + shared + b"K\x05" + b"".join(pair % code(str(i)) for i in range(9999)) + b"u"
    )
    yield "one-long-word-of-phrases", stream(phrases(vocab=pairs)), "refused"
    pairs = {(str(i), "b"): 5 for i in range(9999)}
    yield (
        "one-long-delimiter-of-phrases",
        stream(phrases(vocab=pairs, delimiter="w" * 10**5)),
        "refused",
    )
    # NumPy hashes a long double as a double: all of these as infinity.
    large = np.longdouble(10) ** 4000 * np.arange(1, 20_000, dtype=np.longdouble)
    keys = array(large.shape, f"f{large.itemsize}", large.tobytes())
    rows = np.ones((len(large), 1), np.float32)
    yield (
        "equal-hashes-of-long-doubles",
        stream(vectors(index_to_key=keys, vectors=rows, vector_size=1)),
        "refused",
    )


def arrays():
    """Arrays whose parts do not agree."""
    data = np.ones(6, np.float32).tobytes()
    for i, shape in enumerate(
        (
            *(
                (2, 4),
                (3, 3),
                (10**18,),
                (2**40, 2**40),
                (-2, -3),
                (2, -3),
                (-1,),
                (2.0, 3),
                ("2", 3),
            ),
            *(None, 6, [2, 3], (2, None), ((2,), 3), (1,) * 100, (0, 10**18), (2**70,), (True, 6)),
            *((0,), (), (2**64, 0), (0, 2**62, 2**62)),
        )
    ):
        yield f"shape-{i}", stream(vectors(vectors=array(shape, "f4", data))), "refused"
        yield f"shape-empty-{i}", stream(vectors(vectors=array(shape, "f4", b""))), "refused"
    for i, what in enumerate(
        (
            *(
                "f3",
                "f0",
                "i9",
                "U0",
                "S0",
                "V4",
                "c8",
                "M8",
                "m8",
                "x",
                "",
                "f4,f4",
                "(2,)f4",
                "O4",
            ),
            *("U999999999", "U99999999999", 4, None, b"f4", ["f4"], ("f4", 2), {"a": "f4"}, "f4\0"),
            *(name("numpy", "float32"), dtype(), "a6", "object", "float32", "int", "T"),
        )
    ):
        yield f"dtype-{i}", stream(vectors(vectors=array((2, 3), what, data))), "refused"
    for i, order in enumerate(("x", "", None, 5, b"<", "<<", [])):
        expected = "either" if order is None else "refused"
        kind = dtype("f4", order)
        yield (
            f"byte-order-{i}",
            stream(vectors(vectors=array((2, 3), "", data, kind=kind))),
            expected,
        )
    for i, rest in enumerate(
        ((("f4", (2,)), None, None), (None, ("a",), {"a": 1}), (None, None, {}), (1, 2, 3), ())
    ):
        kind = dtype("f4", "<", rest)
        yield (
            f"dtype-state-{i}",
            stream(vectors(vectors=array((2, 3), "", data, kind=kind))),
            "refused",
        )
    for i, state in enumerate((None, (), (1, 2, 3), {"shape": (2, 3)}, 5, [1, (2, 3)], (1,) * 6)):
        made = (
            array((2, 3), "f4", data, state=state)
            if state is not None
            else array((), "", b"", state=())
        )
        yield f"array-state-{i}", stream(vectors(vectors=made)), "refused"
    for i, args in enumerate(
        (
            *((), (1, 2, 3), (name("numpy", "dtype"), (0,), b"b"), (name("builtins", "set"),) * 3),
            (name("numpy", "ndarray"),),
        )
    ):
        yield (
            f"array-arguments-{i}",
            stream(vectors(vectors=array((2, 3), "f4", data, args=args))),
            "refused",
        )
    for i, fortran in enumerate((2, None, "F", [], -1, "K", b"C")):
        expected = "either" if fortran == "F" else "refused"
        made = array((2, 3), "f4", data, fortran=fortran)
        yield f"order-{i}", stream(vectors(vectors=made)), expected
    yield "fortran", stream(vectors(vectors=array((2, 3), "f4", data, fortran=True))), "loads"
    yield (
        "big-endian",
        stream(vectors(vectors=array((2, 3), "", data, kind=dtype("f4", ">")))),
        "loads",
    )
    yield (
        "truth-values",
        stream(vectors(x=array((2,), "?", b"\x07\xff", kind=dtype("?", "|")))),
        "loads",
    )
    yield "text-beyond-unicode", stream(vectors(x=array((1,), "U1", b"\xff" * 4))), "refused"
    for i, content in enumerate(
        (5, None, "\u0100" * 24, [1.0] * 6, (1,), {}, name("numpy", "ndarray"))
    ):
        yield f"data-{i}", stream(vectors(vectors=array((2, 3), "f4", content))), "refused"
    for i, content in enumerate((5, None, (1,), {}, b"ab", "ab", [1], [1] * 7)):
        yield f"objects-{i}", stream(vectors(x=array((2, 3), "O", content))), "refused"
    scalar = ("numpy._core.multiarray", "scalar")
    for i, args in enumerate(
        ((), (1, 2), (dtype(), b"abc"), (dtype(), b"a" * 8), (dtype(),), (5, b"abcd"))
    ):
        yield f"scalar-{i}", stream(vectors(x=call(*scalar, *args))), "refused"
    buffer = ("numpy._core.numeric", "_frombuffer")
    for i, args in enumerate(
        (
            *((), (data,), (data, dtype(), (2, 4), "C"), (data, dtype(), (2, 3), "K")),
            *((data, dtype(), (2, 3), 5), (6, dtype(), (2, 3), "C"), (data, "f4", (2, 3), "C")),
            *((data, dtype(), (2, 3), "C", (1, 0)), (data, dtype(), (2, 3), None)),
        )
    ):
        yield f"buffer-{i}", stream(vectors(vectors=call(*buffer, *args))), "refused"
    for i, args in enumerate(((5,), (b"a",), (("a",),), (None,), (["a"], "b"))):
        yield f"path-{i}", stream(vectors(x=call("pathlib", "PosixPath", *args))), "refused"
    yield (
        "path-harmless",
        stream(vectors(x=call("pathlib", "PosixPath", "/etc", "../passwd"))),
        "loads",
    )
    for i, args in enumerate(
        (("a",), (5, "latin1"), ("a", "utf-8"), ("\u0100", "latin1"), ("a", "rot13"), ())
    ):
        yield f"encode-{i}", stream(vectors(x=call("_codecs", "encode", *args))), "refused"
    random = call("numpy.random._pickle", "__randomstate_ctor", "MT19937", name("numpy", "dtype"))
    yield "random-state", stream(vectors(x=build(random, {"bit_generator": [1, 2]}))), "loads"


def grammar():
    """Streams that are no pickles: cut short, or taking what is not there."""
    sound = stream(model())
    for end in range(2, len(sound), 23):
        yield f"cut-{end:03}", sound[:end], "refused"
    for opcode in b"()]}.0123KMJGIFLSTUVXBC\x8a\x8b\x8c\x8d\x8e\x8f\x90\x91abcdeghijlopqrstu":
        yield f"alone-{opcode:02x}", b"\x80\x04" + bytes([opcode]) + b".", "refused"
    for opcode in b"\x81\x85\x86\x87\x92\x93\x94\x95\x96\x97\x98\x99\xff\x00Q":
        yield f"alone-{opcode:02x}", b"\x80\x04" + bytes([opcode]) + b".", "refused"
    for i, content in enumerate(
        (
            *(
                b"N(N\x86",
                b"(((((",
                b"(t(",
                b"N(\x85",
                b"](",
                b"]Na(",
                b"N(R",
                b"](N0a",
                b"N(1e",
                b"N1",
            ),
            *(
                b"(NNu",
                b"](NNu",
                b"}(Nu",
                b"}Ns",
                b"}(NNNu",
                b"Na",
                b"Ne",
                b"(Ne",
                b"N(N\x90",
                b"(N\x91(N\x90",
            ),
            *(
                b"h\x00",
                b"h\xff",
                b"j\xff\xff\xff\xff",
                b"Nq\x05",
                b"NN",
                b"N]",
                b"\x94",
                b"g0\n",
                b"(0",
            ),
        )
    ):
        yield f"stack-{i}", b"\x80\x04" + content + b".", "refused"
    yield "nothing-after-the-protocol", b"\x80\x04", "refused"
    yield "only-stop", b"\x80\x04.", "refused"
    yield "text-not-utf8", b"\x80\x04\x8c\x02\xff\xfe.", "refused"
    for i, root in enumerate((None, 5, "x", b"x", [], {}, (), name(*KEYED_VECTORS), np.ones(2))):
        yield f"root-{i}", stream(root), "refused"
    for what, value in (
        ("vocab", new("gensim.models.keyedvectors", "Vocab")),
        ("phrases", phrases()),
        ("no-state", new(*KEYED_VECTORS)),
    ):
        yield f"root-{what}", stream(value), "loads" if what == "phrases" else "refused"
    yield "more-after-the-end", stream(vectors()) + b"cos\nsystem\n(X\x01\x00\x00\x00atR.", "loads"


WRONG = (5, -1, 10**12, 2**2000, 1.5, float("nan"), "text", b"x", None, [], {}, [[]], ())
FIELDS = {
    vectors: ("vectors", "vector_size", "index_to_key", "expandos", "next_index", "wv"),
    model: (
        *("wv", "vector_size", "syn1neg", "syn1", "negative", "window", "epochs", "alpha", "sg"),
        *("workers", "seed", "corpus_count", "lifecycle_events", "raw_vocab", "vocabulary"),
        *("trainables", "layer1_size", "min_count", "comment", "vectors_lockf", "sample", "iter"),
    ),
    subwords: ("bucket", "min_n", "max_n", "vectors_vocab", "vectors_ngrams", "compatible_hash"),
    phrases: ("vocab", "threshold", "delimiter", "scoring", "connector_words", "min_count"),
}


def fields():
    """Sound pickles of models with one wrong attribute."""
    for make, names in FIELDS.items():
        yield f"{make.__name__}-sound", stream(make()), "loads"
        for field in names:
            yield f"{make.__name__}-without-{field}", stream(make(**{field: ...})), "either"
            for i, value in enumerate(WRONG):
                yield f"{make.__name__}-{field}-{i}", stream(make(**{field: value})), "either"
            for i, value in enumerate(
                (new("gensim.models.keyedvectors", "Vocab"), np.ones((2, 3)))
            ):
                yield (
                    f"{make.__name__}-{field}-object-{i}",
                    stream(make(**{field: value})),
                    "either",
                )
    for argument in ("sentences", "corpus_file", "callbacks", "trim_rule", "hashfxn", "progress"):
        for i, value in enumerate(([["a", "b"]] * 9, "/dev/zero", 5)):
            yield f"argument-{argument}-{i}", stream(model(**{argument: value})), "loads"
    for argument in ("classes", "objective", "sampler", "max_memory", "engine", "bands"):
        yield f"argument-{argument}", stream(model(**{argument: 10**9})), "loads"
    old = {"index_to_key": ..., "expandos": ..., "index2word": ["a", "b"]}
    for i, vocab in enumerate((5, [], {}, {"a": 1, "b": 2}, {"a": new(*KEYED_VECTORS)}, "ab")):
        yield f"old-vocab-{i}", stream(vectors(**old, vocab=vocab)), "refused"
    for i, count in enumerate(("x", 2**70, [], b"", {})):
        item = build(new("gensim.models.keyedvectors", "Vocab"), {"count": count, "index": 0})
        yield f"old-count-{i}", stream(vectors(**old, vocab={"a": item, "b": item})), "refused"
    for i, bucket in enumerate((10**12, 2**32 - 1, 2**27, 3)):
        wv = subwords(bucket=bucket, hash2index={0: 0, 5: 1})
        yield f"packed-buckets-{i}", stream(wv), "refused"
    for i, used in enumerate(({0: 99}, {10**9: 0}, {-1: 0}, {"a": 0}, {0: "a"}, [1], 5)):
        yield f"packed-index-{i}", stream(subwords(bucket=9, hash2index=used)), "refused"
    yield "packed-harmless", stream(subwords(bucket=9, hash2index={0: 0, 5: 1})), "loads"
    for i, keys in enumerate(
        (["a", "a"], [[], {}], ["a"], ["a"] * 9, [1.5, ()], [("a", 1), "b"], "ab")
    ):
        yield f"keys-{i}", stream(vectors(index_to_key=keys)), "refused" if i != 4 else "either"
    for i, values in enumerate(
        ([1, 2], np.ones((2, 2)), 5, "x", {}, array((2,), "U1", b"a\0\0\0" * 2))
    ):
        yield f"counts-{i}", stream(vectors(expandos={"count": values})), "refused"
    for i, values in enumerate((np.ones((2, 3), int), np.ones((2, 3), bool), np.ones((2, 3, 1)))):
        yield f"matrix-{i}", stream(vectors(vectors=values)), "refused"


def notes():
    """What gensim notes about the files beside a pickle."""
    for note in ("__numpys", "__recursive_saveloads", "__ignoreds", "__scipys"):
        for i, value in enumerate(
            (5, "vectors", {"a": 1}, [5], ["../x"], ["/etc/passwd"], [[]], ["a\0"], ["x" * 999])
        ):
            yield f"note-{note}-{i}", stream(vectors(**{note: value})), "refused"
    yield "note-ignored-vectors", stream(vectors(__ignoreds=["vectors"])), "refused"
    yield "note-sparse", stream(vectors(__scipys=["vectors"])), "refused"
    yield "note-missing-file", stream(vectors(__numpys=["vectors"])), "missing"


def array_files():
    """Arrays in files beside a sound pickle: (name, content of the array's file)."""

    def npy(header, data=b""):
        text = header.encode("latin-1")
        return b"\x93NUMPY\x02\x00" + struct.pack("<I", len(text)) + text + data

    def about(descr="'<f4'", fortran="False", shape="(2, 3)"):
        return f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}}}"

    for shape in (
        "(10**9,)",
        "(1000000000000,)",
        "(2, 10000000000)",
        "(-1,)",
        "'x'",
        "5",
        "(0, 2**62)",
        "(999999999999999999999,)",
        "(1.5, 2)",
        "None",
        "(2, 3, True)",
        "(0, 4611686018427387904)",
    ):
        yield f"npy-shape-{shape}", npy(about(shape=shape), b"\0" * 24)
    for descr in (
        "'O'",
        "'|O'",
        "[('a', '<f4')]",
        "'V4'",
        "('<f4', (2,))",
        "__import__('os')",
        "'U0'",
        "5",
        "'<c8'",
    ):
        yield f"npy-type-{descr}", npy(about(descr), b"\0" * 24)
    yield "npy-nested", npy("(" * 9000)
    yield "npy-minus", npy("-" * 9000 + "1")
    yield "npy-code", npy(about(fortran="open('canary', 'w')"), b"\0" * 24)
    yield "npy-long-header", b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**32 - 1)
    yield "npy-huge-header", npy(" " * 10**6 + about(), b"\0" * 24)
    yield "npy-version", b"\x93NUMPY\x09\x00" + b"\0" * 30
    yield "npy-short", npy(about(), b"\0" * 23)
    yield "npy-empty", b""
    yield "npy-pickle", b"\x80\x04cos\nsystem\n(X\x0c\x00\x00\x00touch canarytR."
    yield "npy-zip", b"PK\x03\x04" + b"\0" * 30


def forms():
    """Yield every form as (name, content, expected)."""
    for family in (gadgets, forging, bombs, shared, joined, arrays, grammar, fields, notes):
        yield from family()

"""One compiled TileLang kernel as a C++ function that stands for its CUDA launch.

TileLang's libraries export ``int call(...)``: the parameters of the kernel in their order, then the
lengths of the buffers, and on a GPU the stream (``TLCPUSourceWrapper``, ``TLCUDASourceWrapper`` of
tilelang 0.1.15). CUDA's launch gives an address for each argument; scalars, members of structs and
pointers are read from there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from migrate.analysis.constants import Value
from migrate.backends.tilelang.dtypes import ARGUMENT
from migrate.backends.tilelang.signature import Given, Piece, element
from migrate.ir.types import Array, Kind, Pointer, Scalar

_CPP = {"int32": "std::int32_t", "int64": "std::int64_t", "float32": "float", "float64": "double"}
_HELD = {
    Kind.BOOL: "bool", Kind.I8: "std::int8_t", Kind.U8: "std::uint8_t", Kind.I16: "std::int16_t",
    Kind.U16: "std::uint16_t", Kind.I32: "std::int32_t", Kind.U32: "std::int32_t",
    Kind.I64: "std::int64_t", Kind.U64: "std::int64_t", Kind.F32: "float", Kind.F64: "double",
}  # fmt: skip
"""What lies in memory; unsigned words are passed by their bits, as the Python wrapper does."""
_AMONG = re.compile(r"(?P<what>launch\.\w+(?:\[\d\])?) in \((?P<numbers>[\d, ]*)\)")
_SMALL_FLOATS = {Kind.F16: "cudamigrate::half_bits", Kind.BF16: "cudamigrate::bfloat16_bits"}


@dataclass(frozen=True, slots=True)
class BridgeCall:
    """What a launch of one kernel passes on. Texts are expressions of the launch that C++ and
    Python read alike (``launch.block[0] * launch.block[1]``).

    ``statics`` choose the compiled variant, ``requirements`` are conditions with what to say,
    ``counts`` stand behind the parameters, then for each of ``nullable`` whether it points
    anywhere, then ``constants`` with their types. ``times`` counts the runs (nothing: one).
    ``variable_bytes`` are the sizes of those of ``given`` that are variables of the module, else 0.
    """

    entry: str
    statics: tuple[str, ...]
    requirements: tuple[tuple[str, str], ...]
    given: tuple[Given, ...]
    counts: tuple[str, ...]
    nullable: tuple[str, ...]
    constants: tuple[tuple[Value, str], ...]
    times: str
    variable_bytes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BridgeFunction:
    """Where a call belongs: the module whose libraries it uses, and how CUDA calls the kernel."""

    module: str
    origin: str
    call: BridgeCall


def function_text(f: BridgeFunction) -> str:
    """The inline C++ function of a kernel."""
    call = f.call
    lines = [
        f"/// {f.origin}",
        f"inline cudaError_t {call.entry}(const cudamigrate::Launch &launch, void *const *args) {{",
        f'  static cudamigrate::Library library("{f.module}", "{call.entry}");',
    ]
    for condition, message in call.requirements:
        test = _AMONG.sub(_any_of, condition)
        lines.append(f'  if (!({test})) return library.refuse(launch, "{message}");')
    statics = ", ".join(_static(s) for s in call.statics)
    lines.append(f"  void *const kernel = library.find(launch, {{{statics}}});")
    lines.append("  if (!kernel) return cudaErrorInvalidConfiguration;")
    lines += _reads(f)
    for count in call.counts:
        if "threads" in count:
            lines.append(f"  if ({count} > INT32_MAX) return library.too_large(launch);")
    for name in _buffers(call):
        lines.append(f"  if ({name}.too_large) return library.too_large(launch);")
    passed = ", ".join(("kernel", "stream", *_passed(call)))
    times = call.times.replace("launch.grid", "(std::int64_t)launch.grid") or "1"
    lines += [
        f"  return library.run(launch, {times}, [=](cudaStream_t stream) {{",
        f"    return cudamigrate::invoke({passed});",
        "  });",
        "}",
    ]
    if all(g.is_global for g in call.given):
        lines.insert(3, "  (void)args;")
    return "\n".join(lines) + "\n"


def _any_of(found: re.Match[str]) -> str:
    """Python's ``a in (1, 2)`` in C++."""
    numbers = [n.strip() for n in found["numbers"].split(",") if n.strip()]
    return "(" + " or ".join(f"{found['what']} == {n}" for n in numbers) + ")"


def _static(text: str) -> str:
    return "launch.shared" if text == "shared" else text


def _pieces(call: BridgeCall) -> Iterator[tuple[int, Given, Piece]]:
    for at, g in enumerate(call.given):
        for p in g.pieces:
            yield at, g, p


def _name(p: Piece) -> str:
    return f"arg_{p.param.name}"


def _buffers(call: BridgeCall) -> Iterator[str]:
    for _, _, p in _pieces(call):
        if isinstance(p.type, Pointer | Array):
            yield _name(p)


def _reads(f: BridgeFunction) -> Iterator[str]:
    """The arguments out of CUDA's list."""
    for at, g, p in _pieces(f.call):
        slot = f"args[{at}], {p.offset}"
        size = element(p.type).bytes
        match p.type:
            case _ if g.is_global:
                key = variable_key(f.module, g.name)
                text = f'cudamigrate::variable("{key}", {f.call.variable_bytes[at]}, {size})'
            case Pointer():
                text = f"cudamigrate::memory({slot}, {size})"
            case Array(_, length):
                row = range(p.offset, p.offset + length * size, size)
                places = ", ".join(map(str, p.places or row))
                text = f"library.by_value(launch, args[{at}], {{{places}}}, {size})"
            case Scalar(kind) if kind in _SMALL_FLOATS:
                text = f"{_SMALL_FLOATS[kind]}({slot})"
            case Scalar(kind):
                to = _CPP[ARGUMENT[kind]]
                text = f"static_cast<{to}>(cudamigrate::read<{_HELD[kind]}>({slot}))"
            case _:
                raise TypeError(f"{p.type} is not in normal form")
        yield f"  const auto {_name(p)} = {text};"


def _passed(call: BridgeCall) -> Iterator[str]:
    for _, _, p in _pieces(call):
        yield f"{_name(p)}.address" if isinstance(p.type, Pointer | Array) else _name(p)
    for count in call.counts:
        yield f"static_cast<std::int32_t>({count})"
    for name in call.nullable:
        yield f"static_cast<std::int32_t>(arg_{name}.address != nullptr)"
    for value, dtype in call.constants:
        yield _constant(value, dtype)
    for name in _buffers(call):
        yield f"{name}.elements"


def _constant(value: Value, dtype: str) -> str:
    to = _CPP[dtype]
    if isinstance(value, float) and not math.isfinite(value):
        sign = "-" if value < 0 else ""
        number = "quiet_NaN" if math.isnan(value) else "infinity"
        return f"{sign}std::numeric_limits<{to}>::{number}()"
    text = value.hex() if isinstance(value, float) else f"{int(value)}LL"
    return f"static_cast<{to}>({text})"


def variable_key(module: str, name: str) -> str:
    """How a device variable is looked up when a program runs."""
    return f"{module}/{name}"

"""How operands of PTX instructions are spelled in C++: registers, numbers, addresses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from migrate.ir.ptx_text import Operand, PtxError

NAMESPACE = "::cuda_emu::ptx"

#: C++ type of each PTX type that a register can be read as.
TYPES: Mapping[str, str] = {
    **{f"{kind}{bits}": f"std::uint{bits}_t" for kind in "ub" for bits in (8, 16, 32, 64)},
    **{f"s{bits}": f"std::int{bits}_t" for bits in (8, 16, 32, 64)},
    "f16": "__half",
    "bf16": "__nv_bfloat16",
    "f16x2": "__half2",
    "bf16x2": "__nv_bfloat162",
    "f32": "float",
    "f64": "double",
    "pred": "bool",
}
SIZES: Mapping[str, int] = {
    **{f"{kind}{bits}": bits // 8 for kind in "ubs" for bits in (8, 16, 32, 64)},
    **{"f16": 2, "bf16": 2, "f16x2": 4, "bf16x2": 4, "f32": 4, "f64": 8, "pred": 1},
}
FLOATS = frozenset({"f16", "bf16", "f16x2", "bf16x2", "f32", "f64"})

_AXES = {
    f"{axis}.{c}": f"{name}.{c}"
    for c in "xyz"
    for axis, name in (
        ("tid", "threadIdx"),
        ("ntid", "blockDim"),
        ("ctaid", "blockIdx"),
        ("nctaid", "gridDim"),
    )
}
_LANE = f"{NAMESPACE}::lane()"
_BLOCK_THREADS = "(blockDim.x * blockDim.y * blockDim.z)"
_SPECIAL: Mapping[str, str] = {
    **_AXES,
    "laneid": _LANE,
    "warpid": f"({NAMESPACE}::linear_thread() / 32)",
    "nwarpid": f"(({_BLOCK_THREADS} + 31) / 32)",
    "smid": f"({NAMESPACE}::global_block() % ::cuda_emu::multiprocessors)",
    "nsmid": "::cuda_emu::multiprocessors",
    "gridid": "0",
    "lanemask_eq": f"(1u << {_LANE})",
    "lanemask_lt": f"((1u << {_LANE}) - 1u)",
    "lanemask_le": f"((2u << {_LANE}) - 1u)",
    "lanemask_gt": f"~((2u << {_LANE}) - 1u)",
    "lanemask_ge": f"~((1u << {_LANE}) - 1u)",
    "clock": f"static_cast<std::uint32_t>({NAMESPACE}::clock_value())",
    "clock_hi": f"({NAMESPACE}::clock_value() >> 32)",
    "clock64": f"{NAMESPACE}::clock_value()",
    "globaltimer": f"{NAMESPACE}::clock_value()",
    "globaltimer_lo": f"static_cast<std::uint32_t>({NAMESPACE}::clock_value())",
    "globaltimer_hi": f"({NAMESPACE}::clock_value() >> 32)",
    "dynamic_smem_size": f"{NAMESPACE}::dynamic_shared_size()",
}  # fmt: skip
_INTEGER = re.compile(r"([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[0-7]*|[1-9]\d*)U?$")
_REAL = re.compile(r"[-+]?(\d+\.\d*|\.\d+|\d+)([eE][-+]?\d+)?$")
_HEX_REAL = re.compile(r"0([fFdD])([0-9a-fA-F]+)$")


@dataclass(frozen=True, slots=True)
class Names:
    """C++ variables for the operands of one template: by ``%0`` or ``%[name]``, and registers."""

    operands: Mapping[str, str]
    registers: Mapping[str, str]


def type_of(word: str) -> str:
    """The C++ type of a PTX type. Raises ``PtxError`` for one that has none here."""
    if word not in TYPES:
        raise PtxError(f"the type .{word}")
    return TYPES[word]


def _number(text: str, kind: str) -> str | None:
    exact = _HEX_REAL.match(text)
    if exact:
        return f"std::uint64_t(0x{exact[2]}ull)"
    integer = _INTEGER.match(text)
    real = kind in ("f32", "f64", "f16", "bf16")
    if integer and not real:
        return (
            f"static_cast<std::uint64_t>({integer[1]}{integer[2]}ll)"
            if (len(integer[2]) < 12)
            else f"static_cast<std::uint64_t>({integer[1]}{integer[2]}ull)"
        )
    if real and (integer or _REAL.match(text)):
        return f"{NAMESPACE}::put<{TYPES[kind]}>({TYPES[kind]}({text}))"
    return None


def value(operand: Operand, kind: str, names: Names) -> str:
    """The raw bits of a source operand, for an instruction of the type ``kind``."""
    if operand.kind != "plain":
        raise PtxError(f"an operand of this form: {operand.text}")
    text = operand.text
    found = names.operands.get(text) or names.registers.get(text)
    if found is None and text.startswith("%"):
        special = _SPECIAL.get(text[1:])
        if special is None:
            raise PtxError(f"the register {text}")
        found = f"static_cast<std::uint64_t>({special})"
    if found is None:
        found = _number(text, kind)
    if found is None:
        raise PtxError(f"the name {text}")
    if operand.negated or kind == "pred":
        return f"std::uint64_t({found} {'==' if operand.negated else '!='} 0)"
    return found


def target(operand: Operand, names: Names) -> str | None:
    """The variable that a destination writes; None for ``_``."""
    if operand.text == "_":
        return None
    found = names.operands.get(operand.text) or names.registers.get(operand.text)
    if operand.kind != "plain" or found is None:
        raise PtxError(f"the destination {operand.text}")
    return found


def address(operand: Operand, space: str, names: Names) -> str:
    """A ``void *`` for an address operand in a state space (``shared`` addresses are offsets)."""
    if operand.kind != "address":
        raise PtxError(f"an address of this form: {operand.text}")
    base = value(operand.items[0], "u64", names)
    if operand.offset:
        step = Operand(operand.offset.lstrip("+"))
        base = f"{base} + {value(step, 'u64', names)}"
    if space == "shared":
        return f"{NAMESPACE}::at_shared({base})"
    if space in ("", "global", "local", "const"):
        return f"{NAMESPACE}::at({base})"
    raise PtxError(f"the state space .{space}")

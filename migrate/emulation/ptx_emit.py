"""C++ for PTX instructions that compute: arithmetic, logic, comparison, conversion, moves.

The functions that the text calls are in ``cuda_emu/emu/ptx_arithmetic.h`` and ``ptx_convert.h``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from migrate.emulation.ptx_values import (
    FLOATS,
    NAMESPACE,
    SIZES,
    Names,
    target,
    type_of,
    value,
)
from migrate.ir.ptx_text import Instruction, Operand, PtxError

Emitter = Callable[[Instruction, Names], str]

_ROUNDING = {"rn": "nearest", "rz": "zero", "rp": "up", "rm": "down"}
_WHOLE = {"rni": "nearest", "rzi": "zero", "rpi": "up", "rmi": "down"}


def kind_of(instruction: Instruction) -> str:
    """The instruction's type: its last word."""
    kind = instruction.parts[-1]
    type_of(kind)
    return kind


def refuse_words(instruction: Instruction, *known: str) -> None:
    """Raises ``PtxError`` when the opcode has a modifier that is not among ``known``."""
    for word in instruction.parts[1:-1]:
        if word not in known:
            raise PtxError(f"the modifier .{word}")


def mode(instruction: Instruction) -> str:
    """A ``Mode`` from the modifiers for rounding, flushing and saturation."""
    words = instruction.parts
    chosen = [_ROUNDING.get(word) or _WHOLE.get(word) for word in words]
    rounding = next((name for name in chosen if name), "nearest")
    flush, saturate = (str(word in words).lower() for word in ("ftz", "sat"))
    return f"{NAMESPACE}::Mode{{::cuda_emu::Round::{rounding}, {flush}, {saturate}}}"


def assign(operand: Operand, expression: str, names: Names) -> str:
    """``operand = expression;`` (only the expression for ``_``)."""
    to = target(operand, names)
    return f"{to} = {expression};" if to else f"static_cast<void>({expression});"


def _sources(instruction: Instruction, count: int, kind: str, names: Names) -> list[str]:
    if len(instruction.operands) != count + 1:
        raise PtxError(f"{len(instruction.operands)} operands of {instruction.opcode}")
    return [value(operand, kind, names) for operand in instruction.operands[1:]]


def _call(name: str, kind: str, *arguments: str) -> str:
    return f"{NAMESPACE}::{name}<{type_of(kind)}>({', '.join(arguments)})"


_FLOAT_WORDS = ("rn", "rz", "rm", "rp", "ftz", "sat", "approx", "full", "NaN")
_FLOAT_NAMES: Mapping[str, tuple[str, int]] = {
    "add": ("fadd", 2), "sub": ("fsub", 2), "mul": ("fmul", 2), "fma": ("ffma", 3),
    "mad": ("ffma", 3), "div": ("fdiv", 2), "min": ("fminimum", 2), "max": ("fmaximum", 2),
    "abs": ("fabsolute", 1), "neg": ("fnegate", 1), "rcp": ("rcp", 1), "sqrt": ("sqrt", 1),
    "rsqrt": ("rsqrt", 1), "sin": ("sine", 1), "cos": ("cosine", 1), "lg2": ("log2", 1),
    "ex2": ("exp2", 1), "tanh": ("tanh", 1),
}  # fmt: skip
_INTEGER_NAMES: Mapping[str, tuple[str, int]] = {
    "add": ("add", 2), "sub": ("sub", 2), "div": ("div", 2), "rem": ("rem", 2),
    "min": ("minimum", 2), "max": ("maximum", 2), "abs": ("absolute", 1), "neg": ("negate", 1),
    "sad": ("sad", 3), "and": ("bit_and", 2), "or": ("bit_or", 2), "xor": ("bit_xor", 2),
    "not": ("bit_not", 1), "cnot": ("cnot", 1), "shl": ("shl", 2), "shr": ("shr", 2),
    "popc": ("popc", 1), "clz": ("clz", 1), "brev": ("brev", 1), "bfe": ("bfe", 3),
    "bfi": ("bfi", 4),
}  # fmt: skip


def _arithmetic(instruction: Instruction, names: Names) -> str:
    opcode, kind = instruction.parts[0], kind_of(instruction)
    if kind in FLOATS and opcode in _FLOAT_NAMES:
        refuse_words(instruction, *_FLOAT_WORDS)
        name, count = _FLOAT_NAMES[opcode]
        arguments = _sources(instruction, count, kind, names)
        if opcode in ("min", "max"):
            arguments.append(str("NaN" in instruction.parts).lower())
        return assign(
            instruction.operands[0], _call(name, kind, *arguments, mode(instruction)), names
        )
    if kind in FLOATS or opcode not in _INTEGER_NAMES:
        raise PtxError("the instruction")
    refuse_words(instruction, "sat", "cc")
    name, count = _INTEGER_NAMES[opcode]
    arguments = _sources(instruction, count, kind, names)
    if "cc" in instruction.parts:
        return _carried(instruction, f"{opcode}_carry", kind, arguments, names)
    if "sat" in instruction.parts:
        name = f"{opcode}_sat"
    return assign(instruction.operands[0], _call(name, kind, *arguments), names)


def _carried(
    instruction: Instruction, name: str, kind: str, arguments: list[str], names: Names
) -> str:
    use = str(instruction.parts[0] in ("addc", "subc", "madc")).lower()
    sets = str("cc" in instruction.parts).lower()
    return assign(instruction.operands[0], _call(name, kind, *arguments, use, sets), names)


def _add_with_carry(instruction: Instruction, names: Names) -> str:
    refuse_words(instruction, "cc")
    kind = kind_of(instruction)
    arguments = _sources(instruction, 2, kind, names)
    return _carried(instruction, f"{instruction.parts[0][:3]}_carry", kind, arguments, names)


def _multiply(instruction: Instruction, names: Names) -> str:
    """mul, mad and madc of integers; the floating-point forms are plain arithmetic."""
    opcode, kind = instruction.parts[0], kind_of(instruction)
    if kind in FLOATS:
        return _arithmetic(instruction, names)
    refuse_words(instruction, "lo", "hi", "wide", "cc")
    part = next((word for word in instruction.parts if word in ("lo", "hi", "wide")), None)
    if part is None:
        raise PtxError("a product without .lo, .hi or .wide")
    arguments = _sources(instruction, 2 if opcode.startswith("mul") else 3, kind, names)
    if opcode == "madc" or "cc" in instruction.parts:
        product = _call(f"mul_{part}", kind, *arguments[:2])
        return _carried(instruction, "add_carry", kind, [product, arguments[2]], names)
    return assign(instruction.operands[0], _call(f"{opcode}_{part}", kind, *arguments), names)


def _funnel_shift(instruction: Instruction, names: Names) -> str:
    refuse_words(instruction, "l", "r", "clamp", "wrap")
    arguments = _sources(instruction, 3, "b32", names)
    flags = (str(word in instruction.parts).lower() for word in ("l", "wrap"))
    return assign(
        instruction.operands[0], f"{NAMESPACE}::shf({', '.join([*arguments, *flags])})", names
    )


def _fixed(name: str, count: int, kind: str) -> Emitter:
    def emit(instruction: Instruction, names: Names) -> str:
        refuse_words(instruction)
        arguments = _sources(instruction, count, kind, names)
        return assign(
            instruction.operands[0], f"{NAMESPACE}::{name}({', '.join(arguments)})", names
        )

    return emit


def _byte_distances(instruction: Instruction, names: Names) -> str:
    if instruction.parts[1:] != ("u32", "u32", "u32", "add"):
        raise PtxError("a video instruction of this form")
    arguments = _sources(instruction, 3, "b32", names)
    text = f"{NAMESPACE}::sum_of_distances({', '.join(arguments)})"
    return assign(instruction.operands[0], text, names)


def _bit_find(instruction: Instruction, names: Names) -> str:
    refuse_words(instruction, "shiftamt")
    kind = kind_of(instruction)
    amount = str("shiftamt" in instruction.parts).lower()
    arguments = _sources(instruction, 1, kind, names)
    return assign(instruction.operands[0], _call("bfind", kind, *arguments, amount), names)


def _dot(instruction: Instruction, names: Names) -> str:
    words = instruction.parts
    arguments = _sources(instruction, 3, "b32", names)
    signs = [str(word.startswith("s")).lower() for word in words[-2:]]
    if words[0] == "dp2a":
        signs.append(str("hi" in words).lower())
    return assign(
        instruction.operands[0],
        f"{NAMESPACE}::{words[0]}({', '.join([*arguments, *signs])})",
        names,
    )


def _copysign(instruction: Instruction, names: Names) -> str:
    kind = kind_of(instruction)
    return assign(
        instruction.operands[0],
        _call("fcopysign", kind, *_sources(instruction, 2, kind, names)),
        names,
    )


_UNSIGNED_ORDER = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
_ORDER = (
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "equ",
    "neu",
    "ltu",
    "leu",
    "gtu",
    "geu",
    "num",
    "nan",
)


def _comparison(instruction: Instruction, kind: str, sources: list[str]) -> str:
    words = [_UNSIGNED_ORDER.get(word, word) for word in instruction.parts[1:]]
    how = next((word for word in words if word in _ORDER), None)
    if how is None or kind in ("f16x2", "bf16x2"):
        raise PtxError("a comparison of this kind")
    arguments = [f"{NAMESPACE}::Compare::{how}", *sources]
    if kind in FLOATS:
        arguments.append(mode(instruction))
    return _call("compare", kind, *arguments)


_BOOLEAN = {"and": "&&", "or": "||", "xor": "!="}


def _set_predicate(instruction: Instruction, names: Names) -> str:
    kind = kind_of(instruction)
    combine = next((word for word in instruction.parts if word in _BOOLEAN), None)
    count = 3 if combine else 2
    operands = instruction.operands
    targets = operands[: len(operands) - count]
    sources = operands[len(operands) - count :]
    if len(targets) not in (1, 2):
        raise PtxError(f"{len(operands)} operands of {instruction.opcode}")
    test = _comparison(instruction, kind, [value(o, kind, names) for o in sources[:2]])
    other = value(sources[2], "pred", names) if combine else ""
    lines = [f"const bool cuda_emu_test = {test};"]
    if combine:
        lines.append(f"const bool cuda_emu_other = {other} != 0;")
    for number, to in enumerate(targets):
        shown = "!cuda_emu_test" if number else "cuda_emu_test"
        joined = f"({shown} {_BOOLEAN[combine]} cuda_emu_other)" if combine else shown
        lines.append(assign(to, joined, names))
    return "{ " + " ".join(lines) + " }"


def _set(instruction: Instruction, names: Names) -> str:
    kind, given = kind_of(instruction), instruction.parts[-2]
    if any(word in _BOOLEAN for word in instruction.parts) or len(instruction.operands) != 3:
        raise PtxError("the instruction")
    sources = [value(o, kind, names) for o in instruction.operands[1:]]
    yes = "0x3F800000u" if given == "f32" else "0xFFFFFFFFu"
    test = _comparison(instruction, kind, sources)
    return assign(instruction.operands[0], f"{test} ? {yes} : 0u", names)


def _select(instruction: Instruction, names: Names) -> str:
    kind = kind_of(instruction)
    if len(instruction.operands) != 4:
        raise PtxError(f"{len(instruction.operands)} operands of {instruction.opcode}")
    to, yes, no, test = instruction.operands
    if instruction.parts[0] == "slct":
        kind, tested = instruction.parts[-2], kind
        condition = _call(
            "compare", tested, f"{NAMESPACE}::Compare::ge", value(test, tested, names), "0"
        )
    else:
        condition = value(test, "pred", names)
    return assign(to, f"{condition} ? {value(yes, kind, names)} : {value(no, kind, names)}", names)


def _convert(instruction: Instruction, names: Names) -> str:
    words = instruction.parts
    into, source = words[-2], words[-1]
    if words[1:] == ("rna", "tf32", "f32"):
        return _fixed_call(instruction, "convert_tf32", names)
    refuse = set(words[1:-2]) - {*_ROUNDING, *_WHOLE, "ftz", "sat", "relu"}
    if refuse:
        raise PtxError(f"the modifier .{sorted(refuse)[0]}")
    if into in ("f16x2", "bf16x2"):
        first, second = _sources(instruction, 2, source, names)
        relu = str("relu" in words).lower()
        call = _call("convert_pair", into, first, second, mode(instruction), relu)
        return assign(instruction.operands[0], call, names)
    if "relu" in words:
        raise PtxError("the modifier .relu")
    (argument,) = _sources(instruction, 1, source, names)
    whole = str(any(word in _WHOLE for word in words)).lower()
    types = f"{type_of(into)}, {type_of(source)}"
    call = f"{NAMESPACE}::convert<{types}>({argument}, {mode(instruction)}, {whole})"
    return assign(instruction.operands[0], call, names)


def _fixed_call(instruction: Instruction, name: str, names: Names) -> str:
    (argument,) = _sources(instruction, 1, "b32", names)
    return assign(instruction.operands[0], f"{NAMESPACE}::{name}({argument})", names)


def _move(instruction: Instruction, names: Names) -> str:
    """Plain moves, and packing or unpacking of registers into a wider one."""
    kind = kind_of(instruction)
    if len(instruction.operands) != 2:
        raise PtxError(f"{len(instruction.operands)} operands of mov")
    to, source = instruction.operands
    if to.kind == source.kind == "plain":
        raw = value(source, kind, names)
        return assign(
            to, raw if kind == "pred" else _call("put", kind, _call("get", kind, raw)), names
        )
    many = to if to.kind == "vector" else source
    if many.kind != "vector" or SIZES[kind] % max(len(many.items), 1):
        raise PtxError(f"a move of this form: {instruction.opcode}")
    bits = 8 * SIZES[kind] // len(many.items)
    mask = hex((1 << bits) - 1)
    if many is to:
        lines = [f"const std::uint64_t cuda_emu_all = {value(source, kind, names)};"]
        lines += [
            assign(item, f"cuda_emu_all >> {bits * n} & {mask}ull", names)
            for n, item in enumerate(to.items)
        ]
        return "{ " + " ".join(lines) + " }"
    parts = [
        f"({value(item, f'b{bits}', names)} & {mask}ull) << {bits * n}"
        for n, item in enumerate(source.items)
    ]
    return assign(to, " | ".join(parts), names)


COMPUTING: Mapping[str, Emitter] = {
    **dict.fromkeys(_FLOAT_NAMES, _arithmetic),
    **dict.fromkeys(_INTEGER_NAMES, _arithmetic),
    **dict.fromkeys(("mul", "mad", "madc", "mul24", "mad24"), _multiply),
    **dict.fromkeys(("addc", "subc"), _add_with_carry),
    **dict.fromkeys(("dp4a", "dp2a"), _dot),
    **dict.fromkeys(("selp", "slct"), _select),
    "shf": _funnel_shift,
    "vabsdiff4": _byte_distances,
    "lop3": _fixed("lop3", 4, "b32"),
    "prmt": _fixed("prmt", 3, "b32"),
    "bfind": _bit_find,
    "copysign": _copysign,
    "setp": _set_predicate,
    "set": _set,
    "cvt": _convert,
    "mov": _move,
}

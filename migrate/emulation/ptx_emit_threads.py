"""C++ for PTX instructions that touch memory or meet other threads.

The functions that the text calls are in ``cuda_emu/emu/ptx_threads.h``.
"""

from __future__ import annotations

from collections.abc import Mapping

from migrate.emulation.ptx_emit import Emitter, assign, kind_of
from migrate.emulation.ptx_values import (
    NAMESPACE,
    SIZES,
    Names,
    address,
    target,
    type_of,
    value,
)
from migrate.ir.ptx_text import Instruction, Operand, PtxError

_SPACES = ("global", "shared", "local", "const", "param")
_ORDERED = frozenset({"volatile", "relaxed", "acquire", "release", "mmio"})
_HINTS = frozenset({
    "weak", "nc", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "cta", "cluster", "gpu", "sys",
    "L1::no_allocate", "L1::evict_last", "L1::evict_first", "L1::evict_normal",
    "L1::evict_unchanged", "L2::64B", "L2::128B", "L2::256B", "L2::cache_hint",
})  # fmt: skip


def _space(instruction: Instruction) -> str:
    words = [word.split("::")[0] if word.startswith("shared::cta") else word
             for word in instruction.parts]  # fmt: skip
    return next((word for word in words if word in _SPACES), "")


def _check_words(instruction: Instruction, *more: str) -> None:
    for word in instruction.parts[1:-1]:
        plain = word.replace("shared::cta", "shared")
        if plain not in (*_SPACES, *_ORDERED, *_HINTS, *more):
            raise PtxError(f"the modifier .{word}")


def _elements(instruction: Instruction, operand: Operand) -> tuple[Operand, ...]:
    lanes = next((int(w[1:]) for w in instruction.parts if w in ("v2", "v4", "v8")), 1)
    items = operand.items if operand.kind == "vector" else (operand,)
    if len(items) != lanes:
        raise PtxError(f"a vector of {len(items)} registers")
    return items


def _load(instruction: Instruction, names: Names) -> str:
    _check_words(instruction, "v2", "v4", "v8")
    kind = kind_of(instruction)
    to, source = instruction.operands[:2]
    items = _elements(instruction, to)
    name = "load_volatile" if _ORDERED & set(instruction.parts) else "load"
    place = address(source, _space(instruction), names)
    lines = [f"const char *cuda_emu_from = static_cast<const char *>({place});"]
    # A destination may also hold the address: read everything first.
    reads = [
        f"{NAMESPACE}::{name}<{type_of(kind)}>(cuda_emu_from + {n * SIZES[kind]})"
        for n in range(len(items))
    ]
    lines += [f"const std::uint64_t cuda_emu_v{n} = {read};" for n, read in enumerate(reads)]
    lines += [assign(item, f"cuda_emu_v{n}", names) for n, item in enumerate(items)]
    return "{ " + " ".join(lines) + " }"


def _store(instruction: Instruction, names: Names) -> str:
    _check_words(instruction, "v2", "v4", "v8")
    kind = kind_of(instruction)
    to, source = instruction.operands[:2]
    name = "store_volatile" if _ORDERED & set(instruction.parts) else "store"
    place = address(to, _space(instruction), names)
    lines = [f"char *cuda_emu_to = static_cast<char *>({place});"]
    lines += [
        f"{NAMESPACE}::{name}<{type_of(kind)}>(cuda_emu_to + {n * SIZES[kind]}, "
        f"{value(item, kind, names)});"
        for n, item in enumerate(_elements(instruction, source))
    ]
    return "{ " + " ".join(lines) + " }"


_ATOMS: Mapping[str, str] = {
    "add": "add", "min": "minimum", "max": "maximum", "and": "bit_and", "or": "bit_or",
    "xor": "bit_xor", "exch": "exch", "inc": "inc", "dec": "dec",
}  # fmt: skip


def _atom(instruction: Instruction, names: Names) -> str:
    returns = instruction.parts[0] == "atom"
    _check_words(instruction, *_ATOMS, "cas", "acq_rel", "noftz")
    kind = kind_of(instruction)
    operands = instruction.operands if returns else (Operand("_"), *instruction.operands)
    place = address(operands[1], _space(instruction), names)
    values = ", ".join(value(operand, kind, names) for operand in operands[2:])
    if "cas" in instruction.parts:
        if len(operands) != 4:
            raise PtxError("cas with other than two values")
        call = f"{NAMESPACE}::atom_cas<{type_of(kind)}>({place}, {values})"
    else:
        how = next((word for word in instruction.parts if word in _ATOMS), None)
        if how is None or len(operands) != 3:
            raise PtxError("an atomic operation of this kind")
        how = f"{NAMESPACE}::Atom::{_ATOMS[how]}"
        call = f"{NAMESPACE}::atom<{type_of(kind)}>({how}, {place}, {values})"
    return assign(operands[0], call, names)


def _cvta(instruction: Instruction, names: Names) -> str:
    """Generic addresses are pointers; shared ones are offsets in a window."""
    source = value(instruction.operands[1], "u64", names)
    if _space(instruction) == "shared":
        if "to" in instruction.parts:
            source = f"::cuda_emu::to_shared_window({NAMESPACE}::at({source}))"
        else:
            source = f"reinterpret_cast<std::uint64_t>({NAMESPACE}::at_shared({source}))"
    return assign(instruction.operands[0], source, names)


def _is_space(instruction: Instruction, names: Names) -> str:
    source = f"{NAMESPACE}::at({value(instruction.operands[1], 'u64', names)})"
    tests = {"shared": "__isShared", "global": "__isGlobal"}
    if _space(instruction) not in tests:
        raise PtxError("the state space")
    call = f"{tests[_space(instruction)]}(static_cast<const char *>({source}))"
    return assign(instruction.operands[0], call, names)


def _pointer(operand: Operand | None, names: Names) -> str:
    to = target(operand, names) if operand else None
    return f"&{to}" if to else "nullptr"


def _shuffle(instruction: Instruction, names: Names) -> str:
    synced = "sync" in instruction.parts
    how = next((w for w in instruction.parts if w in ("up", "down", "bfly", "idx")), None)
    operands = instruction.operands
    count = 4 if synced else 3
    if how is None or len(operands) - count not in (1, 2):
        raise PtxError("a shuffle of this form")
    sources = [value(o, "b32", names) for o in operands[len(operands) - count :]]
    mask = sources[3] if synced else "0xFFFFFFFFull"
    second = operands[1] if len(operands) - count == 2 else None
    arguments = [f"{NAMESPACE}::Shuffle::{how}", *sources[:3], mask, str(not synced).lower()]
    call = f"{NAMESPACE}::shfl({', '.join([*arguments, _pointer(second, names)])})"
    return assign(operands[0], call, names)


def _vote(instruction: Instruction, names: Names) -> str:
    how = next((w for w in instruction.parts if w in ("all", "any", "uni", "ballot")), None)
    if how is None or "sync" not in instruction.parts or len(instruction.operands) != 3:
        raise PtxError("a vote of this form")
    to, test, mask = instruction.operands
    arguments = f"{value(test, 'pred', names)}, {value(mask, 'b32', names)}"
    return assign(to, f"{NAMESPACE}::vote_{how}({arguments})", names)


def _match(instruction: Instruction, names: Names) -> str:
    kind = kind_of(instruction)
    operands = instruction.operands
    arguments = ", ".join([value(operands[-2], kind, names), value(operands[-1], "b32", names)])
    if "any" in instruction.parts:
        return assign(operands[0], f"{NAMESPACE}::match_any<{type_of(kind)}>({arguments})", names)
    second = _pointer(operands[1] if len(operands) == 4 else None, names)
    call = f"{NAMESPACE}::match_all<{type_of(kind)}>({arguments}, {second})"
    return assign(operands[0], call, names)


_REDUCTIONS: Mapping[str, str] = {
    **{f"add.{kind}": "add" for kind in ("u32", "s32")},
    **{f"{how}.{kind}": f"{how}_{kind[0]}" for how in ("min", "max") for kind in ("u32", "s32")},
    **{f"{how}.b32": f"{how}_" for how in ("and", "or", "xor")},
}


def _redux(instruction: Instruction, names: Names) -> str:
    how = _REDUCTIONS.get(".".join(instruction.parts[-2:]))
    if how is None or instruction.parts[1] != "sync":
        raise PtxError("a reduction of this form")
    to, source, mask = instruction.operands
    arguments = f"{value(source, 'b32', names)}, {value(mask, 'b32', names)}"
    return assign(to, f"{NAMESPACE}::redux(::cuda_emu::WarpKind::{how}, {arguments})", names)


def _barrier(instruction: Instruction, names: Names) -> str:
    words = instruction.parts
    if words[:3] == ("bar", "warp", "sync"):
        mask = value(instruction.operands[0], "b32", names)
        return f"__syncwarp(static_cast<unsigned>({mask}));"
    kinds = set(words[1:]) - {"cta", "aligned"}
    counted = len(instruction.operands) > 1
    if kinds not in ({"sync"}, {"arrive"}) or (kinds == {"arrive"} and not counted):
        raise PtxError("a barrier of this form")
    number = value(instruction.operands[0], "b32", names) if instruction.operands else "0"
    count = value(instruction.operands[1], "b32", names) if counted else "0"
    waits = str(kinds == {"sync"}).lower()
    return f"{NAMESPACE}::bar({number}, {str(counted).lower()}, {count}, {waits});"


def _copy_async(instruction: Instruction, names: Names) -> str:
    words = set(instruction.parts[1:])
    if words & {"bulk", "mbarrier", "reduce"}:
        raise PtxError("the instruction")
    if words & {"commit_group", "wait_group", "wait_all"}:
        return "static_cast<void>(0);"
    operands = instruction.operands
    if len(operands) not in (3, 4) or operands[0].kind != "address":
        raise PtxError("a copy of this form")
    to = address(operands[0], "shared", names)
    source = address(operands[1], "global", names)
    sizes = [value(operand, "u32", names) for operand in operands[2:]]
    given = sizes[-1] if "L2::cache_hint" not in words else sizes[0]
    return f"{NAMESPACE}::copy_async({to}, {source}, {sizes[0]}, {given});"


def _nothing(instruction: Instruction, names: Names) -> str:
    return "static_cast<void>(0);"


def _statement(text: str) -> Emitter:
    def emit(instruction: Instruction, names: Names) -> str:
        return text

    return emit


def _nanosleep(instruction: Instruction, names: Names) -> str:
    return f"__nanosleep(static_cast<unsigned>({value(instruction.operands[0], 'u32', names)}));"


def _active_mask(instruction: Instruction, names: Names) -> str:
    return assign(instruction.operands[0], "__activemask()", names)


def _policy(instruction: Instruction, names: Names) -> str:
    return assign(instruction.operands[0], "0u", names)


TOUCHING: Mapping[str, Emitter] = {
    **dict.fromkeys(("ld", "ldu"), _load),
    **dict.fromkeys(("atom", "red"), _atom),
    **dict.fromkeys(("bar", "barrier"), _barrier),
    **dict.fromkeys(("membar", "fence"), _statement("__threadfence();")),
    # Hints and markers without a result.
    **dict.fromkeys(
        ("prefetch", "prefetchu", "applypriority", "pmevent", "griddepcontrol", "setmaxnreg"),
        _nothing,
    ),
    "st": _store,
    "cvta": _cvta,
    "isspacep": _is_space,
    "shfl": _shuffle,
    "vote": _vote,
    "match": _match,
    "redux": _redux,
    "cp": _copy_async,
    "nanosleep": _nanosleep,
    "activemask": _active_mask,
    "createpolicy": _policy,
    "trap": _statement("__trap();"),
    "brkpt": _statement("__brkpt();"),
}

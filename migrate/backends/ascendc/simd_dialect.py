"""Spelling of scalar code on a 910B core: pointers carry ``__gm__``, functions come from rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from migrate.analysis.float_range import saturating_call
from migrate.backends.ascendc import soft_double
from migrate.backends.ascendc.simd_helpers import ELEMENTS
from migrate.backends.clike_dialect import Prec, Spelled, refuse
from migrate.core.codes import lifting, target
from migrate.core.span import NO_SPAN
from migrate.core.targets import Target
from migrate.ir.expr import Binary, Bitcast, Call, Cast, Const, IndexVar, Unary, VarPlace
from migrate.ir.kernel import Module
from migrate.ir.simt import Asm, Atomic, AtomicOp, Barrier, Collective, Effect, Fence
from migrate.ir.types import BOOL, F32, F64, Kind, Pointer, Scalar, Space, Struct, Type, Vector
from migrate.ir.walk import root
from migrate.rules.catalogue import Catalogue
from migrate.rules.model import Form, Spelling

TARGET = Target.ASCEND_910B.value
TILE_GET = "tile.get "
"""A call of this name and a tile's reads the tile at the lane at hand."""
TILE_SET = "tile.set "
"""An effect of this name and a tile's writes it."""
STORE = "memory.store"
"""An effect (address, value): one element to global memory."""
LOAD = "memory.load"
"""A call (address): one element, with this core's stores."""
SLOT = "slot"
"""The buffer through which functions of single values go."""
_HALVES = frozenset({Kind.F16, Kind.BF16})


@dataclass(slots=True)
class Needs:
    """What printed text relies on, in order of first use."""

    includes: list[str] = field(default_factory=list)
    prelude: list[str] = field(default_factory=list)
    slot_bytes: int = 0
    hidden_workspace: bool = False

    def include(self, *names: str) -> None:
        """Ask for headers."""
        self.includes += [n for n in names if n not in self.includes]

    def helper(self, *texts: str) -> None:
        """Ask for helper definitions."""
        self.prelude += [t for t in texts if t not in self.prelude]

    def spelled(self, spelling: Spelling) -> None:
        """Ask for what a rule's spelling uses."""
        self.include(*spelling.includes)
        self.helper(*(p.text for p in spelling.prelude))


class SimdDialect(soft_double.SoftDoubles):
    """One kernel's scalar code."""

    def __init__(
        self,
        module: Module,
        catalogue: Catalogue,
        index_names: Mapping[IndexVar, str],
        structs: Mapping[str, str],
        soft: bool = False,
    ) -> None:
        super().__init__(module)
        self.soft = soft
        self._structs = structs
        self._catalogue = catalogue
        self._index_names = index_names
        self.needs = Needs()
        self.lane = "l"
        self.slot = SLOT
        self.resident: frozenset[str] = frozenset()
        """Names of arrays in the unified buffer that blocks of threads share."""

    # --- types

    def type(self, t: Type) -> str:
        """Structs with code in them have a plain mirror; half vectors have no counterpart."""
        match t:
            case Struct(name):
                return self._structs.get(name, name)
            case Vector(name, element) if element.kind in _HALVES:
                raise refuse(target.NO_INTRINSIC, f"a value of type {name}", NO_SPAN)
            case _:
                return super().type(t)

    def pointer(self, p: Pointer) -> str:
        """Pointers name global memory unless they are known to be local."""
        plain = super().pointer(p)
        plain = plain.replace(" __restrict__", "")
        return plain if p.space in (Space.LOCAL, Space.SHARED) else f"__gm__ {plain}"

    # --- expressions

    def index_var(self, v: IndexVar) -> Spelled:
        """Indices and sizes of the CUDA launch are variables or parameters."""
        return Spelled(self._index_names[v], Prec.POSTFIX, v.type)

    def call(self, call: Call, args: tuple[Spelled, ...]) -> Spelled:
        """Tile accesses, then rules: a scalar expression, or one lane of a vector instruction."""
        if call.name.startswith(TILE_GET):
            name = call.name[len(TILE_GET) :]
            if call.type == BOOL:  # a mask has one bit a lane
                bit = f"({name}.GetValue({self.lane} / 8) >> ({self.lane} % 8) & 1)"
                return Spelled(f"{bit} != 0", Prec.EQUAL, call.type)
            return Spelled(f"{name}.GetValue({self.lane})", Prec.POSTFIX, call.type)
        if call.name == LOAD:
            self.needs.helper(ELEMENTS)
            return Spelled(f"elements::Load({args[0].text})", Prec.POSTFIX, call.type)
        soft = self.soft_call(call, args)
        if soft is not None:
            return soft
        types = tuple(a.type for a in call.args)
        rule = self._catalogue.intrinsic(call.name, types)
        if rule is None:
            shown = ", ".join(str(t) for t in types)
            raise refuse(target.NO_INTRINSIC, f"no rule covers {call.name}({shown})", call.span)
        spelling = rule.spelling(TARGET, Form.SCALAR, types)
        if spelling is not None:
            self.needs.spelled(spelling)
            text = spelling.fill([a.at(Prec.ASSIGN) for a in args])
            prec = Prec.POSTFIX if spelling.atomic else Prec.SELECT
            return Spelled(text, prec, call.type)
        vector = rule.spelling(TARGET, Form.VECTOR, types)
        if vector is None:
            raise refuse(target.NO_INTRINSIC, f"{call.name} has no scalar form", call.span)
        self.needs.spelled(vector)
        name = self._once(call, vector)
        inner = ", ".join([self.slot, *(a.at(Prec.ASSIGN) for a in args)])
        return Spelled(f"{name}({inner})", Prec.POSTFIX, call.type)

    def _once(self, call: Call, spelling: Spelling) -> str:
        """Emits the function that sends one value through the vector unit; returns its name."""
        name = f"{call.name.strip('_')}_once"
        params = [f"{self.type(a.type)} x{n}" for n, a in enumerate(call.args)]
        result = self.type(call.type)
        tensors: list[str] = []
        names: dict[str, str] = {"count": "64" if spelling.scratch else "1"}
        at = 0

        def tensor(kind: str, label: str) -> None:
            nonlocal at
            tensors.append(
                f"    AscendC::LocalTensor<{kind}> {label} = "
                f"slot.GetWithOffset<{kind}>(256 / sizeof({kind}), {at});"
            )
            at += 256

        for n, a in enumerate(call.args):
            tensor(self.type(a.type), f"in{n}")
        tensor(result, "out")
        names["dst"] = "out"
        for s in spelling.scratch:
            kind = result if s.type == "dst" else _scratch_name(s.type)
            tensor(kind, s.name)
            names[s.name] = s.name
        self.needs.slot_bytes = max(self.needs.slot_bytes, at)
        sets = [f"    in{n}.SetValue(0, x{n});" for n in range(len(call.args))]
        body = spelling.fill([f"in{n}" for n in range(len(call.args))], names)
        lines = [
            f"// {call.name} of one value, by way of the vector unit: the scalar unit lacks it.",
            f"__aicore__ inline {result} {name}("
            f"AscendC::TBuf<AscendC::TPosition::VECCALC>& slot, {', '.join(params)})",
            "{",
            *tensors,
            *sets,
            "    tiles::Wait<AscendC::HardEvent::S_V>();",
            *(f"    {x}" for x in body.strip().split("\n")),
            "    tiles::Wait<AscendC::HardEvent::V_S>();",
            "    return out.GetValue(0);",
            "}",
            "",
        ]
        self.needs.helper("\n".join(lines))
        return name

    def bitcast(self, e: Bitcast, operand: Spelled) -> Spelled:
        """The compiler's own bit cast."""
        frm, to = e.operand.type, e.type
        soft = self.soft_bitcast(e, operand)
        if soft is not None:
            return soft
        if isinstance(frm, Scalar) and isinstance(to, Scalar):
            if not frm.is_float and not to.is_float:
                return Spelled(f"({self.type(to)}){operand.at(Prec.UNARY)}", Prec.UNARY, to)
        text = f"__builtin_bit_cast({self.type(to)}, {operand.at(Prec.ASSIGN)})"
        return Spelled(text, Prec.POSTFIX, to)

    def cast(self, e: Cast, operand: Spelled) -> Spelled | None:
        """bfloat16 converts by functions; half by way of float, which holds each half."""
        frm, to = e.operand.type, e.type
        if not isinstance(frm, Scalar) or not isinstance(to, Scalar):
            return None
        if self.soft and F64 in (frm, to):
            return self._soft_cast(e, operand)
        saturating = saturating_call(e)
        if saturating is not None:
            return self.call(saturating, (operand,))
        if to.kind is Kind.BF16:
            value = operand.at(Prec.ASSIGN) if frm == F32 else f"(float){operand.at(Prec.UNARY)}"
            return Spelled(f"AscendC::ToBfloat16({value})", Prec.POSTFIX, to)
        if frm.kind is Kind.BF16:
            text = f"AscendC::ToFloat({operand.at(Prec.ASSIGN)})"
            if to == F32:
                return Spelled(text, Prec.POSTFIX, to)
            return Spelled(f"({self.type(to)}){text}", Prec.UNARY, to)
        return None

    def _soft_cast(self, e: Cast, operand: Spelled) -> Spelled | None:
        """Half converts by way of float, which holds each half; to half is another rounding."""
        frm, to = e.operand.type, e.type
        if isinstance(frm, Scalar) and frm.kind in _HALVES:
            single = self.cast(Cast(e.operand, F32), operand)
            inner = single or Spelled(f"(float){operand.at(Prec.UNARY)}", Prec.UNARY, F32)
            return Spelled(f"{soft_double.NAME}({inner.text})", Prec.POSTFIX, to)
        return soft_double.cast(e, operand)

    def need_header(self, name: str) -> None:
        """A header of soft doubles."""
        self.needs.include(name)

    def binary(self, e: Binary, lhs: Spelled, rhs: Spelled) -> Spelled | None:
        """bfloat16 arithmetic is float arithmetic, rounded."""
        if not isinstance(e.lhs.type, Scalar) or e.lhs.type.kind is not Kind.BF16:
            return None
        a, b = (f"AscendC::ToFloat({x.at(Prec.ASSIGN)})" for x in (lhs, rhs))
        text = f"{a} {e.op.value} {b}"
        if isinstance(e.type, Scalar) and e.type.kind is Kind.BOOL:
            return Spelled(f"({text})", Prec.POSTFIX, e.type)
        return Spelled(f"AscendC::ToBfloat16({text})", Prec.POSTFIX, e.type)

    def unary(self, e: Unary, operand: Spelled) -> Spelled | None:
        """As :meth:`binary`."""
        if not isinstance(e.type, Scalar) or e.type.kind is not Kind.BF16:
            return None
        text = f"AscendC::ToBfloat16(-AscendC::ToFloat({operand.at(Prec.ASSIGN)}))"
        return Spelled(text, Prec.POSTFIX, e.type)

    def constant(self, c: Const) -> Spelled | None:
        """Half literals are converted floats, which is exact for a literal of that type."""
        if c.type.kind is Kind.BF16:
            return Spelled(f"AscendC::ToBfloat16({float(c.value)!r}f)", Prec.POSTFIX, c.type)
        return super().constant(c)

    # --- statements

    def effect(self, s: Effect, args: tuple[Spelled, ...]) -> tuple[str, ...]:
        """Tile and memory accesses, ``printf`` and ``assert``, which the chip has (vendor page
        "assert", exception detection)."""
        if s.name.startswith(TILE_SET):
            name = s.name[len(TILE_SET) :]
            return (f"{name}.SetValue({self.lane}, {args[0].at(Prec.ASSIGN)});",)
        if s.name == STORE:
            self.needs.helper(ELEMENTS)
            return (f"elements::Store({args[0].text}, {args[1].at(Prec.ASSIGN)});",)
        if s.name == "printf":
            soft_double.check_printed(s)
            shown = ", ".join(a.at(Prec.ASSIGN) for a in args)
            return (f"AscendC::printf({shown});",)
        if s.name == "assert":
            return (f"assert({args[0].at(Prec.ASSIGN)});",)
        raise refuse(target.NO_INTRINSIC, f"no rule covers {s.name}", s.span)

    def atomic(self, s: Atomic, address: Spelled, operands: tuple[Spelled, ...]) -> str:
        """One core runs the kernel, so an atomic is a plain update that gives the old value."""
        known = {
            AtomicOp.ADD: "Add", AtomicOp.SUB: "Sub", AtomicOp.EXCH: "Exchange",
            AtomicOp.MIN: "Min", AtomicOp.MAX: "Max", AtomicOp.AND: "And", AtomicOp.OR: "Or",
            AtomicOp.XOR: "Xor", AtomicOp.INC: "Inc", AtomicOp.DEC: "Dec",
            AtomicOp.CAS: "CompareAndSwap",
        }  # fmt: skip
        base = root(s.place)
        local = isinstance(base, VarPlace) and base.name in self.resident
        self.needs.helper(ELEMENTS)
        self.needs.helper(_LOCAL_ATOMICS if local else _ATOMICS)
        args = ", ".join(x.at(Prec.ASSIGN) for x in (address, *operands))
        return f"{'resident' if local else 'sequential'}::{known[s.op]}({args})"

    def barrier(self, s: Barrier) -> tuple[str, ...]:
        """Not here: lifting has refused it."""
        raise refuse(lifting.HAS_BARRIER, f"a barrier of scope {s.scope}", s.span)

    def fence(self, s: Fence) -> tuple[str, ...]:
        """One core: nothing to order."""
        return ()

    def collective(self, s: Collective, args: tuple[Spelled, ...]) -> Spelled:
        """Not here: lifting has refused it."""
        raise refuse(lifting.HAS_WARP_OPERATION, s.op, s.span)

    def asm(self, s: Asm) -> tuple[str, ...]:
        """PTX means nothing here."""
        raise refuse(target.NO_INTRINSIC, "inline PTX", s.span)

    def unroll(self, count: int) -> str | None:
        """Left to the compiler."""
        return None


def _scratch_name(kind: str) -> str:
    names = {
        "mask": "uint8_t", "f32": "float", "f16": "half", "i32": "int32_t", "u32": "uint32_t",
        "i16": "int16_t", "u16": "uint16_t", "u8": "uint8_t", "i8": "int8_t",
        "workspace": "uint8_t",
    }  # fmt: skip
    return names[kind]


_UPDATES = (
    ("Add", "old + operand", "Element operand"),
    ("Sub", "old - operand", "Element operand"),
    ("Exchange", "operand", "Element operand"),
    ("Min", "operand < old ? operand : old", "Element operand"),
    ("Max", "old < operand ? operand : old", "Element operand"),
    ("And", "old & operand", "Element operand"),
    ("Or", "old | operand", "Element operand"),
    ("Xor", "old ^ operand", "Element operand"),
    ("Inc", "old >= operand ? 0 : old + 1", "Element operand"),
    ("Dec", "old == 0 || old > operand ? operand : old - 1", "Element operand"),
    ("CompareAndSwap", "old == expected ? value : old", "Element expected, Element value"),
)
"""Atomic updates: name, new value, operands."""


def _updates(pointer: str, load: str, store: str) -> str:
    return "\n".join(
        "template <typename Element>\n"
        f"__aicore__ inline Element {name}({pointer} at, {operands})\n"
        "{\n"
        f"    const Element old = {load};\n"
        f"    {store.format(f'(Element)({value})')};\n"
        "    return old;\n"
        "}\n"
        for name, value, operands in _UPDATES
    )


_ATOMICS = (
    "// Read, modify, write: one core runs the kernel, so nobody comes between. Each gives\n"
    "// the old value.\n"
    "namespace sequential {\n\n"
    + _updates("__gm__ Element*", "elements::Load(at)", "elements::Store(at, {})")
    + "\n} // namespace sequential\n"
)
_LOCAL_ATOMICS = (
    "// Read, modify, write in the unified buffer: the scalar unit takes one lane after the\n"
    "// other. Each gives the old value.\n"
    "namespace resident {\n\n"
    + _updates("__ubuf__ Element*", "*at", "*at = {}")
    + "\n} // namespace resident\n"
)

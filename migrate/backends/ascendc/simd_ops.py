"""Vector statements of the tile dialect as Ascend C calls.

Element types per instruction are those of the vendor's pages for Atlas A2: integers without sign
use the signed instruction on the same bits, bitwise operations work on 16-bit words.
"""

from __future__ import annotations

from collections.abc import Callable

from migrate.ir.expr import BinaryOp, Expr
from migrate.ir.tile import Choose, Compare, Map, MapOp, Operand, TileRef
from migrate.ir.types import BOOL, I32, U32, Kind, Scalar

TYPE_NAMES = {
    Kind.BOOL: "uint8_t", Kind.I8: "int8_t", Kind.U8: "uint8_t", Kind.I16: "int16_t",
    Kind.U16: "uint16_t", Kind.I32: "int32_t", Kind.U32: "uint32_t", Kind.I64: "int64_t",
    Kind.U64: "uint64_t", Kind.F16: "half", Kind.BF16: "bfloat16_t", Kind.F32: "float",
    Kind.F64: "double",
}  # fmt: skip
"""C++ types of tile elements; masks are bytes of eight lanes."""
_MODES = {
    BinaryOp.LT: "LT", BinaryOp.LE: "LE", BinaryOp.GT: "GT", BinaryOp.GE: "GE",
    BinaryOp.EQ: "EQ", BinaryOp.NE: "NE",
}  # fmt: skip
_TENSOR = {
    MapOp.ADD: "Add", MapOp.SUB: "Sub", MapOp.MUL: "Mul", MapOp.DIV: "Div",
    MapOp.MAX: "Max", MapOp.MIN: "Min",
}  # fmt: skip
_WITH_SCALAR = {MapOp.ADD: "Adds", MapOp.MUL: "Muls", MapOp.MAX: "Maxs", MapOp.MIN: "Mins"}
_LOGIC = {MapOp.AND: "And", MapOp.OR: "Or"}
_ROUNDING = {
    (Kind.F32, Kind.I32): "TRUNC", (Kind.F16, Kind.I32): "TRUNC", (Kind.I32, Kind.F32): "RINT",
    (Kind.F32, Kind.F16): "RINT", (Kind.F32, Kind.BF16): "RINT", (Kind.F16, Kind.I8): "RINT",
    (Kind.F16, Kind.U8): "RINT",
}  # fmt: skip
"""Rounding of conversions that can round; the others are exact."""


class VectorPrinter:
    """Prints single vector statements; ``declared`` gives the type a tile was declared with."""

    def __init__(
        self,
        declared: Callable[[str], Scalar],
        scalar: Callable[[Expr], str],
        tile_length: str,
    ) -> None:
        self._declared = declared
        self._scalar = scalar
        self._length = tile_length
        self.count = "count"

    def ref(self, t: TileRef, as_: str | None = None) -> str:
        """A tile, its bits read as another type where needed."""
        wanted = TYPE_NAMES[t.type.kind] if as_ is None else as_
        own = TYPE_NAMES[self._declared(t.name).kind]
        return t.name if wanted == own else f"{t.name}.ReinterpretCast<{wanted}>()"

    def map(self, s: Map) -> str:
        """One :class:`Map`."""
        kind, n = s.dst.type, self.count
        if s.op in (MapOp.AND, MapOp.OR, MapOp.NOT):
            return self._logic(s)
        match s.op:
            case MapOp.COPY:
                return self._copy(s)
            case MapOp.CONVERT:
                src = _tile(s.args[0])
                mode = _ROUNDING.get((src.type.kind, kind.kind), "NONE")
                return (
                    f"AscendC::Cast({self.ref(s.dst)}, {self.ref(src)}, "
                    f"AscendC::RoundMode::CAST_{mode}, {n});"
                )
            case MapOp.INDEX:
                start = self._scalar(_expr(s.args[0]))
                return f"AscendC::CreateVecIndex({self.ref(s.dst)}, (int32_t)({start}), {n});"
            case MapOp.FILL:
                value = self._value(_expr(s.args[0]), kind)
                return f"AscendC::Duplicate({self.ref(s.dst)}, {value}, {n});"
            case MapOp.SHL | MapOp.SHR:
                name = "ShiftLeft" if s.op is MapOp.SHL else "ShiftRight"
                amount = f"({TYPE_NAMES[kind.kind]}){self._scalar(_expr(s.args[1]))}"
                src = _tile(s.args[0])
                return f"AscendC::{name}({self.ref(s.dst)}, {self.ref(src)}, {amount}, {n});"
            case _:
                return self._arithmetic(s)

    def _arithmetic(self, s: Map) -> str:
        kind = I32 if s.dst.type == U32 else s.dst.type
        word = TYPE_NAMES[kind.kind]
        a, b = s.args
        dst, left = self.ref(s.dst, word), self.ref(_tile(a), word)
        if isinstance(b, TileRef):
            return f"AscendC::{_TENSOR[s.op]}({dst}, {left}, {self.ref(b, word)}, {self.count});"
        value = self._value(b, kind)
        return f"AscendC::{_WITH_SCALAR[s.op]}({dst}, {left}, {value}, {self.count});"

    def _value(self, e: Expr, kind: Scalar) -> str:
        """A uniform value with exactly the element's type, from which T is deduced."""
        text = self._scalar(e)
        exact = e.type == kind and kind.kind in (Kind.F32, Kind.I32)
        return text if exact else f"({TYPE_NAMES[kind.kind]})({text})"

    def _logic(self, s: Map) -> str:
        words = f"{self._length} / 16" if s.dst.type == BOOL else f"2 * {self.count}"
        if s.dst.type.bits == 16:
            words = self.count
        parts = [self.ref(s.dst, "uint16_t"), *(self.ref(_tile(a), "uint16_t") for a in s.args)]
        name = "Not" if s.op is MapOp.NOT else _LOGIC[s.op]
        return f"AscendC::{name}({', '.join(parts)}, {words});"

    def _copy(self, s: Map) -> str:
        src = _tile(s.args[0])
        if s.dst.type == BOOL:
            a, b = self.ref(s.dst, "uint16_t"), self.ref(src, "uint16_t")
            return f"AscendC::And({a}, {b}, {b}, {self._length} / 16);"
        word = TYPE_NAMES[s.dst.type.kind]
        return (
            f"AscendC::DataCopy({self.ref(s.dst)}, {self.ref(src)}, "
            f"tiles::Blocks<{word}>({self.count}));"
        )

    def compare(self, s: Compare) -> str:
        """One :class:`Compare`; the count must fill whole registers."""
        word = TYPE_NAMES[s.lhs.type.kind]
        n = f"tiles::Registers<{word}>({self.count})"
        mode = f"AscendC::CMPMODE::{_MODES[s.op]}"
        mask, lhs = s.mask.name, self.ref(s.lhs)
        if isinstance(s.rhs, TileRef):
            return f"AscendC::Compare({mask}, {lhs}, {self.ref(s.rhs)}, {mode}, {n});"
        value = self._value(s.rhs, s.lhs.type)
        return f"AscendC::CompareScalar({mask}, {lhs}, {value}, {mode}, {n});"

    def choose(self, s: Choose) -> str:
        """One :class:`Choose`."""
        word = "float" if s.dst.type.bits == 32 else "half"
        parts = ", ".join(
            (
                self.ref(s.dst, word),
                s.mask.name,
                self.ref(_tile(s.then), word),
                self.ref(_tile(s.other), word),
            )
        )
        return f"AscendC::Select({parts}, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, {self.count});"


def _tile(x: Operand) -> TileRef:
    if not isinstance(x, TileRef):
        raise TypeError("a tile is needed here")
    return x


def _expr(x: Operand) -> Expr:
    if isinstance(x, TileRef):
        raise TypeError("a uniform value is needed here")
    return x

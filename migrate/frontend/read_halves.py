"""Half and bfloat16: operators, conversions and functions, on scalars and on pairs.

A ``half2`` is a vector of two lanes; arithmetic on it is composed lane by lane, which is what the
hardware does (CUDA Math API, half2 arithmetic functions).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from migrate.core.codes import reading
from migrate.frontend import intrinsics
from migrate.frontend.convert import coerce, negate, zero
from migrate.frontend.cursor import Cursor
from migrate.frontend.read_groups import GroupReader
from migrate.frontend.refusal import Refused
from migrate.ir.expr import (
    Binary,
    BinaryOp,
    Bitcast,
    Call,
    Cast,
    Compose,
    Const,
    Expr,
    IndexVar,
    Read,
    Select,
    VarPlace,
)
from migrate.ir.simt import Atomic, AtomicOp, Collective
from migrate.ir.types import (
    BOOL,
    F16,
    F32,
    I32,
    U32,
    Scalar,
    Struct,
    Type,
    Vector,
)

_OPERATORS = {op.value: op for op in BinaryOp}
_FILES = ("cuda_fp16.h", "cuda_bf16.h")
_LANES = ("x", "y")
_COMPARISON = re.compile(r"__h(?P<both>b?)(?P<test>(?:eq|ne|lt|le|gt|ge)u?|isnan)2(?:_mask)?")
_LANEWISE = re.compile(
    r"__h(?P<stem>add|sub|mul|fma|neg|abs|max|min)2(?P<suffix>_sat|_rn|_relu|_nan)?"
)


class HalfReader(GroupReader):
    """Reads what ``cuda_fp16.h`` and ``cuda_bf16.h`` declare."""

    def is_half_call(self, name: str, callee: Cursor) -> bool:
        """See :meth:`LibraryReader.is_half_call`."""
        return callee.file.endswith(_FILES)

    # --- conversions

    def convert_half(self, e: Expr, kind: Type, at: Cursor) -> Expr:
        """A conversion operator of half or bfloat16."""
        if isinstance(kind, Struct):
            raise Refused(reading.UNREADABLE_TYPE, "raw storage of a half", at)
        if isinstance(kind, Scalar) and kind.is_integer:
            # the operators to integers saturate and give 0 for NaN; a plain cast does not
            return Call(f"__{_name(e.type)}2{_integer_name(kind)}_rz", (e,), kind)
        return self.convert(e, kind, at)

    def construct_known(
        self, c: Cursor, kind: Scalar | Vector, cursors: tuple[Cursor, ...]
    ) -> Expr:
        """Construction of half, bfloat16, their pairs, or ``dim3``."""
        if not cursors:
            blank = zero(kind)
            assert blank is not None
            return blank
        if len(cursors) == 1:
            single = self.value(cursors[0])
            if isinstance(single.type, Vector) and isinstance(kind, Vector):
                return self.convert(single, kind, c)
            if isinstance(kind, Scalar):
                if isinstance(single.type, Struct):
                    raise Refused(reading.UNREADABLE_TYPE, "raw storage of a half", c)
                return self.convert(single, kind, c)
            values = [single]
        else:
            values = self.values(cursors)
        if not isinstance(kind, Vector):
            raise Refused(reading.CONSTRUCTOR, f"construction of {c.type.spelling}", c)
        parts = [self.convert(v, kind.element, c) for v in values]
        if len(parts) < kind.lanes:
            raise Refused(reading.CONSTRUCTOR, f"construction of {c.type.spelling}", c)
        return Compose(tuple(parts), kind)

    # --- calls

    def half_call(self, name: str, c: Cursor, callee: Cursor, *, used: bool) -> Expr | None:
        """See :meth:`LibraryReader.half_call`."""
        if name.startswith("operator"):
            return self._operator(name.removeprefix("operator"), c, used=used)
        if name in intrinsics.COLLECTIVES:
            return self._half_shuffle(name, c, callee)
        args = [self._simple(v) for v in self.values(self.arguments(c, callee))]
        kind = self.types.read(callee.result_type, c)
        found = self._pair_call(name, args, kind, c)
        if found is not None:
            return found
        return self._scalar_half(name, args, kind, c)

    def _simple(self, e: Expr) -> Expr:
        """A value that may be repeated without cost: lanes read it twice."""
        if isinstance(e.type, Vector) and not isinstance(e, Compose):
            if not (isinstance(e, Read) and isinstance(e.place, VarPlace)):
                return self.temporary(e)
        if isinstance(e, Compose):
            parts = tuple(
                p if isinstance(p, Const | IndexVar | Read) else self.temporary(p) for p in e.parts
            )
            return Compose(parts, e.type)
        return e

    def _operator(self, operator: str, c: Cursor, *, used: bool) -> Expr | None:
        operands = c.arguments
        if operator == "=":
            value = self.value(operands[1])
            place = self.place(operands[0])
            self.store(place, self.convert(value, place.type, c), c)
            return Read(place) if used else None
        if operator in ("++", "--"):
            return self._half_step(operator, c, used=used)
        if len(operands) == 1:
            single = self._simple(self.value(operands[0]))
            return single if operator == "+" else self._lanes(negate, single.type, single)
        compound = (
            operator.endswith("=")
            and operator[:-1] in _OPERATORS
            and (operator not in ("==", "<=", ">=", "!="))
        )
        if compound:
            value = self._simple(self.value(operands[1]))
            mark = len(self.out)
            place = self.place(operands[0])
            pinned = [value]
            self.pin(pinned, mark)
            result = self._apply(operator[:-1], Read(place), pinned[0], c)
            self.store(place, result, c)
            return Read(place) if used else None
        a, b = (self._simple(v) for v in self.values(operands))
        return self._apply(operator, a, b, c)

    def _half_step(self, operator: str, c: Cursor, *, used: bool) -> Expr | None:
        place = self.place(c.arguments[0])
        if not isinstance(place.type, Scalar):
            raise Refused(reading.UNKNOWN_INTRINSIC, f"{operator} on {place.type}", c)
        postfix = len(c.arguments) > 1
        before: Expr = self.temporary(Read(place)) if used and postfix else Read(place)
        op = BinaryOp.ADD if operator == "++" else BinaryOp.SUB
        self.store(place, Binary(op, Read(place), Const(1.0, place.type)), c)
        return before if used else None

    def _apply(self, operator: str, a: Expr, b: Expr, c: Cursor) -> Expr:
        op = _OPERATORS[operator]
        if isinstance(a.type, Scalar):
            return Binary(op, a, self.convert(b, a.type, c))
        if op in (BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL, BinaryOp.DIV):
            return self._lanes2(lambda x, y: Binary(op, x, y), a, b)
        # a comparison of pairs is true when it holds for both lanes
        x, y = (Binary(op, self._lane(a, n), self._lane(b, n)) for n in _LANES)
        if op is BinaryOp.NE:
            return Binary(BinaryOp.LAND, x, y)
        return Binary(BinaryOp.LAND, x, y)

    def _lane(self, e: Expr, name: str) -> Expr:
        assert isinstance(e.type, Vector)
        return self.member_of(e, name, e.type.element)

    def _lanes(self, run: Callable[[Expr], Expr], kind: Type, e: Expr) -> Expr:
        if isinstance(e.type, Scalar):
            return run(e)
        assert isinstance(kind, Vector)
        return Compose(tuple(run(self._lane(e, n)) for n in _LANES), kind)

    def _lanes2(self, run: Callable[[Expr, Expr], Expr], a: Expr, b: Expr) -> Expr:
        assert isinstance(a.type, Vector)
        return Compose(tuple(run(self._lane(a, n), self._lane(b, n)) for n in _LANES), a.type)

    # --- named functions

    def _scalar_half(self, name: str, args: list[Expr], kind: Type, c: Cursor) -> Expr:
        if name in intrinsics.HALF_OPERATORS and len(args) == 2:
            return self._apply(intrinsics.HALF_OPERATORS[name], args[0], args[1], c)
        if name in intrinsics.CACHED_LOADS:
            return self.read(self.element_of(args[0], Const(0, I32)))
        if name in intrinsics.CONVERSIONS:
            return Cast(args[0], kind)
        if name in intrinsics.BITCASTS:
            return Bitcast(args[0], kind)
        if name == "__hneg":
            return negate(args[0])
        if name == "atomicAdd":
            place = self.element_of(args[0], Const(0, I32))
            result = self.fresh("add_old")
            self.emit(Atomic(AtomicOp.ADD, place, (args[1],), result, span=self.span_of(c)))
            return Read(VarPlace(result, place.type))
        if not all(isinstance(a.type, Scalar) for a in args) or not isinstance(kind, Scalar):
            raise Refused(reading.UNKNOWN_INTRINSIC, f"{name} has no counterpart in the IR", c)
        return Call(name, tuple(args), kind, span=self.span_of(c))

    def _half_shuffle(self, name: str, c: Cursor, callee: Cursor) -> Expr:
        kinds = [self.types.read(p.type, c) for p in callee.arguments]
        args = self.converted(c, callee, kinds)
        kind = self.types.read(callee.result_type, c)
        op = intrinsics.COLLECTIVES[name]
        result = self.fresh(op)
        self.emit(Collective(op, tuple(args), result, kind, span=self.span_of(c)))
        return Read(VarPlace(result, kind))

    def _pair_call(self, name: str, args: list[Expr], kind: Type, c: Cursor) -> Expr | None:
        """Functions that make, take apart or work on pairs; ``None`` for others."""
        made = self._make_pair(name, args, kind, c)
        if made is not None:
            return made
        if not args or not isinstance(args[0].type, Vector):
            return None
        first = args[0]
        match name:
            case "__low2half" | "__low2bfloat16":
                return self._lane(first, "x")
            case "__high2half" | "__high2bfloat16":
                return self._lane(first, "y")
            case "__low2float":
                return coerce(self._lane(first, "x"), F32)
            case "__high2float":
                return coerce(self._lane(first, "y"), F32)
        if isinstance(kind, Vector) and len(args) >= 2 and name in intrinsics.HALF_OPERATORS:
            return self._apply(intrinsics.HALF_OPERATORS[name], first, args[1], c)
        compared = self._compare_pairs(name, args, kind, c)
        if compared is not None:
            return compared
        if name == "__hcmadd" and isinstance(kind, Vector):
            return self._complex_product(args, kind)
        scalar = lane_function(name)
        if scalar is None or not isinstance(kind, Vector):
            return None
        lanes = [
            self._scalar_half(scalar, [self._lane(a, n) for a in args], kind.element, c)
            for n in _LANES
        ]
        return Compose(tuple(lanes), kind)

    def _compare_pairs(self, name: str, args: list[Expr], kind: Type, c: Cursor) -> Expr | None:
        """A comparison of both lanes: as numbers, as a mask, or true when it holds for both."""
        found = _COMPARISON.fullmatch(name)
        if found is None:
            return None
        scalar = f"__h{found['test']}"
        x, y = (
            self._scalar_half(scalar, [self._lane(a, n) for a in args], BOOL, c) for n in _LANES
        )
        if found["both"]:
            return Binary(BinaryOp.LAND, x, y)
        if isinstance(kind, Vector):
            one, none = Const(1.0, kind.element), Const(0.0, kind.element)
            return Compose((Select(x, one, none), Select(y, one, none)), kind)
        masks = ((x, 0xFFFF), (y, 0xFFFF0000))
        low, high = (Select(test, Const(bits, U32), Const(0, U32)) for test, bits in masks)
        return Binary(BinaryOp.OR, low, high)

    def _complex_product(self, args: list[Expr], kind: Vector) -> Expr:
        """``a * b + c`` of complex numbers, rounded after each of the four fused steps."""
        element = kind.element

        def fused(x: Expr, y: Expr, z: Expr) -> Expr:
            return Call("__hfma", (x, y, z), element)

        (ar, ai), (br, bi), (cr, ci) = [tuple(self._lane(v, n) for n in _LANES) for v in args]
        real = fused(negate(ai), bi, fused(ar, br, cr))
        imaginary = fused(ai, br, fused(ar, bi, ci))
        return Compose((real, imaginary), kind)

    def _make_pair(self, name: str, args: list[Expr], kind: Type, c: Cursor) -> Expr | None:
        if not isinstance(kind, Vector):
            return None
        element = kind.element
        match name:
            case (
                "__floats2half2_rn"
                | "__floats2bfloat162_rn"
                | "__halves2half2"
                | ("__halves2bfloat162")
                | "make_half2"
                | "make_bfloat162"
            ):
                return Compose(tuple(coerce(a, element) for a in args), kind)
            case (
                "__float2half2_rn"
                | "__half2half2"
                | "__float2bfloat162_rn"
                | ("__bfloat162bfloat162")
            ):
                one = coerce(args[0], element)
                return Compose((one, one), kind)
            case (
                "__half22float2"
                | "__float22half2_rn"
                | "__bfloat1622float2"
                | ("__float22bfloat162_rn")
            ):
                return Compose(tuple(coerce(self._lane(args[0], n), element) for n in _LANES), kind)
            case "__low2half2" | "__low2bfloat162":
                low = self._lane(args[0], "x")
                return Compose((low, low), kind)
            case "__high2half2" | "__high2bfloat162":
                high = self._lane(args[0], "y")
                return Compose((high, high), kind)
            case "__lowhigh2highlow":
                return Compose((self._lane(args[0], "y"), self._lane(args[0], "x")), kind)
            case "__lows2half2" | "__lows2bfloat162":
                return Compose((self._lane(args[0], "x"), self._lane(args[1], "x")), kind)
            case "__highs2half2" | "__highs2bfloat162":
                return Compose((self._lane(args[0], "y"), self._lane(args[1], "y")), kind)
        return None


def lane_function(name: str) -> str | None:
    """The function of one half that a function of pairs is in each lane; ``None`` for others."""
    if name.startswith("h2"):
        return f"h{name[2:]}"
    found = _LANEWISE.fullmatch(name)
    return None if found is None else f"__h{found['stem']}{found['suffix'] or ''}"


def _name(kind: Type) -> str:
    return "half" if kind == F16 else "bfloat16"


def _integer_name(kind: Scalar) -> str:
    sizes = {8: "char", 16: "short", 32: "int", 64: "ll"}
    return ("" if kind.is_signed else "u") + sizes[kind.bits]

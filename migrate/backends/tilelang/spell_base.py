"""What every part of the spelling of expressions needs: names, places, constants."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

from migrate.analysis.launch_axes import AXES, global_count, global_index
from migrate.backends.tilelang.dtypes import STORAGE, value_type
from migrate.backends.tilelang.expression_facts import (
    exact_in_seven_digits,
    float_literal,
    reads_nothing,
    scalar,
)
from migrate.backends.tilelang.names import PythonNames
from migrate.backends.tilelang.precedence import ATOM, OR, UNARY, Part
from migrate.backends.tilelang.unspellable import Unspellable
from migrate.core.codes import lifting as lifting_codes
from migrate.ir.expr import (
    ArrElem,
    Builtin,
    Cast,
    Const,
    Expr,
    IndexVar,
    Place,
    PtrElem,
    Read,
    VarPlace,
)
from migrate.ir.types import Kind, Scalar
from migrate.ir.walk import Rewriter, walk_expr
from migrate.rules.catalogue import Catalogue
from migrate.rules.model import Prelude

ROUND_BF16 = "round_to_bfloat16"
"""The helper that rounds a float32 to bfloat16."""


class SpellerBase(ABC):
    """The state of the spelling of one kernel, and what needs no operators."""

    def __init__(
        self,
        names: PythonNames,
        catalogue: Catalogue,
        values: dict[str, Expr],
        indices: dict[tuple[str, str], str],
        arguments: dict[str, Scalar],
        mutable: frozenset[str],
    ) -> None:
        """``values``: what a variable that is assigned once was given. ``indices``: the Python
        name for (``thread``, ``x``), (``global``, ``x``), (``count``, ``x``) and so on.
        ``arguments``: the scalar parameters. ``mutable``: variables that change."""
        self.names = names
        self._catalogue = catalogue
        self._values = values
        self._indices = indices
        self._arguments = arguments
        self._mutable = mutable
        self.constants: dict[tuple[float, str], str] = {}
        self.null_tests: dict[str, str] = {}
        self.preludes: dict[str, Prelude] = {}
        self.uses_bfloat16 = False

    # --- entry points

    def text(self, e: Expr, level: int = OR) -> str:
        """Python text that can stand where ``level`` binds."""
        text, precedence = self._part(e)
        return text if precedence >= level else f"({text})"

    def place(self, p: Place) -> str:
        """A place that is read or written."""
        match p:
            case VarPlace(name):
                return self.names.of(name)
            case PtrElem(Read(VarPlace(name)), index) | ArrElem(VarPlace(name), index):
                return f"{self.names.of(name)}[{self.bound(index)}]"
            case ArrElem(ArrElem(VarPlace(name), first), second):
                return f"{self.names.of(name)}[{self.bound(first)}, {self.bound(second)}]"
            case _:
                raise Unspellable(
                    lifting_codes.AMBIGUOUS_POINTER, "a place is no element of a buffer", p.span
                )

    def assigned(self, e: Expr) -> str:
        """A value that goes straight to memory or to a variable: nothing looks at its bounds."""
        if isinstance(e, Cast):
            target, source = scalar(e.type), scalar(e.operand.type)
            if source.is_integer and target.is_integer and target.bits < source.bits:
                return self._cast_text(self.typed(e.operand), value_type(target))
        return self.typed(e)

    def stored(self, e: Expr) -> str:
        """A value in the form that a buffer of its type holds."""
        kind = scalar(e.type)
        if kind.kind is Kind.BF16:
            self.uses_bfloat16 = True
            return f"bfloat16_bits({self.text(e)})"
        if STORAGE[kind.kind] == value_type(kind):
            return self.assigned(e)
        known = self.constant(e)
        if known is not None and kind.is_integer and int(known.value) > 1 << (kind.bits - 1):
            # TileLang folds the cast of a number, and refuses one that the signed type has not.
            return f"T.{STORAGE[kind.kind]}({int(known.value) - (1 << kind.bits)})"
        return self._cast_text(self.typed(e), STORAGE[kind.kind])

    def typed(self, e: Expr) -> str:
        """Text whose type is right even where nothing else says it (constants)."""
        if isinstance(e, Const):
            return self._const(e, plain=False)[0]
        return self.text(e)

    def bound(self, e: Expr) -> str:
        """A loop bound or an index: a plain number or an expression."""
        return str(int(e.value)) if isinstance(e, Const) else self.text(e)

    def from_floats(self, e: Expr) -> bool:
        """Whether an integer is made of floats, through variables assigned once."""
        parts = walk_expr(self._resolved(e))
        return any(isinstance(x.type, Scalar) and x.type.is_float for x in parts)

    def from_lane(self, e: Expr) -> bool:
        """Whether a number is made of the thread's index, through variables assigned once."""
        parts = walk_expr(self._resolved(e))
        return any(isinstance(x, IndexVar) and x.builtin is Builtin.THREAD for x in parts)

    def helper(self, prelude: Prelude) -> None:
        """Remember a helper function that the module has to define."""
        self.preludes.setdefault(prelude.name, prelude)

    @abstractmethod
    def _part(self, e: Expr) -> Part:
        """Python text of an expression, with its precedence."""

    # --- constants

    def constant(self, e: Expr) -> Const | None:
        """The constant that an expression is, through variables assigned once."""
        match e:
            case Const():
                return e
            case Read(VarPlace(name)) if name in self._values:
                return self.constant(self._values[name])
            case _:
                return None

    def _const(self, e: Const, plain: bool) -> Part:
        kind, value = e.type, e.value
        if kind.kind is Kind.BOOL:
            return (repr(bool(value)) if plain else f"T.bool({bool(value)})"), ATOM
        if kind.is_float:
            return self._float_const(float(value), kind, plain)
        whole = int(value)
        if kind.kind is Kind.I32 or (kind.kind is Kind.I64 and plain and abs(whole) < 1 << 31):
            if whole == -(1 << 31):
                return "T.min_value('int32')", ATOM
            if plain:
                return str(whole), ATOM if whole >= 0 else UNARY
        return f"T.{value_type(kind)}({whole})", ATOM

    def _float_const(self, value: float, kind: Scalar, plain: bool) -> Part:
        dtype = value_type(kind)
        if math.isinf(value):
            sign = "-" if value < 0 else ""
            return f"{sign}T.infinity('{dtype}')", UNARY if value < 0 else ATOM
        if math.isnan(value):
            return f"T.{dtype}(float('nan'))", ATOM
        if kind.kind not in (Kind.F16, Kind.BF16) and not exact_in_seven_digits(value, kind):
            return self._argument(value, dtype), ATOM
        text = float_literal(value, kind)
        if plain and kind.kind is Kind.F32:
            return text, UNARY if text.startswith("-") else ATOM
        return f"T.{dtype}({text})", ATOM

    def _argument(self, value: float, dtype: str) -> str:
        key = (value, dtype) if value or math.copysign(1, value) > 0 else (-0.0, f"-{dtype}")
        if key not in self.constants:
            wanted = "zero" if value == 0 else f"c{len(self.constants)}"
            self.constants[key] = self.names.fresh(wanted)
        return self.constants[key]

    # --- launch indices

    def _index_var(self, e: IndexVar) -> str:
        key = {
            Builtin.THREAD: "thread",
            Builtin.BLOCK: "block",
            Builtin.BLOCK_DIM: "block_dim",
            Builtin.GRID_DIM: "grid_dim",
        }[e.builtin]
        text = self._indices[(key, e.axis)]
        return f"T.int32({text})" if e.builtin is Builtin.BLOCK_DIM else text

    def _size(self, e: Expr) -> str | None:
        """The bare name of a block size: a Python number, which needs a typed neighbour."""
        if isinstance(e, IndexVar) and e.builtin is Builtin.BLOCK_DIM:
            return self._indices[("block_dim", e.axis)]
        return None

    def _global(self, e: Expr) -> str | None:
        """The name for a canonical global index or count, as int32."""
        for axis in AXES:
            if ("global", axis) in self._indices:
                if e == global_index(axis):
                    return self._indices[("global", axis)]
                if e == global_count(axis):
                    return self._indices[("count", axis)]
        return None

    # --- values

    @staticmethod
    def _bits_text(text: str, dtype: str) -> str:
        return f'T.reinterpret({text}, "{dtype}")'

    @staticmethod
    def _cast_text(text: str, dtype: str) -> str:
        return f'T.cast({text}, "{dtype}")'

    def _changes(self, e: Expr) -> bool:
        """Whether the text of an expression can mean another value later."""
        return any(
            isinstance(x, Read)
            and not (isinstance(x.place, VarPlace) and x.place.name not in self._mutable)
            for x in walk_expr(e)
        )

    def _resolved(self, e: Expr) -> Expr:
        """Variables assigned once replaced by what they were given, as TileLang does."""

        def rule(x: Expr) -> Expr | None:
            match x:
                case Read(VarPlace(name)) if name in self._values:
                    value = self._values[name]
                    return self._resolved(value) if reads_nothing(value) else None
                case _:
                    return None

        return Rewriter(expr=rule).expr(e)

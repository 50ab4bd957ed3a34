"""Calls of CUDA's own functions and of the C and C++ libraries."""

from __future__ import annotations

import math
from abc import abstractmethod

from migrate.core.codes import reading
from migrate.frontend import intrinsics
from migrate.frontend.convert import coerce
from migrate.frontend.cursor import Cursor, Form
from migrate.frontend.read_memory import COPIES, FILLS
from migrate.frontend.read_textures import TextureReader
from migrate.frontend.read_values import constant
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
    Read,
    Select,
    Text,
    VarPlace,
)
from migrate.ir.kernel import Function
from migrate.ir.simt import Atomic, Barrier, Collective, Effect, Fence
from migrate.ir.types import BF16, F16, F32, F64, I32, U64, VECTORS, Pointer, Scalar, Type


class LibraryReader(TextureReader):
    """Reads calls of functions that the stubs and the system headers declare."""

    @abstractmethod
    def half_call(self, name: str, c: Cursor, callee: Cursor, *, used: bool) -> Expr | None:
        """A function or operator of half and bfloat16; ``NotImplemented`` is never returned."""

    @abstractmethod
    def is_half_call(self, name: str, callee: Cursor) -> bool:
        """Whether the callee belongs to half or bfloat16."""

    @abstractmethod
    def invoke(self, c: Cursor, callee: Cursor, *, used: bool) -> Expr | None:
        """Call a function by its body."""

    @abstractmethod
    def finish_call(
        self, function: Function, args: tuple[Expr, ...], c: Cursor, *, used: bool
    ) -> Expr | None:
        """Emit a call."""

    @abstractmethod
    def group_call(self, name: str, c: Cursor, callee: Cursor, *, used: bool) -> Expr | None:
        """A call on a cooperative group."""

    def library_call(self, c: Cursor, callee: Cursor, *, used: bool) -> Expr | None:
        """Read a call of a library function."""
        name = callee.name
        if "cooperative_groups" in owners_of(callee):
            return self.group_call(name, c, callee, used=used)
        found = self._synchronising(name, c, callee, used=used)
        if found is not None:
            return found
        if name in intrinsics.FENCES or name in ("__syncthreads", "__syncwarp"):
            return None
        if name in ("__builtin_unreachable", "__builtin_assume", "__assume"):
            return None
        if name in ("move", "forward") and len(c.arguments) == 1:
            return self.value(c.arguments[0])
        if name in ("__builtin_trap", "abort"):
            self.emit(Effect("__trap", (), span=self.span_of(c)))
            return None
        if name in intrinsics.EFFECTS or name == "printf":
            self._effect_call(name, c, callee, used=used)
            return None
        if name in intrinsics.CACHED_STORES:
            target, value = self.values(self.arguments(c, callee))
            place = self.element_of(target, Const(0, I32))
            self.store(place, self.convert(value, place.type, c), c)
            return None
        if name in COPIES | FILLS and len(c.arguments) == 3:
            self.memory_call(name, c, used=used)
            return None
        if name in intrinsics.OUTPUT_POINTERS:
            return self._output_pointers(name, c, callee)
        if name == "swap" and len(c.arguments) == 2:
            self._swap(c)
            return None
        if self.is_texture_call(name, callee):
            return self.texture_call(name, c, callee)
        if self.is_half_call(name, callee):
            return self.half_call(name, c, callee, used=used)
        return self._pure_call(name, c, callee, used=used)

    # --- synchronisation, atomics, effects

    def _synchronising(self, name: str, c: Cursor, callee: Cursor, *, used: bool) -> Expr | None:
        span = self.span_of(c)
        if name == "__syncthreads":
            self.emit(Barrier(span=span))
        elif name == "__syncwarp":
            mask = self.values(self.arguments(c, callee))
            self.emit(Barrier("warp", coerce(mask[0], _U32) if mask else None, span=span))
        elif name in intrinsics.FENCES:
            self.emit(Fence(intrinsics.FENCES[name], span=span))
        elif name in intrinsics.COLLECTIVES:
            return self._collective(name, c, callee)
        elif name.startswith("__match_all"):
            raise Refused(reading.MATCH_ALL, f"{name} writes a predicate", c)
        else:
            stem, _, suffix = name.partition("_")
            if stem in intrinsics.ATOMICS and suffix in ("", "block", "system"):
                return self._atomic(stem, suffix or "device", c, callee, used=used)
        return None

    def _collective(self, name: str, c: Cursor, callee: Cursor) -> Expr:
        kinds = [self.types.read(p.type, c) for p in callee.arguments]
        args = self.converted(c, callee, kinds)
        if name in intrinsics.WITHOUT_MASK:
            args = [Const(0xFFFFFFFF, _U32), *args]
        kind = self.types.read(callee.result_type, c)
        op = intrinsics.COLLECTIVES[name]
        result = self.fresh(op)
        self.emit(Collective(op, tuple(args), result, kind, span=self.span_of(c)))
        return Read(VarPlace(result, kind))

    def _atomic(self, stem: str, scope: str, c: Cursor, callee: Cursor, *, used: bool) -> Expr:
        kinds = [self.types.read(p.type, c) for p in callee.arguments]
        args = self.converted(c, callee, kinds)
        place = self.element_of(args[0], Const(0, I32))
        if place.type != kinds[1]:
            raise Refused(reading.ATOMIC_FORM, f"{callee.name} on {place.type}", c)
        result = self.fresh(f"{stem[6:].lower()}_old") if used else None
        op = intrinsics.ATOMICS[stem]
        self.emit(Atomic(op, place, tuple(args[1:]), result, scope, span=self.span_of(c)))
        return Const(0, I32) if result is None else Read(VarPlace(result, place.type))

    def converted(self, c: Cursor, callee: Cursor, kinds: list[Type]) -> list[Expr]:
        """Argument values converted to the parameters' types."""
        values = self.values(self.arguments(c, callee))
        return [self.convert(v, k, c) for v, k in zip(values, kinds, strict=True)]

    def _effect_call(self, name: str, c: Cursor, callee: Cursor, *, used: bool) -> None:
        if used and name == "printf":
            raise Refused(reading.UNREADABLE_EXPRESSION, "result of printf is used", c)
        args: list[Expr] = []
        for argument in c.arguments:
            mark = len(self.out)
            inner = argument
            while inner.form in (Form.PAREN, Form.UNEXPOSED) and len(inner.expressions) == 1:
                inner = inner.expressions[0]
            is_text = inner.form is Form.STRING
            value = Text(string_value(inner)) if is_text else self.value(argument)
            self.pin(args, mark)
            args.append(value)
        self.emit(Effect(name, tuple(args), span=self.span_of(c)))

    def _output_pointers(self, name: str, c: Cursor, callee: Cursor) -> Expr | None:
        if name in ("sincosf", "sincos", "__sincosf", "sincospif", "sincospi"):
            x, sine, cosine = self.values(self.arguments(c, callee))
            kind = self.types.scalar(callee.arguments[0].type, c)
            held = self.temporary(self.convert(x, kind, c), "angle")
            suffix = "f" if kind == F32 else ""
            head = "__" if name.startswith("__") else ""
            turns = "pi" if "pi" in name else ""
            for pointer, stem in ((sine, "sin"), (cosine, "cos")):
                place = self.element_of(pointer, Const(0, I32))
                self.store(place, Call(f"{head}{stem}{turns}{suffix}", (held,), kind), c)
            return None
        if name in ("modf", "modff"):
            return self._split_whole(c, callee)
        if name in ("frexp", "frexpf"):
            return self._split_exponent(c, callee)
        raise Refused(reading.UNKNOWN_INTRINSIC, f"{name} returns through a pointer", c)

    def _split_whole(self, c: Cursor, callee: Cursor) -> Expr:
        """``modf``: the whole part through the pointer, the rest with the operand's sign."""
        value, pointer = self.values(self.arguments(c, callee))
        kind = self.types.scalar(callee.result_type, c)
        f = "f" if kind == F32 else ""
        x = self.temporary(self.convert(value, kind, c), "x")
        whole = self.temporary(Call(f"trunc{f}", (x,), kind), "whole")
        self.store(self.element_of(pointer, Const(0, I32)), whole, c)
        rest: Expr = Binary(BinaryOp.SUB, x, whole)
        infinite = Binary(BinaryOp.EQ, Call(f"fabs{f}", (x,), kind), Const(math.inf, kind))
        rest = Select(infinite, Const(0.0, kind), rest)  # of an infinity nothing is left over
        return self.temporary(Call(f"copysign{f}", (rest, x), kind), "rest")

    def _split_exponent(self, c: Cursor, callee: Cursor) -> Expr:
        """``frexp``: a fraction from a half to one, the exponent through the pointer.

        Zero, infinities and NaN are returned with the exponent 0.
        """
        value, pointer = self.values(self.arguments(c, callee))
        kind = self.types.scalar(callee.result_type, c)
        f = "f" if kind == F32 else ""
        x = self.temporary(self.convert(value, kind, c), "x")
        size = Call(f"fabs{f}", (x,), kind)
        finite = Binary(BinaryOp.LT, size, Const(math.inf, kind))
        usual = Binary(BinaryOp.LAND, finite, Binary(BinaryOp.NE, x, Const(0.0, kind)))
        next_ = Binary(BinaryOp.ADD, Call(f"ilogb{f}", (x,), I32), Const(1, I32))
        exponent = self.temporary(Select(usual, next_, Const(0, I32)), "exponent")
        self.store(self.element_of(pointer, Const(0, I32)), exponent, c)
        back = Binary(BinaryOp.SUB, Const(0, I32), exponent)
        return self.temporary(Call(f"scalbn{f}", (x, back), kind), "fraction")

    def _swap(self, c: Cursor) -> None:
        one, two = (self.place(x) for x in c.arguments)
        held = self.temporary(self.read(one), "swapped")
        self.store(one, self.read(two), c)
        self.store(two, held, c)

    # --- pure functions

    def _pure_call(self, name: str, c: Cursor, callee: Cursor, *, used: bool) -> Expr | None:
        if name.startswith("make_") and name[5:] in VECTORS and not self._has_body(callee):
            kind = VECTORS[name[5:]]
            parts = self.converted(c, callee, [kind.element] * kind.lanes)
            return Compose(tuple(parts), kind)
        evaluated = self._evaluated(c)
        if evaluated is not None:
            return evaluated
        if name in intrinsics.CACHED_LOADS:
            (pointer,) = self.values(self.arguments(c, callee))
            return self.read(self.element_of(pointer, Const(0, I32)))
        if name in ("min", "max"):
            return self._minmax(name, c, callee)
        if name == "clamp" and len(c.arguments) == 3 and "std" in owners_of(callee):
            return self._clamp(c, callee)
        return self._scalar_call(name, c, callee, used=used)

    def _evaluated(self, c: Cursor) -> Expr | None:
        """A call that is a constant expression, such as ``numeric_limits<T>::max()``."""
        if c.arguments and not c.name.startswith(intrinsics.BUILTIN_MATH_PREFIX):
            return None
        try:
            kind = self.types.read(c.type, c)
        except Refused:
            return None
        if not isinstance(kind, Scalar):
            return None
        value = c.evaluate()
        return None if value is None else constant(value, kind)

    def _minmax(self, name: str, c: Cursor, callee: Cursor) -> Expr:
        if len(c.arguments) != 2:
            raise Refused(reading.STANDARD_LIBRARY, f"{name} with {len(c.arguments)} arguments", c)
        kind = self.types.read(callee.result_type, c)
        if isinstance(kind, Pointer) and callee.result_type.is_reference:
            kind = kind.pointee
        if not isinstance(kind, Scalar):
            raise Refused(reading.STANDARD_LIBRARY, f"{name} of {kind}", c)
        a, b = (self.convert(v, kind, c) for v in self.values(c.arguments))
        if callee.template is not None and kind.is_float:
            # std::min and std::max compare with <, so a NaN on the left stays
            held_a, held_b = self._held(a), self._held(b)
            if name == "min":
                return Select(Binary(BinaryOp.LT, held_b, held_a), held_b, held_a)
            return Select(Binary(BinaryOp.LT, held_a, held_b), held_b, held_a)
        if kind.is_float:
            return (
                Call("fminf" if name == "min" else "fmaxf", (a, b), kind)
                if (kind == F32)
                else Call("fmin" if name == "min" else "fmax", (a, b), kind)
            )
        return Call(name, (a, b), kind)

    def _clamp(self, c: Cursor, callee: Cursor) -> Expr:
        """``std::clamp``: compares with <, so that a NaN stays."""
        kind = self.types.read(c.type, c)
        if not isinstance(kind, Scalar):
            raise Refused(reading.STANDARD_LIBRARY, f"clamp of {kind}", c)
        v, low, high = (self._held(self.convert(x, kind, c)) for x in self.values(c.arguments))
        below = Select(Binary(BinaryOp.LT, high, v), high, v)
        return Select(Binary(BinaryOp.LT, v, low), low, below)

    def _held(self, e: Expr) -> Expr:
        if isinstance(e, Const) or (isinstance(e, Read) and isinstance(e.place, VarPlace)):
            return e
        return self.temporary(e)

    def _scalar_call(self, name: str, c: Cursor, callee: Cursor, *, used: bool) -> Expr | None:
        if name == "__builtin_expect":
            return self.value(c.arguments[0])
        known = self._known_function(name, c, callee)
        if known is not None:
            return known
        owners = owners_of(callee)
        if self._has_body(callee):
            try:
                return self.invoke(c, callee, used=used)
            except Refused as refusal:
                if not owners:
                    raise
                full = "::".join((*reversed(owners), name))
                cause = f"{full}: {refusal.cause}"
                raise Refused(reading.STANDARD_LIBRARY, cause, c) from None
        code = _CODES.get(name, reading.UNKNOWN_INTRINSIC)
        code = reading.STANDARD_LIBRARY if owners else code
        full = "::".join((*reversed(owners), name))
        raise Refused(code, f"{full} has no counterpart in the IR", c)

    @staticmethod
    def _has_body(callee: Cursor) -> bool:
        definition = callee.definition
        return definition is not None and any(x.form is Form.COMPOUND for x in definition.children)

    def _known_function(self, name: str, c: Cursor, callee: Cursor) -> Expr | None:
        name = name.removeprefix(intrinsics.BUILTIN_MATH_PREFIX)
        if callee.form is not Form.FUNCTION or not _is_known(name):
            return None
        if name.startswith("__") and owners_of(callee):
            return None  # an inner function of the standard library, not an intrinsic
        params = [p.type for p in callee.arguments]
        kinds: list[Type] = []
        for p in params:
            kind = self.types.read(p, c)
            if p.is_reference and isinstance(kind, Pointer):
                kind = kind.pointee
            kinds.append(kind)
        if name in intrinsics.ADDRESSES:
            return Call(name, tuple(self.converted(c, callee, kinds)), U64, span=self.span_of(c))
        if not all(isinstance(k, Scalar) for k in kinds):
            if name == "__dp4a":
                raise Refused(reading.UNKNOWN_INTRINSIC, "__dp4a on vectors", c)
            return None
        result = self.types.read(callee.result_type, c)
        if intrinsics.math_name(name, False) is not None:
            kinds = _math_operands(name, kinds, result)
        args = tuple(self.converted(c, callee, kinds))
        return self._named_call(name, args, result, c)

    def _named_call(self, name: str, args: tuple[Expr, ...], result: Type, c: Cursor) -> Expr:
        span = self.span_of(c)
        name = name.replace("__fmaf_ieee_", "__fmaf_")  # denormals are kept in either
        if name in intrinsics.BITCASTS:
            return Bitcast(args[0], result, span=span)
        if name in intrinsics.CONVERSIONS:
            return Cast(args[0], result, span=span)
        if name in ("abs", "fabs", "fabsf") and isinstance(result, Scalar) and result.is_float:
            return Call("fabsf" if result == F32 else "fabs", args, result, span=span)
        if name in intrinsics.INTEGER_MATH:
            width = isinstance(result, Scalar) and result.bits == 64
            return Call("llabs" if width else "abs", args, result, span=span)
        if name in intrinsics.CLASSIFIERS:
            if args[0].type in (F16, BF16):
                args = (Cast(args[0], F32),)
            return Call(name, args, result, span=span)
        if name in intrinsics.MINMAX:
            return Call(name[-3:], args, result, span=span)
        operand = args[0].type if args else F64
        plain = intrinsics.math_name(name, operand == F32)
        return Call(plain or name, args, result, span=span)


_CODES = {
    **dict.fromkeys(
        ("malloc", "free", "__builtin_alloca", "__builtin_alloca_with_align"),
        reading.DEVICE_ALLOCATION,
    ),
    **dict.fromkeys(
        ("__builtin_va_start", "__builtin_va_end", "__builtin_va_copy"), reading.VARIADIC_FUNCTION
    ),
}
"""Functions whose refusal has a code of its own."""
_U32 = VECTORS["uint1"].element


def _is_known(name: str) -> bool:
    """A function that keeps its name: mathematics, or an intrinsic of CUDA's own spelling."""
    if intrinsics.math_name(name, False) is not None:
        return True
    if name in intrinsics.INTEGER_MATH | intrinsics.CLASSIFIERS | intrinsics.MINMAX:
        return True
    return (name.startswith("__") and not name.startswith("__builtin")) or name in (
        "clock", "clock64", "mul24", "umul24", "mulhi",
    )  # fmt: skip


def _math_operands(name: str, kinds: list[Type], result: Type) -> list[Type]:
    """Operand types of a mathematical function.

    The C++ library's mixed overloads (``pow(float, int)``, ``sqrt(int)``) compute in ``double``:
    every operand takes the type of the result. Exponents of ``ldexp`` and its kin stay integers.
    """
    if isinstance(result, Scalar) and result.is_float:
        keep = 1 if name.rstrip("f") in ("ldexp", "scalbn", "scalbln") else len(kinds)
        return [result if i < keep else k for i, k in enumerate(kinds)]
    return [F64 if isinstance(k, Scalar) and not k.is_float else k for k in kinds]


def owners_of(callee: Cursor) -> tuple[str, ...]:
    """Names of the namespaces and classes around a function, innermost first."""
    names: list[str] = []
    owner = callee.parent
    while owner is not None and owner.form in (
        Form.NAMESPACE,
        Form.RECORD,
        Form.CLASS_TEMPLATE,
    ):
        names.append(owner.name)
        owner = owner.parent
    return tuple(names)


def string_value(c: Cursor) -> str:
    """A string literal's text, escapes resolved."""
    spelled = c.name
    body = spelled[spelled.find('"') + 1 : spelled.rfind('"')]
    try:
        return body.encode("latin-1", "backslashreplace").decode("unicode_escape")
    except UnicodeDecodeError:
        return body

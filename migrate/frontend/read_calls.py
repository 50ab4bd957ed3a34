"""Calls: intrinsics, device functions, methods, constructors."""

from __future__ import annotations

from abc import abstractmethod

from migrate.core.codes import reading
from migrate.frontend.cursor import CType, Cursor, Form, TypeForm
from migrate.frontend.read_halves import HalfReader
from migrate.frontend.read_library import owners_of
from migrate.frontend.reader import Bound
from migrate.frontend.refusal import NotAPlace, Refused
from migrate.frontend.types import identifier, is_implicit
from migrate.ir.expr import (
    Const,
    Expr,
    Invoke,
    Place,
    Read,
    VarPlace,
)
from migrate.ir.kernel import Function
from migrate.ir.simt import CallStmt
from migrate.ir.types import I32, Pointer, Type, Void

_CALLED = (Form.METHOD, Form.FUNCTION, Form.CONVERSION)


class CallReader(HalfReader):
    """Reads calls of user code; library calls are in the layers below."""

    # --- entry points

    def call_value(self, c: Cursor) -> Expr:
        """See :meth:`ValueReader.call_value`."""
        callee = self.callee(c)
        if callee.form in _CALLED and callee.result_type.is_reference:
            if not self._is_library(callee) and not self._is_record_copy(c, callee):
                return self.read(self.call_place(c))
        result = self.call(c, used=True)
        if result is None:
            return Const(0, I32)  # the value of a void call, which nothing can use
        return result

    def call_effect(self, c: Cursor) -> None:
        """See :meth:`OperatorReader.call_effect`."""
        self.call(c, used=False)

    def call_place(self, c: Cursor) -> Place:
        """See :meth:`PlaceReader.call_place`."""
        callee = self.callee(c)
        if callee.name in ("move", "forward") and self._is_library(callee):
            if len(c.arguments) == 1:
                return self.place(c.arguments[0])
        if callee.form in _CALLED and callee.result_type.is_reference:
            if self._is_record_copy(c, callee) or self._is_library(callee):
                self.call(c, used=False)
                return self.settled_place(self.arguments(c, callee)[0])
            pointer = self.invoke(c, callee, used=True)
            assert pointer is not None
            return self.element_of(pointer, Const(0, I32))
        raise NotAPlace()

    def callee(self, c: Cursor) -> Cursor:
        """The function that a call means; refuses calls through pointers."""
        target = c.referenced or named_function(c)
        if (target is None or target.form in (Form.VAR, Form.PARAM)) and c.children:
            target = self.static_function(c.children[0]) or target
        if target is None:
            if "dependent" in c.type.spelling:
                raise Refused(reading.DEPENDENT_CODE, "call of an unresolved name", c)
            raise Refused(reading.FUNCTION_POINTER, f"call of {c.name or 'an expression'}", c)
        if target.form in (Form.VAR, Form.PARAM, Form.FIELD):
            raise Refused(reading.FUNCTION_POINTER, f"call through {target.name}", c)
        return target

    @staticmethod
    def _is_library(callee: Cursor) -> bool:
        if callee.in_plain_library and "cooperative_groups" not in owners_of(callee):
            return False
        return callee.in_system_header

    def call(self, c: Cursor, *, used: bool) -> Expr | None:
        """Read a call; ``None`` when it returns nothing."""
        callee = self.callee(c)
        if launch_configuration(c) is not None:
            raise Refused(reading.DYNAMIC_PARALLELISM, f"launch of {callee.name}", c)
        match callee.form:
            case Form.CONSTRUCTOR:
                return self.construct(c, callee)
            case Form.CONVERSION:
                return self._conversion(c, callee)
            case Form.METHOD:
                if self._is_record_copy(c, callee):
                    return self._copy_record(c, callee, used=used)
            case Form.FUNCTION:
                pass
            case _:
                raise Refused(reading.UNREADABLE_EXPRESSION, f"call of {callee.raw_kind}", c)
        if self._is_library(callee):
            return self.library_call(c, callee, used=used)
        return self.invoke(c, callee, used=used)

    # --- arguments

    def arguments(self, c: Cursor, callee: Cursor) -> tuple[Cursor, ...]:
        """Argument cursors with default arguments filled in from the declaration.

        The object of an overloaded operator is the first argument.
        """
        given = c.arguments
        params = callee.arguments
        shift = len(given) - len(params)
        filled: list[Cursor] = []
        for i, argument in enumerate(given):
            if argument.extent.file and (argument.children or argument.extent.end):
                filled.append(argument)
            else:
                filled.append(self._default(callee, params, i - shift, argument, c))
        return tuple(filled)

    def _default(
        self, callee: Cursor, params: tuple[Cursor, ...], at: int, given: Cursor, c: Cursor
    ) -> Cursor:
        for declared in (callee, callee.template):
            if declared is None:
                continue
            own = declared.arguments if declared is callee else params_of(declared)
            if 0 <= at < len(own):
                inner = [x for x in own[at].expressions if x.form is not Form.REFERENCE]
                if inner:
                    return inner[-1]
        if given.form is Form.UNEXPOSED and not given.children:
            raise Refused(reading.UNREADABLE_EXPRESSION, f"default argument of {callee.name}", c)
        return given

    def argument(self, c: Cursor, kind: Type, *, reference: bool, const: bool, at: Cursor) -> Expr:
        """One argument as the parameter's type; references are passed as addresses."""
        if not reference:
            return self.convert(self.value_or_list(c, kind), kind, at)
        assert isinstance(kind, Pointer)
        place = self.try_place(c)
        if place is None:
            held = self.temporary(
                self.convert(self.value_or_list(c, kind.pointee), kind.pointee, at)
            )
            place = held.place
        if place.type != kind.pointee:
            if not const:
                raise Refused(
                    reading.UNREADABLE_EXPRESSION,
                    f"reference to {place.type} as {kind.pointee}",
                    at,
                )
            held = self.temporary(self.convert(self.read(place), kind.pointee, at))
            place = held.place
        return self.address(place)

    def value_or_list(self, c: Cursor, kind: Type) -> Expr:
        """A value, or an initialiser list of the wanted type."""
        if c.form is Form.INIT_LIST:
            return self.list_value(c, kind)
        return self.value(c)

    # --- user functions

    def invoke(self, c: Cursor, callee: Cursor, *, used: bool) -> Expr | None:
        """Call a device function of the user's."""
        definition = callee.definition or callee
        given = self.arguments(c, callee)
        declared = callee.arguments
        bound = self._functions_given(given, declared)
        function = self.unit.device_function(definition, c, bound)
        args: list[Expr] = []
        kinds = [p.type for p in function.params]
        if callee.form in (Form.METHOD, Form.CONVERSION) and not callee.is_static_method:
            target = self.call_object(c)
            if len(given) > len(declared):  # an overloaded operator written as one
                target, given = given[0], given[1:]
            args.append(self.convert(self._object_address(target, c), kinds[0], c))
            kinds = kinds[1:]
        elif callee.form is Form.METHOD and len(given) > len(declared):
            given = given[1:]
        taken = frozenset(i for i, _ in bound)
        if taken:
            given = tuple(g for i, g in enumerate(given) if i not in taken)
            declared = tuple(d for i, d in enumerate(declared) if i not in taken)
        if len(given) != len(kinds):
            raise Refused(reading.VARIADIC_FUNCTION, f"arguments of {callee.name}", c)
        for argument, parameter, kind in zip(given, declared, kinds, strict=True):
            mark = len(self.out)
            reference = parameter.type.is_reference
            const = reference and parameter.type.pointee.is_const
            rvalue = parameter.type.form is TypeForm.RVALUE_REF
            value = self.argument(argument, kind, reference=reference, const=const or rvalue, at=c)
            self.pin(args, mark)
            args.append(value)
        return self.finish_call(function, tuple(args), c, used=used)

    def _functions_given(self, given: tuple[Cursor, ...], declared: tuple[Cursor, ...]) -> Bound:
        """Arguments that are functions: the callee is read once for each of them."""
        shift = len(given) - len(declared)
        found: list[tuple[int, Cursor]] = []
        for i, parameter in enumerate(declared):
            if takes_function(parameter.type):
                target = self.static_function(given[i + shift])
                if target is None:
                    cause = f"argument {parameter.name} is no function that is known"
                    raise Refused(reading.FUNCTION_POINTER, cause, given[i + shift])
                found.append((i, target))
        return tuple(found)

    def call_object(self, c: Cursor) -> Cursor | None:
        """See :meth:`GroupReader.call_object`."""
        for child in c.children:
            node = child
            while node.form in (Form.PAREN, Form.UNEXPOSED) and len(node.expressions) == 1:
                node = node.expressions[0]
            if node.form is Form.MEMBER:
                inner = node.expressions
                return inner[0] if inner else None
            break
        return None

    def _object_address(self, target: Cursor | None, c: Cursor) -> Expr:
        if target is None:
            if self.this is None:
                raise Refused(reading.UNREADABLE_EXPRESSION, "method without an object", c)
            return self.this
        if target.type.form is TypeForm.POINTER:
            return self.value(target)
        place = self.try_place(target)
        if place is None:
            place = self.temporary(self.value(target), "object").place
        return self.address(place)

    def finish_call(
        self, function: Function, args: tuple[Expr, ...], c: Cursor, *, used: bool
    ) -> Expr | None:
        """Emit the call, or return it as an expression when it is pure."""
        span = self.span_of(c)
        nothing = isinstance(function.result, Void)
        if function.pure:
            if nothing or not used:
                return None
            return Invoke(function.symbol, args, function.result, span=span)
        if nothing or not used:
            self.emit(CallStmt(function.symbol, args, None, function.result, span=span))
            return None
        stem = "" if function.name.startswith("operator") else identifier(function.name).lower()
        name = self.fresh(f"{stem}_result".lstrip("_"))
        self.emit(CallStmt(function.symbol, args, name, function.result, span=span))
        return Read(VarPlace(name, function.result))

    # --- records

    @staticmethod
    def _is_record_copy(c: Cursor, callee: Cursor) -> bool:
        if callee.name != "operator=":
            return False
        return callee.is_default_method or len(callee.children) == 0 or is_implicit(callee)

    def _copy_record(self, c: Cursor, callee: Cursor, *, used: bool) -> Expr | None:
        target, source = c.arguments
        kind = self.types.read(target.type, c)
        value = self.convert(self.value_or_list(source, kind), kind, c)
        mark = len(self.out)
        place = self.place(target)
        pinned = [value]
        self.pin(pinned, mark)
        self.store(place, pinned[0], c)
        return Read(place) if used else None

    def _conversion(self, c: Cursor, callee: Cursor) -> Expr | None:
        target = self.call_object(c)
        if self._is_library(callee):
            assert target is not None
            value = self.value(target)
            return self.convert_half(value, self.types.read(callee.result_type, c), c)
        return self.invoke(c, callee, used=True)

    @abstractmethod
    def construct(self, c: Cursor, callee: Cursor) -> Expr:
        """A constructor call as a value."""


def takes_function(kind: CType) -> bool:
    """A pointer or reference to a function."""
    while kind.form is TypeForm.POINTER or kind.is_reference:
        kind = kind.pointee
    return kind.form is TypeForm.FUNCTION


def launch_configuration(c: Cursor) -> Cursor | None:
    """The grid, block, shared bytes and stream of a ``<<<...>>>`` call, as a call of its own."""
    for child in c.children[:3]:
        if child.form is Form.CALL and child.name == "__cudaPushCallConfiguration":
            return child
    return None


def named_function(c: Cursor) -> Cursor | None:
    """The function that a call names through a template argument."""
    node = c.children[0] if c.children else None
    while node is not None:
        target = node.referenced if node.form is Form.REF else None
        if target is not None and target.form is Form.FUNCTION:
            return target
        inner = node.expressions
        node = inner[0] if len(inner) == 1 else None
    return None


def params_of(template: Cursor) -> tuple[Cursor, ...]:
    """The parameters of a function template, which has no argument list of its own."""
    return tuple(x for x in template.children if x.form is Form.PARAM)

"""What a lambda captures, and where its closure object keeps it.

A closure type has one unnamed member for each capture: the explicit ones in the order of the list,
then the implicit ones in the order of their first use (the order is that of clang's record; C++
leaves it open). libclang shows the members with their types, and below the lambda expression the
captured variables in the same order; ``this`` is a member without a variable.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations, islice

from migrate.core.codes import reading
from migrate.frontend.cursor import Cursor, Form, TypeForm
from migrate.frontend.refusal import Refused

_CLOSURE = re.compile(r"\(lambda at (?:[^()]*/)?([^()/]*):(\d+):(\d+)\)")

_MOST_WAYS = 64
_CODE = frozenset(
    {Form.FUNCTION, Form.METHOD, Form.CONSTRUCTOR, Form.CONVERSION, Form.FUNCTION_TEMPLATE}
)


@dataclass(frozen=True, slots=True)
class Capture:
    """One member of a closure: its name in the IR, and the variable that it holds or refers to.

    ``variable`` is ``None`` for ``this``. ``given`` is the initialiser of an init-capture.
    """

    field: str
    variable: Cursor | None
    by_reference: bool
    given: Cursor | None = None


def is_local(declared: Cursor) -> bool:
    """Whether a declaration stands inside of a function, directly or in a local class."""
    owner = declared.parent
    while owner is not None and owner.form in (Form.RECORD, Form.UNION, Form.CLASS_TEMPLATE):
        owner = owner.parent
    return owner is not None and owner.form in _CODE


def is_closure(record: Cursor | None) -> bool:
    """Whether a record is the class of a lambda expression."""
    return record is not None and "(lambda at " in record.type.spelling


def without_paths(text: str) -> str:
    """A spelling whose closure types do not tell the folder in which they were read."""
    return _CLOSURE.sub(r"(lambda at \1:\2:\3)", text)


def closure_label(text: str) -> str:
    """A spelling with closure types as names: ``lambda_12`` for one on line 12."""
    return _CLOSURE.sub(r"lambda_\2", text)


def captures(record: Cursor) -> tuple[Capture, ...]:
    """The captures of a closure type, one a member. Raises ``Refused`` with CM1102."""
    fields = record.type.fields
    if not fields:
        return ()
    expression = _expression(record)
    variables = _variables(expression)
    missing = len(fields) - len(variables)
    ways: list[tuple[Cursor | None, ...]] = []
    for more in _by_reference(expression, variables, missing):
        ways.append((*variables, *more))
    for more in _by_reference(expression, variables, missing - 1):
        rest = (*variables, *more)
        ways += [(*rest[:i], None, *rest[i:]) for i in range(len(fields))]
    fitting = [w for w in ways if all(_fits(f, v) for f, v in zip(fields, w, strict=True))]
    if len(fitting) != 1:
        raise Refused(reading.LAMBDA, "captures cannot be told apart", expression)
    found: list[Capture] = []
    for field, variable in zip(fields, fitting[0], strict=True):
        if variable is None:
            found.append(Capture("this_object", None, by_reference=False))
            continue
        inside = expression.start <= variable.start < expression.extent.end
        given = variable.expressions[-1] if inside and variable.expressions else None
        found.append(Capture(variable.name, variable, field.type.is_reference, given))
    return tuple(found)


def _expression(record: Cursor) -> Cursor:
    """The lambda expression of a closure type, looked for in the function around it."""
    around = record.parent
    if around is not None:
        for node in around.walk():
            if node.form is Form.LAMBDA and node.type.declaration == record:
                return node
    raise Refused(reading.LAMBDA, "lambda outside of a function", record)


def _variables(expression: Cursor) -> tuple[Cursor, ...]:
    """The captured variables that libclang lists."""
    found: list[Cursor] = []
    for child in expression.children:
        if child.form in (Form.PARAM, Form.COMPOUND):
            break
        named = child.raw_kind == "variable_ref" or child.form is Form.REF
        target = child.referenced if named else None
        if target is None or target.form not in (Form.VAR, Form.PARAM) or target in found:
            continue
        if child.form is Form.REF and _is_initialiser(child, expression):
            continue
        found.append(target)
    return tuple(found)


def _is_initialiser(node: Cursor, expression: Cursor) -> bool:
    """A name inside of the initialiser of an init-capture is no capture of its own.

    Implicit captures stand at the ``=`` or ``&`` that causes them, explicit ones at their name in
    the list, where ``variable_ref`` shows them as well.
    """
    for other in expression.children:
        if other.raw_kind == "variable_ref":
            target = other.referenced
            if target is not None and expression.start <= target.start < expression.extent.end:
                if any(node.start == x.start for part in target.expressions for x in part.walk()):
                    return True
    return False


def _by_reference(
    expression: Cursor, known: tuple[Cursor, ...], count: int
) -> list[tuple[Cursor, ...]]:
    """Ways to take ``count`` further variables of the body, which ``[&]`` captures in the order of
    their first use and libclang does not list.

    A constant need not be captured for being used; every other variable is.
    """
    if count < 0:
        return []
    used: list[Cursor] = []
    bodies = [x for x in expression.children if x.form is Form.COMPOUND]
    nodes = [n for body in bodies for n in body.walk()]
    for node in sorted(nodes, key=lambda n: n.start):
        target = node.referenced if node.form is Form.REF else None
        if target is None or target.form not in (Form.VAR, Form.PARAM) or not is_local(target):
            continue
        inside = expression.start <= target.start < expression.extent.end
        if not inside and not target.is_static_storage and target not in (*known, *used):
            used.append(target)
    constants = [u for u in used if u.is_constexpr_value]
    spare = len(used) - count
    if spare < 0 or spare > len(constants):
        return []
    dropped = islice(combinations(constants, spare), _MOST_WAYS)
    return [tuple(u for u in used if u not in d) for d in dropped]


def _fits(field: Cursor, variable: Cursor | None) -> bool:
    """Whether a member of a closure can hold a variable (``None``: the object around)."""
    kind = field.type
    if variable is None:
        return kind.form is TypeForm.POINTER and kind.pointee.form is TypeForm.RECORD
    held = kind.pointee if kind.is_reference else kind
    own = variable.type.pointee if variable.type.is_reference else variable.type
    return _plain(held.spelling) == _plain(own.spelling)


def _plain(spelling: str) -> str:
    # a const variable is captured as a const member, a mutable lambda's is not const
    return spelling.removeprefix("const ").removesuffix(" const").replace("*const", "*")

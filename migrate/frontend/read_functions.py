"""Whole functions: kernels, device functions, methods and constructors."""

from __future__ import annotations

import re

from migrate.core.codes import reading
from migrate.frontend.cursor import Cursor, Form
from migrate.frontend.effects import is_pure
from migrate.frontend.lambdas import is_closure, without_paths
from migrate.frontend.read_statements import StatementReader
from migrate.frontend.reader import Bound, UnitContext, strip
from migrate.frontend.refusal import Refused
from migrate.frontend.spaces import infer_spaces
from migrate.frontend.types import has_default_value, identifier, member_name
from migrate.frontend.volatile import called, settled
from migrate.ir.expr import Const, FieldPlace, PtrElem, Read, VarPlace
from migrate.ir.kernel import Function, Kernel, Param, TemplateArg
from migrate.ir.simt import Stmt
from migrate.ir.types import I32, VOID, Array, Pointer, Space, Struct
from migrate.ir.walk import declared_names

_OPERATOR_NAMES = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "%": "rem", "==": "eq", "!=": "ne", "<": "lt",
    "<=": "le", ">": "gt", ">=": "ge", "[]": "at", "()": "call", "=": "assign", "+=": "add_to",
    "-=": "sub_from", "*=": "mul_by", "/=": "div_by", "!": "not", "&": "and", "|": "or",
    "^": "xor", "<<": "shl", ">>": "shr", "++": "inc", "--": "dec", "~": "bitnot", "&&": "both",
    "||": "either", "->": "arrow", "%=": "rem_by", "&=": "and_with", "|=": "or_with",
    "^=": "xor_with", "<<=": "shl_by", ">>=": "shr_by",
}  # fmt: skip


def plain_mangled(mangled: str, name: str) -> str:
    """The Itanium name of a kernel as a plain function: clang's host stub prefix taken out."""
    stub = f"__device_stub__{name}"
    if mangled == stub:
        return name
    return mangled.replace(f"{len(stub)}{stub}", f"{len(name)}{name}", 1)


def readable_name(c: Cursor) -> str:
    """A function's name as an identifier: ``operator+`` of ``P`` is ``P_add``."""
    name = c.name.split("<")[0] if not c.name.startswith("operator") else c.name
    if name.startswith("operator"):
        symbol = name.removeprefix("operator").strip()
        name = _OPERATOR_NAMES.get(symbol, f"to_{identifier(symbol)}")
        if c.form is Form.FUNCTION:
            name = f"operator_{name}"
    if c.form is Form.CONSTRUCTOR:
        name = "init"
    owner = c.parent
    if owner is not None and owner.form in (Form.RECORD, Form.UNION, Form.CLASS_TEMPLATE):
        if is_closure(owner):
            return f"{identifier(owner.type.spelling)}_{name}"
        return f"{identifier(owner.display)}_{name}"
    return name


def template_args(c: Cursor) -> tuple[TemplateArg, ...]:
    """An instantiation's arguments with the names of the template's parameters."""
    values = c.template_arguments()
    if not values:
        return ()
    names: list[str] = []
    template = c.template
    if template is not None:
        names = [x.name for x in template.template_parameters]
    names += [f"arg{i}" for i in range(len(names), len(values))]
    return tuple(TemplateArg(n, without_paths(v)) for n, v in zip(names, values, strict=False))


def symbol_for(c: Cursor) -> str:
    """A symbol that says what the function is: name and template arguments."""
    parts = [readable_name(c), *(a.value for a in template_args(c))]
    return identifier("_".join(parts))


def body_of(c: Cursor) -> Cursor | None:
    """A function's compound statement."""
    for child in c.children:
        if child.form is Form.COMPOUND:
            return child
    return None


def qualified_name(c: Cursor) -> str:
    """The name with its namespaces and classes."""
    names = [c.name]
    owner = c.parent
    while owner is not None and owner.form in (
        Form.NAMESPACE, Form.RECORD, Form.UNION, Form.CLASS_TEMPLATE
    ):  # fmt: skip
        if owner.name:
            names.append(owner.name)
        owner = owner.parent
    return "::".join(reversed(names))


def read_device_function(
    unit: UnitContext, c: Cursor, symbol: str, at: Cursor, bound: Bound = ()
) -> Function:
    """A device function's IR, without the parameters that are functions. Raises ``Refused``."""
    body = body_of(c)
    if body is None:
        raise Refused(reading.NO_DEFINITION, f"{c.name} is declared and not defined", at)
    if c.form is Form.METHOD and c.is_virtual:
        raise Refused(reading.VIRTUAL_CALL, f"{c.name} is virtual", at)
    reader = StatementReader(unit)
    for i, function in bound:
        reader.functions[c.arguments[i]] = function
    params = _parameters(reader, c, Space.GENERIC)
    if c.form is Form.CONSTRUCTOR:
        reader.result = VOID
    else:
        reader.result = unit.types.read(c.result_type, c)
        reader.returns_reference = c.result_type.is_reference
    initialisers: list[Stmt] = []
    if c.form is Form.CONSTRUCTOR:
        with reader.into(initialisers):
            _member_initialisers(reader, c)
    inner = reader.body(body)
    whole = (*reader.prologue, *initialisers, *inner)
    whole = settled(whole, reader.volatile, unit.volatile, c)
    callees = (unit.volatile[f] for f in called(whole) if f in unit.volatile)
    unit.volatile[symbol] = reader.volatile.summary(callees)
    stmts = infer_spaces(whole)
    own = declared_names(stmts) | {p.name for p in params}
    source = unit.sources.get(c.file)
    return Function(
        symbol=symbol,
        name=c.name,
        params=params,
        result=reader.result,
        body=stmts,
        pure=is_pure(stmts, own) and not reader.volatile.kept,
        mangled=c.mangled,
        template_args=template_args(c),
        comment=source.note(definition_start(c)),
        span=reader.span_of(c),
    )


def read_kernel(unit: UnitContext, c: Cursor, symbol: str) -> Kernel:
    """A kernel instantiation's IR. Raises ``Refused``."""
    body = body_of(c)
    if body is None:
        raise Refused(reading.NO_DEFINITION, f"{c.name} is declared and not defined", c)
    reader = StatementReader(unit)
    params = _parameters(reader, c, Space.GLOBAL)
    inner = reader.body(body)
    stmts = (*reader.prologue, *inner)
    stmts = settled(stmts, reader.volatile, unit.volatile, c)
    source = unit.sources.get(c.file)
    head = source.text(definition_start(c), body.start)
    return Kernel(
        symbol=symbol,
        name=c.name,
        params=params,
        body=infer_spaces(stmts),
        mangled=plain_mangled(c.mangled, c.name),
        qualified=qualified_name(c),
        template_args=template_args(c),
        max_threads=_launch_bounds(head, template_args(c)),
        comment=source.note(definition_start(c)),
        span=reader.span_of(c),
    )


def definition_start(c: Cursor) -> int:
    """Where a definition begins, template head included."""
    template = c.template
    if template is not None and template.file == c.file and template.start < c.start:
        return template.start
    return c.start


def _parameters(reader: StatementReader, c: Cursor, space: Space) -> tuple[Param, ...]:
    params: list[Param] = []
    owner = c.parent
    is_member = c.form in (Form.METHOD, Form.CONSTRUCTOR, Form.CONVERSION)
    if is_member and not c.is_static_method and owner is not None:
        kind = reader.types.read(owner.type, c)
        pointer = Pointer(kind, Space.GENERIC)
        name = reader.fresh("self")
        params.append(Param(name, pointer))
        reader.this = Read(VarPlace(name, pointer))
        if is_closure(owner):
            reader.enter_closure(owner)
    for i, p in enumerate(c.arguments):
        if p in reader.functions:
            continue
        kind = reader.types.read(p.type, p, space)
        if isinstance(kind, Array):  # `T a[]` is a pointer, and the function's type says so
            kind = reader.types.read(c.type.parameters[i], p, space)
        params.append(reader.add_param(p, kind, p.name))
    return tuple(params)


def _member_initialisers(reader: StatementReader, c: Cursor) -> None:
    """``: a(1), b{2}`` and the default values of members that the list leaves out."""
    owner = c.parent
    assert owner is not None and reader.this is not None
    kind = reader.types.read(owner.type, c)
    if not isinstance(kind, Struct):
        raise Refused(reading.CONSTRUCTOR, f"constructor of {kind}", c)
    place = PtrElem(reader.this, Const(0, I32))
    given, others = _written_initialisers(c)
    definition = reader.types.struct(kind.name)
    own_names = {f.name for f in definition.fields}
    for name in given:
        if name not in own_names:
            raise Refused(reading.CONSTRUCTOR, f"{owner.name} initialises {name}", c)
    if _delegates(reader, others, kind, place):
        return
    shape = owner.definition or owner
    template = shape.template
    shape = shape if template is None else template.definition or template
    defaults = {
        member_name(m): m.expressions[-1]
        for m in shape.children
        if m.form is Form.FIELD and has_default_value(m)
    }
    references = {
        member_name(m) for m in shape.children if m.form is Form.FIELD and m.type.is_reference
    }
    bases = {str(reader.types.read(o.type, o)): o for o in others}
    for field in definition.fields:
        target = FieldPlace(place, field.name, field.type)
        base = bases.pop(str(field.type), None) if field.name.startswith("base_") else None
        value = given.get(field.name) or defaults.get(field.name)
        if base is not None:
            constructor = base.referenced
            if constructor is None:
                raise Refused(reading.CONSTRUCTOR, f"{owner.name} initialises a base", c)
            reader.construct_into(target, base, constructor)
        elif value is not None and field.name in references:
            reader.store(target, reader.address(reader.place(value)), c)
        elif value is not None:
            reader.fill(target, value, c)
        else:
            reader.default_construct(target, c)
    for base in bases.values():
        kind = reader.types.read(base.type, base)
        if not isinstance(kind, Struct) or reader.types.struct(kind.name).fields:
            raise Refused(reading.CONSTRUCTOR, f"{owner.name} initialises a base", c)


def _written_initialisers(c: Cursor) -> tuple[dict[str, Cursor], list[Cursor]]:
    """Initialisers of members by name, and those of bases or of a delegated constructor.

    libclang lists ``MEMBER_REF value`` pairs for members and a bare construction for the rest.
    Every expression before the body is one or the other, so that none is lost.
    """
    given: dict[str, Cursor] = {}
    others: list[Cursor] = []
    pending: str | None = None
    constructions = [strip(x) for x in c.children if strip(x).form is Form.CALL]
    for child in c.children:
        if child.form is Form.COMPOUND:
            break
        if child.raw_kind == "member_ref":
            target = child.referenced
            pending = child.name if target is None else member_name(target)
        elif child.form in (Form.REFERENCE, Form.PARAM, Form.ATTRIBUTE):
            continue
        elif pending is not None:
            given[pending] = child
            pending = None
        else:
            node = strip(child)
            target = node.referenced
            if node.form is not Form.CALL and any(
                x.extent.start < child.start < x.extent.end for x in constructions
            ):
                continue  # a template argument in the base's name
            if node.form is not Form.CALL or target is None or target.form is not Form.CONSTRUCTOR:
                raise Refused(reading.CONSTRUCTOR, f"initialiser of {c.name}", c)
            others.append(node)
    if pending is not None:
        raise Refused(reading.CONSTRUCTOR, f"{c.name} initialises {pending} without a value", c)
    return given, others


def _delegates(reader: StatementReader, others: list[Cursor], kind: Struct, place: PtrElem) -> bool:
    if len(others) == 1 and reader.types.read(others[0].type, others[0]) == kind:
        constructor = others[0].referenced
        assert constructor is not None
        reader.construct_into(place, others[0], constructor)
        return True
    return False


def _launch_bounds(head: str, args: tuple[TemplateArg, ...]) -> int:
    """The first argument of ``__launch_bounds__`` when it is a number or a template argument."""
    found = re.search(r"__launch_bounds__\s*\(\s*(\w+)", head)
    if found is None:
        return 0
    word = found.group(1)
    for a in args:
        if a.name == word and a.value.isdigit():
            return int(a.value)
    return int(word) if word.isdigit() else 0

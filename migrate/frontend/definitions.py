"""Device definitions in the source text, with the IR symbols made from each."""

from __future__ import annotations

from migrate.core.span import Span
from migrate.frontend.cursor import Cursor, Form
from migrate.frontend.declarations import Declarations, Declared
from migrate.frontend.read_functions import body_of, qualified_name
from migrate.frontend.source import Sources
from migrate.ir.kernel import Module
from migrate.ir.program import Definition, DefinitionKind


def definitions(
    declarations: Declarations, sources: Sources, module: Module
) -> tuple[Definition, ...]:
    """Kernels, device functions, device variables and structs that the device uses."""
    found: list[Definition] = []
    for d in declarations.functions:
        if d.is_device:
            kind = DefinitionKind.KERNEL if d.is_kernel else DefinitionKind.FUNCTION
            found.append(_definition(d, kind, sources, _function_symbols(d, module)))
    for d in declarations.variables:
        if d.attributes & {"CUDACONSTANT_ATTR", "CUDADEVICE_ATTR"}:
            symbols = tuple(g.name for g in module.globals if g.name == d.name)
            found.append(_definition(d, DefinitionKind.VARIABLE, sources, symbols))
    names = {s.name for s in module.structs}
    for d in declarations.records:
        if d.name in names or any(n.startswith(f"{d.name}_") for n in names):
            symbols = tuple(n for n in sorted(names) if n == d.name or n.startswith(f"{d.name}_"))
            found.append(_definition(d, DefinitionKind.STRUCT, sources, symbols))
    return tuple(sorted(found, key=lambda x: (x.span.file, x.span.start)))


def _function_symbols(d: Declared, module: Module) -> tuple[str, ...]:
    items = module.kernels if d.is_kernel else module.functions
    start, end = d.start, d.end
    found = [
        i.symbol
        for i in items
        if i.span.file == d.file and start <= i.span.start < end and i.name == d.cursor.name
    ]
    return tuple(found)


def _definition(
    d: Declared, kind: DefinitionKind, sources: Sources, symbols: tuple[str, ...]
) -> Definition:
    source = sources.get(d.file)
    comment = source.comment_before(d.start)
    body = body_of(d.cursor)
    head, params = _template_head(d, source.text(d.start, d.end))
    signature_end = d.end if body is None else body.start
    signature = source.text(d.start, signature_end)[len(head) :].strip()
    has_body = body is not None or kind in (DefinitionKind.STRUCT, DefinitionKind.VARIABLE)
    return Definition(
        kind=kind,
        name=d.name,
        qualified=qualified_name(d.cursor).split("<")[0],
        span=source.span(d.start, d.end),
        symbols=symbols,
        comment=None if comment is None else _span(source.span(*comment)),
        template_params=params,
        template_head=head,
        signature=signature if kind in (DefinitionKind.KERNEL, DefinitionKind.FUNCTION) else "",
        host_too=d.is_host,
        prototype=not has_body,
    )


def _span(span: Span) -> Span:
    return span


def _template_head(d: Declared, text: str) -> tuple[str, tuple[str, ...]]:
    if d.cursor.form not in (Form.FUNCTION_TEMPLATE, Form.CLASS_TEMPLATE):
        return "", ()
    depth = 0
    for i, ch in enumerate(text):
        if ch == "<":
            depth += 1
        elif ch == ">":
            depth -= 1
            if depth == 0:
                return text[: i + 1], _template_params(d.cursor)
    return "", _template_params(d.cursor)


def _template_params(c: Cursor) -> tuple[str, ...]:
    return tuple(
        x.name for x in c.children
        if x.raw_kind.startswith("template_") and x.raw_kind.endswith("parameter")
    )  # fmt: skip

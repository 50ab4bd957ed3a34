"""The declarations of a unit that the user wrote, sorted by what they are."""

from __future__ import annotations

from dataclasses import dataclass, field

from migrate.frontend.cursor import Cursor, Form
from migrate.frontend.errors import ParseError, words
from migrate.frontend.source import Sources

_FUNCTIONS = frozenset(
    {Form.FUNCTION, Form.FUNCTION_TEMPLATE, Form.METHOD, Form.CONSTRUCTOR, Form.CONVERSION}
)
_SCOPES = frozenset({Form.NAMESPACE, Form.LINKAGE, Form.RECORD, Form.UNION, Form.CLASS_TEMPLATE})


@dataclass(frozen=True, slots=True)
class Declared:
    """One declaration: the byte range covers ``extern "C"``, template head and semicolon."""

    cursor: Cursor
    file: str
    start: int
    end: int
    attributes: frozenset[str]

    @property
    def name(self) -> str:
        """The declared name."""
        return self.cursor.name.split("<")[0]

    @property
    def is_kernel(self) -> bool:
        """A ``__global__`` function or template of such."""
        return "CUDAGLOBAL_ATTR" in self.attributes

    @property
    def is_device(self) -> bool:
        """Device code, host-and-device code included."""
        return self.is_kernel or "CUDADEVICE_ATTR" in self.attributes

    @property
    def is_host(self) -> bool:
        """Code that the host runs."""
        return not self.is_kernel and (
            "CUDADEVICE_ATTR" not in self.attributes or "CUDAHOST_ATTR" in self.attributes
        )

    @property
    def is_template(self) -> bool:
        """A function template."""
        return self.cursor.form is Form.FUNCTION_TEMPLATE


@dataclass(slots=True)
class Declarations:
    """What a unit declares outside of system headers, in source order."""

    functions: list[Declared] = field(default_factory=list)
    instances: list[Cursor] = field(default_factory=list)
    variables: list[Declared] = field(default_factory=list)
    records: list[Declared] = field(default_factory=list)
    others: list[Declared] = field(default_factory=list)
    includes: list[Cursor] = field(default_factory=list)
    macro_uses: list[Cursor] = field(default_factory=list)
    macros: set[str] = field(default_factory=set)
    device_variables: set[str] = field(default_factory=set)
    files: list[str] = field(default_factory=list)
    _spoilt: dict[str, ParseError] | None = None

    def spoilt(self, errors: tuple[ParseError, ...], sources: Sources) -> dict[str, ParseError]:
        """Names that a declaration with an error introduces or mentions, and what builds on them.

        The parser drops a statement that uses such a name without a word about it.
        """
        if self._spoilt is None:
            found: dict[str, ParseError] = {}
            for error in errors:
                if error.missing_header is not None or error.in_plain_library:
                    continue
                function = self._function(error)
                if function is None:
                    for word in words(self._declaration_text(error, sources)):
                        found.setdefault(word, error)
                elif error.offset < _body_start(function):
                    found.setdefault(function.name, error)
            self._spread(found, sources)
            self._spoilt = found
        return self._spoilt

    def _function(self, error: ParseError) -> Declared | None:
        return next(
            (f for f in self.functions if f.file == error.file and f.start <= error.offset < f.end),
            None,
        )

    def _spread(self, found: dict[str, ParseError], sources: Sources) -> None:
        """A variable, type or function whose declaration names a spoilt one is spoilt itself."""
        heads = [(d.name, words(self._head(d, sources))) for d in self._named() if found]
        grown = True
        while grown:
            grown = False
            for name, mentioned in heads:
                if name and name not in found:
                    via = next((w for w in sorted(mentioned) if w in found and w != name), None)
                    if via is not None:
                        found[name] = found[via]
                        grown = True

    def _named(self) -> tuple[Declared, ...]:
        plain = [f for f in self.functions if not f.is_kernel]
        return (*self.records, *self.variables, *self.others, *plain)

    @staticmethod
    def _head(d: Declared, sources: Sources) -> str:
        """A declaration's text; of a function what stands before its body."""
        source = sources.get(d.file)
        end = min(d.end, _body_start(d)) if d.cursor.form in _FUNCTIONS else d.end
        return source.text(d.start, end)

    def _declaration_text(self, error: ParseError, sources: Sources) -> str:
        source = sources.get(error.file)
        for d in (*self.records, *self.variables, *self.others):
            if d.file == error.file and d.start <= error.offset < d.end:
                if d.cursor.form in (Form.RECORD, Form.UNION, Form.CLASS_TEMPLATE):
                    return d.name
                return introduced(source.text(d.start, d.end))
        data = source.data
        start = data.rfind(b"\n", 0, error.offset) + 1
        end = data.find(b"\n", error.offset)
        return named_in_line(source.text(start, len(data) if end < 0 else end))


def _body_start(function: Declared) -> int:
    """Where a function's body opens; the end of a declaration without one."""
    inner = function.cursor
    body = next((c for c in inner.children if c.form is Form.COMPOUND), None)
    return function.end if body is None else body.start


def named_in_line(text: str) -> str:
    """What a line that is no declaration names: parameters belong to nobody else.

    ``Unknown f(int x)`` names ``Unknown`` and ``f``; of ``DECLARE(f)`` every word counts.
    """
    head, opening, _ = text.partition("(")
    return head if opening and len(head.split()) > 1 else introduced(text)


def introduced(text: str) -> str:
    """A declaration without the value that it gives a variable, which says nothing about names."""
    head = text.lstrip()
    if head.startswith(("using", "typedef", "enum", "template")):
        return text
    return text.split("=", 1)[0]


def collect(root: Cursor, sources: Sources) -> Declarations:
    """Sort the declarations below a translation unit's cursor."""
    found = Declarations()
    for child in root.children:
        _visit(child, found, sources, None)
    return found


def _visit(c: Cursor, found: Declarations, sources: Sources, outer: Cursor | None) -> None:
    if c.form is Form.INCLUDE:
        found.includes.append(c)
        return
    if c.form is Form.MACRO_DEFINITION:
        found.macros.add(c.name)
        return
    if c.in_system_header or not c.file:
        return
    if c.form is Form.MACRO_USE:
        found.macro_uses.append(c)
        return
    if c.file not in found.files:
        found.files.append(c.file)
    if c.form in _FUNCTIONS:
        template = c.template
        if template is not None and template.offset == c.offset and template.file == c.file:
            found.instances.append(c)  # its text is the template's
        else:
            found.functions.append(_declared(c, sources, outer))
    elif c.form is Form.VAR:
        declared = _declared(c, sources, outer)
        found.variables.append(declared)
        if declared.attributes & {"CUDACONSTANT_ATTR", "CUDADEVICE_ATTR", "CUDASHARED_ATTR"}:
            found.device_variables.add(c.name)
    elif c.form in _SCOPES:
        if c.form in (Form.RECORD, Form.UNION, Form.CLASS_TEMPLATE):
            found.records.append(_declared(c, sources, outer))
        inner = outer
        if c.form is Form.LINKAGE and not _has_braces(c, sources):
            inner = c
        for child in c.children:
            if child.form in _FUNCTIONS | _SCOPES | {Form.VAR}:
                _visit(child, found, sources, inner)
    else:
        found.others.append(_declared(c, sources, outer))


def _has_braces(c: Cursor, sources: Sources) -> bool:
    extent = c.extent
    head = sources.get(extent.file).data[extent.start : extent.start + 64]
    return head.removeprefix(b"extern").lstrip().removeprefix(b'"C"').lstrip().startswith(b"{")


def _declared(c: Cursor, sources: Sources, outer: Cursor | None) -> Declared:
    extent = c.extent
    start = extent.start if outer is None else min(extent.start, outer.extent.start)
    end = extent.end
    if not _has_body(c):
        data = sources.get(extent.file).data
        tail = data[end : end + 200]
        stripped = tail.lstrip()
        if stripped.startswith(b";"):
            end += len(tail) - len(stripped) + 1
    return Declared(c, extent.file, start, end, c.attributes)


def _has_body(c: Cursor) -> bool:
    return any(x.form is Form.COMPOUND for x in c.children)

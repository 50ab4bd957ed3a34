"""The host side of a unit: launches, CUDA API calls and the CUDA names that host code uses.

Host templates are read through their instantiations, which the calls in plain host functions lead
to; a launch there names its kernel instantiation only in that way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from migrate.core.span import Span
from migrate.frontend.cursor import Cursor, Form
from migrate.frontend.declarations import Declarations, Declared
from migrate.frontend.macros import MacroUses, Site, balanced
from migrate.frontend.read_calls import launch_configuration, named_function
from migrate.frontend.source import Sources
from migrate.ir.program import HostCall, HostName, LaunchSite, Piece

_API = re.compile(r"(cuda|cu)[A-Z]\w*|make_cuda\w+|__cuda\w+")
_MACRO = re.compile(r"cuda[A-Z]\w*|CUDART_\w+|CUDA_\w+")
_LAUNCHERS = frozenset({"cudaLaunchKernel", "cudaLaunchCooperativeKernel"})
_CONFIGURED = frozenset({"cudaLaunchKernelEx", "cudaLaunchKernelExC"})
_CONFIG_MEMBERS = (
    ("gridDim", "dim3"), ("blockDim", "dim3"), ("dynamicSmemBytes", "unsigned long"),
    ("stream", "cudaStream_t"),
)  # fmt: skip
"""Members of ``cudaLaunchConfig_t``, in the order of a launch's configuration."""
_LONG = 4096
_NUMBER = re.compile(rb"\b[0-9][\w.]*|\.[0-9]\w*")
_NAME = re.compile(rb"[A-Za-z_]")
_DEVICE_ONLY = frozenset({"CUDAGLOBAL_ATTR", "CUDADEVICE_ATTR"})
_CALLABLE = frozenset({Form.FUNCTION, Form.METHOD, Form.CONSTRUCTOR, Form.CONVERSION})

KernelReader = Callable[[Cursor], "str | None"]


@dataclass(slots=True)
class HostReader:
    """Walks host code once; ``read_kernel`` is asked for every kernel that it reaches."""

    sources: Sources
    declarations: Declarations
    read_kernel: KernelReader
    launches: dict[tuple[str, int, str, int], LaunchSite] = field(default_factory=dict)
    calls: dict[tuple[str, int, str, int], HostCall] = field(default_factory=dict)
    names: dict[tuple[str, int], HostName] = field(default_factory=dict)
    faults: list[tuple[str, str, Span]] = field(default_factory=list)
    macros: MacroUses = field(init=False)
    _seen: set[str] = field(default_factory=set)
    _ordinals: dict[tuple[str, int, str], int] = field(default_factory=dict)
    _function: str = ""
    _template: bool = False

    def __post_init__(self) -> None:
        self.macros = MacroUses(self.declarations)

    def read(self) -> None:
        """Walk every host function, and the file-scope variables.

        A fault of ours in one function is kept in ``faults`` and costs that function only.
        """
        plain = [d for d in self.declarations.functions if d.is_host]
        templates = [d for d in plain if d.is_template or _in_template(d.cursor)]
        for declared in plain:
            if declared not in templates:
                self._guarded(declared.cursor, self.function)
        for instance in self.declarations.instances:  # explicit instantiations
            if not instance.attributes & _DEVICE_ONLY:
                self._guarded(instance, self.function)
        for declared in templates:
            self._function, self._template = declared.name, True
            self._guarded(declared.cursor, self._walk_used)
        for declared in (*self.declarations.variables, *self.declarations.records):
            self._function, self._template = "", False
            if declared.cursor.form is Form.VAR and not self._is_table(declared):
                self._guarded(declared.cursor, self._walk_used)
            elif declared.cursor.form is not Form.VAR:
                for child in declared.cursor.children:
                    if child.form is Form.FIELD:
                        self._guarded(child, self._walk_used)

        for use in self.declarations.macro_uses:
            if _MACRO.match(use.name):
                self._guarded(use, self._macro_name)

    def _is_table(self, declared: Declared) -> bool:
        """A long list of numbers, in which nothing of CUDA can stand: 200,000 take seconds."""
        if declared.end - declared.start < _LONG:
            return False
        text = self.sources.get(declared.file).data[declared.start : declared.end]
        return _NAME.search(_NUMBER.sub(b"", text.partition(b"=")[2])) is None

    def _macro_name(self, c: Cursor) -> None:
        """A macro of CUDA's headers, used outside of device code."""
        if c.name in self.declarations.macros:
            return  # the program's own; those of the precompiled headers are not listed there
        at, file = c.start, c.file
        for d in self.declarations.functions:
            if not d.is_host and d.file == file and d.start <= at < d.end:
                return
        self._name(c, c.name, "macro")

    def _guarded(self, c: Cursor, run: Callable[[Cursor], None]) -> None:
        try:
            run(c)
        except Exception as fault:
            self.faults.append((c.name, f"{type(fault).__name__} {fault}", self.span(c)))

    def _walk_used(self, c: Cursor) -> None:
        self._walk(c, used=True)

    def function(self, c: Cursor) -> None:
        """Walk one host function or instantiation of a host template, at its definition.

        A prototype has the same name, so it must not be what is remembered as seen.
        """
        c = c.definition or c
        key = c.mangled or c.usr
        if key in self._seen:
            return
        self._seen.add(key)
        outer = (self._function, self._template)
        self._ordinals.clear()  # each instantiation meets the same calls in the same order
        self._function, self._template = c.name.split("<")[0], c.template is not None
        self._walk(c, used=True)
        self._function, self._template = outer

    def _walk(self, c: Cursor, *, used: bool) -> None:
        match c.form:
            case Form.CALL:
                self._call(c, used=used)
                return
            case Form.REF:
                self._reference(c)
            case Form.REFERENCE:
                self._type_name(c)
        statement_list = c.form in (
            Form.COMPOUND, Form.IF, Form.FOR, Form.WHILE, Form.DO, Form.CASE, Form.DEFAULT,
            Form.LABEL, Form.SWITCH, Form.OTHER_STMT,
        )  # fmt: skip
        passes_on = c.form in (Form.UNEXPOSED, Form.PAREN) and not used
        for child in c.children:
            inner = used if passes_on else not statement_list
            if c.form in (Form.IF, Form.WHILE, Form.SWITCH) and child == c.children[0]:
                inner = True
            self._walk(child, used=inner)

    # --- calls

    def site(self, c: Cursor, opening: bytes) -> Site:
        """The place of a call. Text that a macro's body brings is not there to be edited, so such
        a call's place is the whole use of the macro.

        ``opening`` is text that the call has when it is written out: its name, or ``<<<``.
        """
        extent = c.extent
        use = self.macros.around(extent.file, extent.start)
        if use is not None:
            text = self.sources.get(extent.file).data[extent.start : extent.end]
            written = extent.start > use.start and extent.end <= use.end
            if not (written and opening in text and text.endswith(b")") and balanced(text)):
                return Site(extent.file, use.start, use.end, use.name)
        return Site(extent.file, extent.start, extent.end, None)

    def _key(self, site: Site, name: str) -> tuple[str, int, str, int]:
        """One entry a written call; calls of one macro use are told apart by their order."""
        if site.macro is None:
            return (site.file, site.start, name, 0)
        seen = (site.file, site.start, name)
        self._ordinals[seen] = self._ordinals.get(seen, -1) + 1
        return (*seen, self._ordinals[seen])

    def _call(self, c: Cursor, *, used: bool) -> None:
        config = launch_configuration(c)
        callee = c.referenced
        if config is not None:
            self._launch(c, config, callee)
            for child in config.children[1:]:
                self._walk(child, used=True)
            for child in c.children:
                if child.form is not Form.CALL or child.name != "__cudaPushCallConfiguration":
                    self._walk(child, used=True)
            return
        name = c.name or (callee.name if callee is not None else "")
        if not name:
            name = _unresolved_name(c)
        if _API.fullmatch(name) and (callee is None or callee.in_system_header):
            self._api_call(name, c, used=used)
        if name in _LAUNCHERS:
            self._launcher(c)
        elif name in _CONFIGURED:
            self._configured(c)
        for child in c.children:
            self._walk(child, used=True)
        if callee is not None and callee.form in _CALLABLE and not callee.in_system_header:
            definition = callee.definition
            if definition is not None and _is_instance(definition):
                attributes = definition.attributes
                if "CUDAGLOBAL_ATTR" in attributes:
                    return
                if "CUDADEVICE_ATTR" not in attributes or "CUDAHOST_ATTR" in attributes:
                    self.function(definition)

    def _api_call(self, name: str, c: Cursor, *, used: bool) -> None:
        site = self.site(c, name.encode())
        key = self._key(site, name)
        if key in self.calls:
            return
        span = self.sources.get(site.file).span(site.start, site.end)
        callee = Piece(name, span) if site.macro is not None else self._callee_piece(c, name)
        self.calls[key] = HostCall(
            name=name,
            span=span,
            callee=callee,
            args=tuple(p for a in c.arguments if (p := self.piece(a)) is not None),
            result_used=used,
            macro=site.macro,
            function=self._function,
        )

    def _callee_piece(self, c: Cursor, name: str) -> Piece:
        extent = c.extent
        source = self.sources.get(extent.file)
        head = source.data[extent.start : extent.end]
        found = head.find(b"(")
        end = extent.start + (len(name) if found < 0 else found)
        text = source.text(extent.start, end).rstrip()
        return Piece(text, source.span(extent.start, extent.start + len(text.encode())))

    def _launch(self, c: Cursor, config: Cursor, callee: Cursor | None) -> None:
        site = self.site(c, b"<<<")
        key = self._key(site, "<<<")
        callee = callee or named_function(c)
        symbols: tuple[str, ...] = ()
        if callee is not None and callee.form is Form.FUNCTION:
            symbol = self.read_kernel(callee)
            symbols = () if symbol is None else (symbol,)
        if self._merged(key, symbols):
            return
        source = self.sources.get(site.file)
        span = source.span(site.start, site.end)
        pieces = [self.piece(a) for a in config.arguments] + [None] * 4
        self.launches[key] = LaunchSite(
            span=span,
            callee=self._launch_callee(c, site, callee),
            kernels=symbols,
            grid=pieces[0] or Piece("", span),
            block=pieces[1] or Piece("", span),
            shared=pieces[2],
            stream=pieces[3],
            args=tuple(p for a in c.arguments if (p := self.piece(a)) is not None),
            function=self._function,
            macro=site.macro,
            dependent=callee is None or self._template,
        )

    def _merged(self, key: tuple[str, int, str, int], symbols: tuple[str, ...]) -> bool:
        """Add instantiations to a site that is known already."""
        known = self.launches.get(key)
        if known is None:
            return False
        merged = tuple(dict.fromkeys((*known.kernels, *symbols)))
        self.launches[key] = replace(known, kernels=merged)
        return True

    def _launch_callee(self, c: Cursor, site: Site, callee: Cursor | None) -> Piece:
        """The text before ``<<<``; of a launch in a macro's body the kernel's name."""
        source = self.sources.get(site.file)
        if site.macro is not None:
            name = "" if callee is None else callee.name.split("<")[0]
            return Piece(name, source.span(site.start, site.end))
        end = source.data.find(b"<<<", site.start, site.end)
        text = source.text(site.start, end if end > 0 else site.end).rstrip()
        return Piece(text, source.span(site.start, site.start + len(text.encode())))

    def _launcher(self, c: Cursor) -> None:
        """``cudaLaunchKernel((void*)k<T>, grid, block, args, shared, stream)``."""
        arguments = c.arguments
        if len(arguments) >= 4:
            pieces = [self.piece(a) for a in arguments] + [None] * 2
            config = (pieces[1], pieces[2], pieces[4], pieces[5])
            self._launch_call(c, arguments[0], config, (pieces[3],))

    def _configured(self, c: Cursor) -> None:
        """``cudaLaunchKernelEx(&config, k<T>, args...)``, or ``...ExC`` with an array of them.

        What the configuration holds is known when the program runs: grid and block are its members.
        """
        arguments = c.arguments
        if len(arguments) < 2:
            return
        pieces = [self.piece(a) for a in arguments]
        whole = pieces[0]
        config: list[Piece | None] = [None] * 4
        if whole is not None:
            text = whole.text.strip()
            head = f"{text[1:].strip()}." if text.startswith("&") else f"({text})->"
            config = [Piece(f"{head}{name}", whole.span, kind) for name, kind in _CONFIG_MEMBERS]
        self._launch_call(c, arguments[1], config, pieces[2:])

    def _launch_call(
        self,
        c: Cursor,
        callee: Cursor,
        config: Sequence[Piece | None],
        args: Iterable[Piece | None],
    ) -> None:
        """A launch by a call: ``config`` is grid, block, shared memory and stream."""
        target = next((k for k in self._kernels_in(callee)), None)
        symbol = None if target is None else self.read_kernel(target)
        site = self.site(c, b"cudaLaunch")
        key = self._key(site, "cudaLaunch")
        symbols = () if symbol is None else (symbol,)
        if self._merged(key, symbols):
            return
        span = self.sources.get(site.file).span(site.start, site.end)
        self.launches[key] = LaunchSite(
            span=span,
            callee=self.piece(callee) or Piece("", span),
            kernels=symbols,
            grid=config[0] or Piece("", span),
            block=config[1] or Piece("", span),
            shared=config[2],
            stream=config[3],
            args=tuple(p for p in args if p is not None),
            function=self._function,
            macro=site.macro,
            dependent=self._template,
        )

    @staticmethod
    def _kernels_in(c: Cursor) -> Iterator[Cursor]:
        for node in c.walk():
            if node.form is Form.REF:
                target = node.referenced
                if target is not None and target.form is Form.FUNCTION:
                    if "CUDAGLOBAL_ATTR" in target.attributes:
                        yield target

    # --- names

    def _reference(self, c: Cursor) -> None:
        target = c.referenced
        if target is None:
            return
        if target.form is Form.FUNCTION and "CUDAGLOBAL_ATTR" in target.attributes:
            self.read_kernel(target)
            return
        if target.in_system_header and _API.match(target.name):
            if target.form is Form.ENUM_CONSTANT:
                self._name(c, target.name, "constant")
            elif target.form is Form.VAR:
                self._name(c, target.name, "variable")

    def _type_name(self, c: Cursor) -> None:
        target = c.referenced
        if target is None or not target.in_system_header:
            return
        name = target.name
        if (
            _API.match(name)
            or name in ("dim3", "half", "__half", "__nv_bfloat16")
            or (
                re.fullmatch(
                    r"u?(char|short|int|long|longlong)[1-4]|(float|double|half)[1-4]", name
                )
            )
        ):
            self._name(c, name, "type")

    def _name(self, c: Cursor, name: str, kind: str) -> None:
        extent = c.extent
        source = self.sources.get(extent.file)
        if source.data[extent.start : extent.start + len(name)] != name.encode():
            return  # comes out of a macro's body
        key = (extent.file, extent.start)
        self.names[key] = HostName(name, source.span(extent.start, extent.end), kind)

    # --- pieces

    def piece(self, c: Cursor) -> Piece | None:
        """An argument's text and place; ``None`` for one that is not written."""
        extent = c.extent
        if not extent.file or extent.end <= extent.start:
            return None
        if c.form is Form.UNEXPOSED and not c.children and c.type.form.name != "SCALAR":
            return None
        source = self.sources.get(extent.file)
        start, end = extent.start, extent.end
        text = source.data[start:end]
        if not text.strip():
            return None
        use = self.macros.around(extent.file, start)
        if use is not None and not (start > use.start and end <= use.end and balanced(text)):
            if use.start <= start:
                start, end = use.start, max(use.end, end)
        kind = c.type
        node = c
        while node.form in (Form.UNEXPOSED, Form.CALL) and node.expressions:
            # An implicit conversion (to dim3, say) stands at the place of its operand.
            inner = node.expressions[0]
            if node.form is Form.CALL and inner.extent != node.extent:
                break
            if node.form is Form.UNEXPOSED and len(node.expressions) != 1:
                break
            node = inner
            if node.type.spelling not in ("", "<dependent type>"):
                kind = node.type
        return Piece(source.text(start, end), source.span(start, end), kind.spelling)

    def span(self, c: Cursor) -> Span:
        """The span of a cursor."""
        extent = c.extent
        return self.sources.get(extent.file).span(extent.start, extent.end)


def _is_instance(c: Cursor) -> bool:
    if c.template is not None:
        return True
    owner = c.parent
    return owner is not None and owner.form is Form.RECORD and owner.template is not None


def _in_template(c: Cursor) -> bool:
    owner = c.parent
    while owner is not None and owner.form in (Form.RECORD, Form.CLASS_TEMPLATE, Form.NAMESPACE):
        if owner.form is Form.CLASS_TEMPLATE:
            return True
        owner = owner.parent
    return False


def _unresolved_name(c: Cursor) -> str:
    for node in c.children[:1]:
        for inner in node.walk():
            if inner.form is Form.UNRESOLVED:
                return inner.name
    return ""

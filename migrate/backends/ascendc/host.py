"""Host code: CUDA runtime calls become AscendCL by the rules in ``rules/host``.

A call without a rule, or whose rule says that the target has none, becomes a call that prints
CM4003 and ends the program: nothing is dropped silently.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from migrate.backends.ascendc.host_algorithms import BLAS, library_header
from migrate.backends.ascendc.host_extremes import EXTREMES, host_extreme
from migrate.backends.ascendc.host_scan import FoundCall, FoundInclude, FoundLaunch
from migrate.backends.ascendc.host_stubs import UNKNOWN, UNSUPPORTED, Stand, stand_text
from migrate.backends.ascendc.rewriter import Rewriter, generated
from migrate.backends.ascendc.vector_types import helpers_for, made, plain_vector
from migrate.core.codes import target as codes
from migrate.core.cpp_text import Token, newline_of
from migrate.core.diagnostics import Diagnostic, Outcome, Sink
from migrate.core.span import Span, span_of
from migrate.core.targets import Target
from migrate.rules.catalogue import Catalogue
from migrate.rules.model import Form, Prelude, Rule, Spelling

_CUDA_HEADER = re.compile(
    r"(cub/|thrust/|cuda/|cuda[_A-Z]|cu(blas|fft|rand|sparse|solver|dnn|tensor|Complex)|nccl|nvtx|nvToolsExt"
    r"|mma\.h|cooperative_groups|sm_\d|device_(atomic|double)_functions)"
)
"""Headers of CUDA and its libraries; one without a rule is left out, and said so."""
_POSTFIX = re.compile(r"&?[A-Za-z_]\w*(?:(?:\.|->)\w+|\[\w+\])*")
"""What a cast applies to without parentheses."""
_POINTER_CAST = re.compile(
    r"\s*(?:\(\s*void\s*\*\s*\*\s*\)|(?:reinterpret_cast|static_cast)\s*<\s*void\s*\*\s*\*\s*>)\s*"
)

_KERNEL_ARGUMENT = {
    "cudaLaunchKernel": 0, "cudaLaunchCooperativeKernel": 0, "cudaLaunchKernelEx": 1,
    "cudaLaunchKernelExC": 1, "cudaFuncGetAttributes": 1,
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor": 1,
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": 1,
    "cudaOccupancyMaxPotentialBlockSize": 2, "cudaOccupancyMaxPotentialBlockSizeWithFlags": 2,
    "cudaOccupancyMaxPotentialBlockSizeVariableSMem": 2,
}  # fmt: skip
"""Calls that are given a kernel, and at which place."""
_LAUNCHES = frozenset(n for n in _KERNEL_ARGUMENT if n.startswith("cudaLaunch"))
_NO_KERNEL = "no kernel is named"
_KERNEL_CASTS = re.compile(
    r"\(\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*\)|(?:reinterpret|static)_cast\s*<[^<>]*>|[&()\s]"
)
"""What programs write around a kernel that they hand over as an address."""
MANAGED_NAMES = {
    "aclrtMemcpy": "copy", "aclrtMemcpyAsync": "copyAsync", "aclrtMemset": "fill",
    "aclrtMemsetAsync": "fillAsync", "aclrtFree": "release",
}  # fmt: skip
"""Calls that a program with managed memory makes through its helper, where the chip has none."""
_SYNCHRONISES = ("aclrtSynchronizeDevice", "aclrtSynchronizeStream", "aclrtSynchronizeEvent")


@dataclass(slots=True)
class HostNeeds:
    """Headers and helpers that the rewritten host code of a file relies on."""

    includes: list[str] = field(default_factory=list)
    prelude: list[Prelude] = field(default_factory=list)

    def spelling(self, s: Spelling) -> None:
        """Take over what a spelling asks for."""
        self.includes += [n for n in s.includes if n not in self.includes]
        for item in s.prelude:
            self.helper(item)

    def helper(self, item: Prelude) -> None:
        """Ask for one helper."""
        if item not in self.prelude:
            self.prelude.append(item)


class HostCode:
    """Rewrites the host side of one file."""

    def __init__(
        self, rewriter: Rewriter, file: str, catalogue: Catalogue, target: Target, sink: Sink
    ) -> None:
        self.file = file
        self.rewriter = rewriter
        self.catalogue = catalogue
        self.target = target.value
        self.sink = sink
        self.needs = HostNeeds()
        self.given: list[str] = []
        self.kernels: frozenset[str] = frozenset()
        self.extremes: frozenset[str] = frozenset()
        self.stands: Mapping[str, Stand] = {}
        self.managed = False
        self.uses: frozenset[str] = frozenset()
        self.stubbed: list[tuple[int, int]] = []
        self.newline = newline_of(rewriter.source)

    # --- includes ---------------------------------------------------------------------------

    def include(self, inc: FoundInclude, renamed: str | None, local: bool) -> None:
        """CUDA headers give way to those of the rule; ``renamed`` is a migrated local header.

        ``local`` marks a file of the program, whatever it is called.
        """
        if renamed is not None:
            self.rewriter.add(inc.start, inc.end, f'#include "{renamed}"')
            return
        rule = self.catalogue.host(inc.name)
        if rule is None and (local or not _CUDA_HEADER.match(inc.name)):
            return
        algorithms = library_header(inc.name, self.uses) if rule is None else None
        if algorithms is not None:
            self._algorithms(inc, algorithms)
            return
        spelling = None if rule is None else rule.spelling(self.target, Form.NAME)
        if spelling is None:
            self._report(self._span(inc.start, inc.end), f"#include <{inc.name}>", rule)
            self.rewriter.add(inc.start, inc.end, f"// CM4003: {inc.name} left out")
            return
        self.needs.spelling(spelling)
        # `-` stands for no header, `+name` for a helper that is written into the file.
        words = [n for n in spelling.template.split() if n != "-" and not n.startswith("+")]
        names = [n for n in words if n not in self.given]
        self.given += names
        lines = [f'#include "{n}"' for n in names]
        self.rewriter.add(inc.start, inc.end, generated("\n".join(lines), self.newline))

    def _algorithms(self, inc: FoundInclude, header: str) -> None:
        """A header of CUB or Thrust gives way to ours, or to nothing where kernels alone use it."""
        line = ""
        if header and header not in self.given:
            self._host_algorithm(inc.name, inc.start, inc.end)
            line = f'#include "{header}"'
            self.given.append(header)
        self.rewriter.add(inc.start, inc.end, line)

    def _host_algorithm(self, what: str, start: int, end: int) -> None:
        """Say once a file that a library's algorithms run on the host (CM4012)."""
        cause = f"algorithms of {what} run on the host, on copies of device memory"
        span = self._span(start, end)
        self.sink.report(
            Diagnostic(codes.HOST_ALGORITHM, Outcome.WEAKER, cause, span, target=self.target)
        )

    # --- names ------------------------------------------------------------------------------

    def name(self, name: str, start: int, end: int) -> None:
        """A type, constant or macro, when a rule covers it."""
        rule = self.catalogue.host(name)
        spelling = None if rule is None else rule.spelling(self.target, Form.NAME)
        stand = self.stands.get(name)
        inside = any(a <= start < b for a, b in self.stubbed)
        if inside or (rule is None and stand is None):
            return
        if spelling is None:
            self._report(self._span(start, end), name, rule)
            if stand is not None:
                self.needs.helper(UNKNOWN)
                self.needs.helper(stand_text(stand))
            return
        self.needs.spelling(spelling)
        if spelling.template != name:
            self.rewriter.add(start, end, spelling.template)

    def vector_type(self, word: str) -> None:
        """A vector type in host code brings its header or definition."""
        if plain_vector(word) is not None:
            self._vectors(word)

    def _vectors(self, text: str) -> None:
        includes, helpers = helpers_for(Target(self.target), text)
        self.needs.includes += [n for n in includes if n not in self.needs.includes]
        for item in helpers:
            self.needs.helper(item)

    def vector(self, c: FoundCall) -> bool:
        """``make_float4(...)`` in host code; false for any other call."""
        if made(c.name, [""] * len(c.args)) is None:
            return False
        self._vectors(c.name)
        self.rewriter.add(
            c.start, c.end, lambda: made(c.name, [self.rewriter.text(*a) for a in c.args]) or ""
        )
        return True

    def extreme(self, c: FoundCall) -> bool:
        """CUDA's ``min`` or ``max`` outside of namespaces; false for any other call."""
        scoped = self.rewriter.source[: c.start].rstrip().endswith(b"::")
        if c.name not in self.extremes or len(c.args) != 2 or scoped:
            return False
        self.needs.helper(EXTREMES)
        self.rewriter.add(c.start, c.name_end, host_extreme(c.name))
        return True

    # --- calls ------------------------------------------------------------------------------

    def call(self, c: FoundCall, wait: bool, known: bool, mixes_streams: bool = False) -> None:
        """One call of a CUDA function.

        ``wait`` asks for a synchronisation in front; ``known`` says that the front end saw a CUDA
        function of that name, so that a missing rule means a missing counterpart.
        ``mixes_streams`` is as for :meth:`launch`; a launch by a call may be on any stream.
        """
        rule = self.catalogue.host(c.name, len(c.args))
        spelling = None if rule is None else rule.spelling(self.target, Form.CALL)
        if spelling is None:
            if known or rule is not None:
                self._unsupported(c, rule)
            return
        place = _KERNEL_ARGUMENT.get(c.name)
        kernel = None if place is None else self._kernel(c.args[place])
        missing = self._without_counterpart(c)
        launch = c.name in _LAUNCHES
        if missing or (launch and (kernel is None or self.managed)):
            cause = "managed memory is not copied for such a launch"
            if missing or kernel is None:
                cause = f"its argument {missing} has no counterpart" if missing else _NO_KERNEL
            self._unsupported(c, None, cause)
            return
        spelling = self._managed(spelling)
        if BLAS in spelling.includes and BLAS not in self.needs.includes:
            self._host_algorithm(c.name, c.start, c.end)
        self.needs.spelling(spelling)
        template = spelling.template
        head = template.partition("(")[0]
        same_args = template == f"{head}({', '.join(f'${i}' for i in range(len(c.args)))})"
        if same_args and not wait and kernel is None:
            # Only the name changes: the arguments keep their layout and comments.
            if head != c.name:
                self.rewriter.add(c.start, c.name_end, head)
            return
        around = launch and mixes_streams
        self.rewriter.add(c.start, c.end, lambda: self._filled(c, spelling, wait or around, around))

    def _managed(self, spelling: Spelling) -> Spelling:
        """In a program with managed memory: through its helper, which copies where it must."""
        head = spelling.template.partition("(")[0]
        if not self.managed:
            return spelling
        if head in MANAGED_NAMES:
            own = f"ManagedMemory::{MANAGED_NAMES[head]}"
            return replace(spelling, template=own + spelling.template[len(head) :])
        if head in _SYNCHRONISES:
            return replace(spelling, template=f"ManagedMemory::toHost({spelling.template})")
        return spelling

    def _without_counterpart(self, c: FoundCall) -> str:
        """A constant among the arguments that has no counterpart, so that the call has none."""
        for start, end in c.args:
            for word in re.findall(rb"\b\w+\b", self.rewriter.source[start:end]):
                stand = self.stands.get(word.decode("latin-1"))
                if stand is not None and not stand.is_type:
                    return stand.name
        return ""

    def _kernel(self, piece: tuple[int, int]) -> str | None:
        """The launch function of a kernel that is handed over as an address."""
        text = _KERNEL_CASTS.sub("", self.rewriter.source[piece[0] : piece[1]].decode("latin-1"))
        name = text.partition("<")[0].rpartition("::")[2]
        if name not in self.kernels:
            return None
        at = text.partition("<")[0].rfind(name)
        return f"{text[:at]}launch_{text[at:]}"

    def _filled(self, c: FoundCall, spelling: Spelling, wait: bool, waits_after: bool) -> str:
        args = [self._argument(a, i, spelling.template) for i, a in enumerate(c.args)]
        place = _KERNEL_ARGUMENT.get(c.name)
        kernel = None if place is None else self._kernel(c.args[place])
        if place is not None and kernel is not None:
            args[place] = kernel
        text = spelling.fill(args)
        if c.name == "cudaLaunchKernelEx":  # whose arguments are those of the kernel
            text = f"{', '.join([text[:-1], *args[2:]])})"
        for arg in args:
            if _POSTFIX.fullmatch(arg):
                text = text.replace(f"(void**)({arg})", f"(void**){arg}")
        after = ", aclrtSynchronizeDevice()" if waits_after else ""
        return f"(aclrtSynchronizeDevice(), {text}{after})" if wait else text

    def _argument(self, piece: tuple[int, int], index: int, template: str) -> str:
        text = self.rewriter.text(*piece)
        if f"(void**)${index}" in template:
            # The template casts, so the source's own cast is not repeated.
            stripped = _POINTER_CAST.sub("", text, count=1)
            if stripped != text and re.fullmatch(r"\([^()]*\)", stripped):
                stripped = stripped[1:-1]
            return stripped.strip()
        return text.strip()

    def _unsupported(self, c: FoundCall, rule: Rule | None, cause: str = "") -> None:
        what = f"{c.name} with {len(c.args)} arguments"
        self._report(self._span(c.start, c.end), what, rule, cause)
        self.needs.helper(UNKNOWN)
        self.needs.helper(UNSUPPORTED)
        message = f"{codes.NO_HOST_CALL.id}: {c.name} has no counterpart on this target"
        self.rewriter.add(c.start, c.end, f'cudaUnsupported("{message}")')
        self.stubbed.append((c.start, c.end))

    def _span(self, start: int, end: int) -> Span:
        return span_of(self.file, self.rewriter.source, start, end)

    def _report(self, span: Span, what: str, rule: Rule | None, cause: str = "") -> None:
        entry = None if rule is None else rule.emission(self.target)
        own = entry.reason if entry is not None and entry.reason else "no rule covers it"
        reason = cause or own
        self.sink.report(
            Diagnostic(
                codes.NO_HOST_CALL,
                Outcome.STUBBED,
                f"{what}: {reason}",
                span,
                target=self.target,
                rule=None if rule is None else rule.id,
            )
        )

    # --- launches ---------------------------------------------------------------------------

    def launch(self, site: FoundLaunch, mixes_streams: bool) -> None:
        """``k<<<g, b, s, st>>>(args)`` becomes ``launch_k(g, b, s, st, args)``.

        Where a program has streams of its own, CUDA's default stream waits for them and they for
        it; ``mixes_streams`` asks for that, by synchronisations around a launch on the default one.
        """
        self.rewriter.add(site.start, site.end, lambda: self._launch_text(site, mixes_streams))

    def _launch_text(self, site: FoundLaunch, mixes_streams: bool) -> str:
        callee = self.rewriter.text(*site.callee).strip()
        at = callee.rfind(site.name, 0, callee.find("<") if "<" in callee else None)
        prefix = "launch_##" if site.pasted else "launch_"
        if not site.pasted and self.kernels and site.name not in self.kernels:
            prefix = ""  # a variable that holds a launch function
        config = [self.rewriter.text(*c).strip() for c in site.config]
        config += ["0", "nullptr"][len(config) - 2 :] if len(config) < 4 else []
        if config[3] in ("0", "NULL"):
            config[3] = "nullptr"
        args = [self.rewriter.text(*a).strip() for a in site.args]
        if self.managed:
            args = [f"ManagedMemory::argument({a})" for a in args]
        text = f"{callee[:at]}{prefix}{callee[at:]}({', '.join([*config, *args])})"
        if mixes_streams and config[3] == "nullptr":
            return f"aclrtSynchronizeDevice(), {text}, aclrtSynchronizeDevice()"
        return text


_CONTROL = frozenset({"if", "for", "while", "else", "do", "switch", "case", "default"})
_CONDITIONAL = frozenset({"?", "&", "|"})


def enclosing_statement(found: tuple[Token, ...], call: FoundCall) -> tuple[int, str, str] | None:
    """Where a statement in front of a call can stand.

    Gives the offset of the statement that holds the call, and the text to put around another call
    so that it is checked alike: ``CHECK(`` and ``)`` for a call inside a macro or function of one
    argument, nothing otherwise. No place is found when the call stands alone under an ``if``, or
    is evaluated only sometimes (``a && f()``).
    """
    index = next((i for i, t in enumerate(found) if t.start == call.start), None)
    end = next((i for i, t in enumerate(found) if t.start >= call.end), None)
    if index is None or end is None:
        return None
    start = index
    while start > 0 and found[start - 1].text not in ("{", "}", ";"):
        start -= 1
        if found[start].text in _CONTROL or found[start].text in _CONDITIONAL:
            return None
    if start == 0 or found[start].text in _CONTROL or _two_statements(found, start, index):
        return None
    wrapped = (
        index == start + 2
        and found[start].kind == "word"
        and found[start + 1].text == "("
        and found[end].text == ")"
    )
    if wrapped and found[start].text != "return":
        return found[start].start, f"{found[start].text}(", ")"
    return found[start].start, "", ""


def _two_statements(found: tuple[Token, ...], start: int, index: int) -> bool:
    """True when a macro without a semicolon stands between: ``CHECK(a()) CHECK(b())``."""
    depth = 0
    for k in range(start, index):
        depth += (found[k].text == "(") - (found[k].text == ")")
        if depth == 0 and found[k].text == ")" and found[k + 1].kind == "word":
            return True
    return False

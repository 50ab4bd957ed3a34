"""One migrated source file: device definitions, launches and host code put together.

Everything is an edit of the original bytes; what no edit names stays as it was.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from migrate.backends.ascendc.host import HostCode, enclosing_statement
from migrate.backends.ascendc.host_libraries import library_of
from migrate.backends.ascendc.host_order import needs_wait
from migrate.backends.ascendc.host_scan import (
    API_NAME,
    FoundCall,
    FoundInclude,
    calls,
    is_name_use,
    launches,
    main_body,
    outside,
    stretches,
)
from migrate.backends.ascendc.host_stubs import Stand
from migrate.backends.ascendc.rewriter import Rewriter, generated
from migrate.core.artifact import AppliedEdit, SourceLine
from migrate.core.codes import reading
from migrate.core.cpp_text import Token, newline_of, tokens
from migrate.core.diagnostics import Diagnostic, Outcome, Sink
from migrate.core.edits import Edited, apply_edits
from migrate.core.span import span_of
from migrate.core.targets import Target
from migrate.ir.program import SourceFile
from migrate.rules.catalogue import Catalogue
from migrate.rules.model import Prelude

_QUALIFIERS = frozenset({"__host__", "__device__"})
_DEFINE = re.compile(r"#\s*define\s+(\w+)")
_BOM = b"\xef\xbb\xbf"
SESSION = Prelude(
    "AclSession",
    """// Opens AscendCL on device 0, where CUDA programs start, and closes it at the program's end.
struct AclSession {
    AclSession()
    {
        aclInit(nullptr);
        aclrtSetDevice(0);
    }
    ~AclSession()
    {
        int32_t device = 0;
        if (aclrtGetDevice(&device) == ACL_SUCCESS) {
            aclrtResetDevice(device);
        }
        aclFinalize();
    }
};
""",
)


FILE_SESSION = Prelude(
    "AclFileSession", "// The program's main is in another file.\nstatic AclSession aclSession;\n"
)


@dataclass(frozen=True, slots=True)
class DevicePart:
    """Generated text for a range of the source; ``lines`` are relative to its first line."""

    start: int
    end: int
    text: str
    pieces: tuple[PlacedPiece, ...] = ()


@dataclass(frozen=True, slots=True)
class PlacedPiece:
    """A kernel inside a device part: first and last line there, and its source map."""

    symbol: str
    first: int
    last: int
    lines: tuple[SourceLine, ...]


@dataclass(frozen=True, slots=True)
class FilePlan:
    """What one file needs beside its own text."""

    file: SourceFile
    shown: str
    parts: tuple[DevicePart, ...]
    device_ranges: tuple[tuple[int, int], ...]
    includes: tuple[FoundInclude, ...]
    renamed: Mapping[int, str]
    device_includes: tuple[str, ...]
    device_prelude: tuple[str, ...]
    header: str
    api_names: frozenset[str]
    own_functions: frozenset[str]
    is_program: bool
    opens_session: bool = False
    mixes_streams: bool = False
    guards_helpers: bool = False
    own_files: frozenset[str] = frozenset()
    kernel_names: frozenset[str] = frozenset()
    extremes: frozenset[str] = frozenset()
    declared: frozenset[str] = frozenset()
    stands: Mapping[str, Stand] = field(default_factory=dict)
    library_uses: frozenset[str] = frozenset()
    managed: bool = False


@dataclass(frozen=True, slots=True)
class FileResult:
    """The new text, where kernels stand in it (by symbol: first and last line) and the line map."""

    content: bytes
    kernels: Mapping[str, tuple[int, int]]
    line_map: tuple[SourceLine, ...]
    edits: tuple[AppliedEdit, ...] = ()


@dataclass(slots=True)
class FileWriter:
    """Makes the edits of one file."""

    plan: FilePlan
    catalogue: Catalogue
    target: Target
    sink: Sink
    rewriter: Rewriter = field(init=False)
    newline: bytes = field(init=False)

    def __post_init__(self) -> None:
        self.rewriter = Rewriter(self.plan.file.text)
        self.newline = newline_of(self.plan.file.text)

    def write(self) -> FileResult:
        """The whole migrated file."""
        plan, source = self.plan, self.plan.file.text
        host = HostCode(self.rewriter, plan.shown, self.catalogue, self.target, self.sink)
        host.kernels = plan.kernel_names
        host.extremes = plan.extremes
        host.stands = plan.stands
        host.managed = plan.managed
        host.uses = plan.library_uses
        for part in plan.parts:
            text = generated(part.text, self.newline)
            self.rewriter.add(part.start, part.end, text)
        self._host(host)
        for inc in plan.includes:
            local = inc.name.rpartition("/")[2] in plan.own_files
            host.include(inc, plan.renamed.get(inc.start), local)
        if plan.is_program:
            self._session(host)
        needs = host.needs.includes or host.needs.prelude
        self._top(host, bool(plan.parts or needs or self.rewriter.has_any))
        edited = apply_edits(source, self.rewriter.edits())
        self._edits_in_macros(edited)
        result = self._result(edited.text, {e.start: at for e, at in edited.placed if e.text})
        applied = (
            AppliedEdit(span_of(plan.shown, source, e.start, e.end), len(e.text))
            for e, _ in edited.placed
            if e.text != source[e.start : e.end]
        )
        return replace(result, edits=tuple(applied))

    def _edits_in_macros(self, edited: Edited) -> None:
        """List each macro whose body is edited, with the number of its uses in this file."""
        source = self.plan.file.text
        found = tokens(source)
        for line in (t for t in found if t.kind == "directive"):
            hit = _DEFINE.match(line.text)
            inside = [e for e, _ in edited.placed if line.start < e.start and e.end <= line.end]
            if hit is None or all(e.text == source[e.start : e.end] for e in inside):
                continue
            uses = sum(t.kind == "word" and t.text == hit.group(1) for t in found)
            cause = f"{hit.group(1)}: {uses} {'use' if uses == 1 else 'uses'} in this file"
            span = span_of(self.plan.shown, source, line.start, line.end)
            self.sink.report(Diagnostic(reading.MACRO_EDITED, Outcome.EXACT, cause, span))

    # --- host code --------------------------------------------------------------------------

    def _host(self, host: HostCode) -> None:
        plan = self.plan
        found_calls: list[FoundCall] = []
        parts = stretches(plan.file.text)
        code = outside(parts[0].tokens, plan.device_ranges)
        launch_starts: list[int] = []
        pasted: set[tuple[str, int]] = set()
        in_macro = False
        for stretch in parts:
            inner = outside(stretch.tokens, plan.device_ranges)
            stretch = type(stretch)(inner, stretch.macro, stretch.params)  # noqa: PLW2901
            for site in launches(stretch):
                host.launch(site, self.plan.mixes_streams)
                in_macro |= stretch.macro is not None
                if stretch.macro is not None and site.pasted:
                    pasted.add((stretch.macro, stretch.params.index(site.name)))
                if stretch.macro is None:
                    launch_starts.append(site.start)
            found_calls += calls(stretch)
        waits = needs_wait(
            code, tuple(launch_starts), tuple(found_calls), plan.own_functions, in_macro
        )
        called = set()
        # A macro that writes launch_##kernel is given the kernel's own name.
        bare = {
            start
            for call in found_calls
            for i, (start, _) in enumerate(call.args)
            if (call.name, i) in pasted
        }
        for call in found_calls:
            if host.vector(call) or host.extreme(call):
                called.add(call.start)
                continue
            if call.name in plan.stands:
                continue  # a type, made by its name: Handle_t()
            known = self._is_cuda(call.name)
            if self.catalogue.host(call.name, len(call.args)) is None and not known:
                continue
            called.add(call.start)
            wait = call.start in waits and not self._wait_before(code, call)
            host.call(call, wait, known, self.plan.mixes_streams)
        for stretch in parts:
            inner = outside(stretch.tokens, plan.device_ranges)
            for i, t in enumerate(inner):
                if t.text in _QUALIFIERS:
                    self._without_qualifier(t)
                is_kernel = t.text in plan.kernel_names and t.start not in bare
                if is_kernel and self._is_value(inner, i):
                    self.rewriter.add(t.start, t.start, "launch_")
                if t.start not in called and is_name_use(inner, i):
                    host.name(t.text, t.start, t.end)
                    host.vector_type(t.text)

    def _is_cuda(self, name: str) -> bool:
        """True when a call is of a CUDA function: the front end saw one, or the name looks like it.

        Functions that the program declares itself are none, whatever they are called.
        """
        if name in self.plan.api_names and API_NAME.fullmatch(name) is not None:
            return True
        return library_of(name) is not None and name not in self.plan.declared

    @staticmethod
    def _is_value(found: tuple[Token, ...], i: int) -> bool:
        """True where a kernel's name stands for its launch function: ``auto f = k<int>;``."""
        before = found[i - 1].text if i else ""
        if before not in ("=", ",", "(", "&", "?", ":", "return") or i + 1 >= len(found):
            return False
        k = i + 1
        if found[k].text == "<" and found[k + 1].text != "<":
            depth = 0
            while k < len(found):
                depth += (found[k].text == "<") - (found[k].text == ">")
                k += 1
                if depth == 0:
                    break
        return k < len(found) and found[k].text in (";", ",", ")", ":")

    def _without_qualifier(self, t: Token) -> None:
        """Host code, lambdas and macros lose ``__host__`` and ``__device__``."""
        source, end = self.plan.file.text, t.end
        while source[end : end + 1] in (b" ", b"\t"):
            end += 1
        self.rewriter.add(t.start, end, "")

    def _wait_before(self, code: tuple[Token, ...], call: FoundCall) -> bool:
        """Put the synchronisation in front as a statement of its own, where one can stand."""
        place = enclosing_statement(code, call)
        if place is None:
            return False
        at, before, after = place
        source = self.plan.file.text
        line = source.rfind(b"\n", 0, at) + 1
        indent = source[line:at]
        if indent.strip():
            return False
        text = f"{before}aclrtSynchronizeDevice(){after};"
        shown = f"{text}{self.newline.decode()}{indent.decode('latin-1')}"
        self.rewriter.add(at, at, shown)
        return True

    def _session(self, host: HostCode) -> None:
        code = stretches(self.plan.file.text)[0].tokens
        at = main_body(code)
        if at is None:
            if self.plan.opens_session:
                host.needs.helper(SESSION)
                host.needs.helper(FILE_SESSION)
            return
        host.needs.helper(SESSION)
        source = self.plan.file.text
        rest = source[at:].lstrip(b" \t")
        following = next((t for t in code if t.start >= at), None)
        indent = b"    "
        if following is not None and rest[:1] in (b"\r", b"\n"):
            line = source.rfind(b"\n", 0, following.start) + 1
            lead = source[line : following.start]
            indent = lead if not lead.strip() else indent
        nl = self.newline.decode()
        self.rewriter.add(at, at, f"{nl}{indent.decode('latin-1')}static AclSession session;")

    # --- the top of the file ----------------------------------------------------------------

    def _top(self, host: HostCode, has_cuda: bool) -> None:
        plan, source = self.plan, self.plan.file.text
        start = len(_BOM) if source.startswith(_BOM) else 0
        self.rewriter.add(start, start, generated(plan.header, self.newline), order=-1)
        if not has_cuda:
            return
        wanted = ["acl/acl.h", *host.needs.includes, *plan.device_includes]
        written = source.decode("latin-1") + "".join(f'#include "{n}"\n' for n in host.given)
        helpers = [p.text for p in host.needs.prelude] + list(plan.device_prelude)
        if helpers:
            wanted += [f"<{n}>" for n in _system_headers(helpers)]
        lines = []
        for name in dict.fromkeys(wanted):
            shown = name if name.startswith("<") else f'"{name}"'
            if f"#include {shown}" not in written:
                lines.append(f"#include {shown}")
        text = "".join(f"{x}\n" for x in lines)
        shared = plan.file.is_header or any(not i.angled for i in plan.includes)
        for helper in dict.fromkeys(helpers):
            text += f"\n{_once(helper) if shared else helper}"
        if text:
            at = self._after_includes(start)
            lead = "\n" if at > start else ""
            self.rewriter.add(
                at,
                at,
                generated(lead + text.rstrip("\n"), self.newline)
                + ("" if lead else self.newline.decode()),
            )

    def _after_includes(self, start: int) -> int:
        """Behind the last include before the first code, outside conditional parts.

        Macros of the source behind the includes (``#define T float``) must not reach what is added.
        """
        depth, guard = 0, 0
        place = start
        seen_first = includes = False
        for t in tokens(self.plan.file.text):
            if t.kind != "directive":
                break
            word = t.text.lstrip("# \t").split(None, 1)[0] if t.text.lstrip("# \t") else ""
            if word.startswith("if"):
                depth += 1
                if not seen_first and word == "ifndef":
                    guard = 1
            elif word == "endif":
                depth -= 1
                if depth == guard and includes:
                    place, includes = t.end, False
            elif word == "include" and depth > guard:
                includes = True
            elif word in ("include", "pragma", "define") and depth == guard:
                if word != "define" or (guard and depth == 1 and place == start):
                    place = t.end
            seen_first = True
        return place

    # --- result -----------------------------------------------------------------------------

    def _result(self, content: bytes, placed: Mapping[int, int]) -> FileResult:
        kernels: dict[str, tuple[int, int]] = {}
        lines: list[SourceLine] = []
        for part in self.plan.parts:
            at = placed.get(part.start)
            if at is None:
                continue
            base = content.count(b"\n", 0, at)
            for piece in part.pieces:
                kernels[piece.symbol] = (base + piece.first, base + piece.last)
                lines += [SourceLine(base + x.line, x.span) for x in piece.lines]
        return FileResult(content, kernels, tuple(sorted(lines, key=lambda x: x.line)))


_SYSTEM = {
    "std::fprintf": "cstdio", "std::snprintf": "cstdio", "std::abort": "cstdlib",
    "std::common_type_t": "type_traits", "std::enable_if": "type_traits", "std::vector": "vector",
    "std::is_trivially_copyable": "type_traits", "std::memset": "cstring",
    "std::index_sequence": "utility", "std::remove_reference_t": "type_traits",
    "std::fmin": "cmath",
    "std::strncpy": "cstring", "std::memcpy": "cstring", "std::min": "algorithm",
}  # fmt: skip


def _once(helper: str) -> str:
    """A helper that a header and the file which includes it may both bring."""
    guard = f"HELPER_{zlib.crc32(helper.encode()):08X}"
    return f"#ifndef {guard}\n#define {guard}\n{helper.rstrip()}\n#endif\n"


def _guarded(helper: str) -> str:
    """A helper that a header and the file including it can both hold."""
    code = re.sub(r"//[^\n]*", "", helper)
    hit = re.search(r"(?:struct|namespace|union)\s+(?:alignas\(\d+\)\s+)?(\w+)", code)
    hit = re.search(r"(\w+)\s*\(", code) if hit is None else hit
    name = hit.group(1) if hit is not None else f"HELPER_{zlib.crc32(helper.encode()):08X}"
    macro = f"CUDAMIGRATE_{name.upper()}"
    return f"#ifndef {macro}\n#define {macro}\n{helper.rstrip()}\n#endif\n"


def _system_headers(texts: list[str]) -> list[str]:
    """Standard headers that helper code needs."""
    return sorted({h for word, h in _SYSTEM.items() for t in texts if word in t})


def target_path(relative: PurePosixPath, is_header: bool) -> PurePosixPath:
    """``.cu`` becomes ``.asc``; headers and other sources keep their names."""
    if relative.suffix == ".cu" or (not is_header and relative.suffix in (".cc", ".cxx", ".cpp")):
        return relative.with_suffix(".asc")
    return relative

"""One makefile of a CUDA tree for Ascend C: nvcc's command lines become bisheng's.

``nvcc`` becomes ``bisheng $(ASC_FLAGS)``, and ``ASC_FLAGS`` names the chip once, at the top.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from migrate.backends.ascendc.build_files.flags import Word, edit_flags
from migrate.backends.ascendc.build_files.make_text import (
    LineKind,
    MakeLine,
    MakeWord,
    make_lines,
    make_words,
)
from migrate.backends.ascendc.build_files.mapping import BuildMapping
from migrate.backends.ascendc.build_files.sheet import Sheet
from migrate.backends.ascendc.build_files.sources import edit_sources
from migrate.backends.ascendc.build_files.world import Chip, Renamed
from migrate.core.codes import build as codes
from migrate.core.diagnostics import Outcome

_NVCC = re.compile(r"(?:\$[({]\w+[)}]/|[\w./~-]+/)*nvcc(?:\.exe)?")
_WHICH = re.compile(r"\$\(shell\s+(?:which|command -v)\s+nvcc[^()]*\)")
_NVCC_FLAGS = re.compile(r"\w*(?:NVCC|CUDA|NVFLAGS|CUFLAGS|GENCODE|GPU_ARCH)\w*")
_READ = re.compile(r"\$[({](\w+)")
_OBJECT = re.compile(r"\.cu\.(?:o|obj|d|dep)\b")
"""Names of objects, which may keep a suffix of their source."""
_SUFFIX_RULE = re.compile(r"(\.cu)\.\w+[ \t]*:(?!=)")
_CAPABILITY = re.compile(r"(?:(?:sm|compute)_\d+a?[ \t]*)+")
_HEAD = "$(ASC_FLAGS)"


@dataclass(frozen=True, slots=True)
class MakeNames:
    """Over all makefiles of a tree: names that they give, and variables that nvcc is given."""

    names: frozenset[str]
    for_nvcc: frozenset[str]
    clash: frozenset[str] = frozenset()


def make_names(texts: Iterable[str], mapping: BuildMapping) -> MakeNames:
    """Look over all makefiles once."""
    names: set[str] = set()
    read_by: dict[str, set[str]] = {}
    for_nvcc: set[str] = set()
    compilers = {*mapping.make_lists["compiler"]}
    for text in texts:
        for line in make_lines(text):
            body = text[line.start : line.end]
            reads = set(_READ.findall(body))
            if line.kind is LineKind.ASSIGNMENT:
                names.add(line.name)
                read_by.setdefault(line.name, set()).update(reads)
                if _NVCC.search(body[line.value - line.start :]):
                    compilers.add(line.name)
                if _NVCC_FLAGS.fullmatch(line.name):
                    for_nvcc.add(line.name)
    for text in texts:
        for line in make_lines(text):
            body = text[line.start : line.end]
            reads = set(_READ.findall(body))
            if line.kind is LineKind.RECIPE and (compilers & reads or _NVCC.search(body)):
                for_nvcc |= reads
    known = {*mapping.make_lists["home"], *compilers}
    taken = names & {mapping.make["home_name"], mapping.make["compiler_name"], "ASC_FLAGS"}
    return MakeNames(frozenset(names - known), frozenset(for_nvcc - known), frozenset(taken))


@dataclass(slots=True)
class MakeFile:
    """The migration of one makefile."""

    sheet: Sheet
    folder: PurePosixPath
    renamed: Renamed
    mapping: BuildMapping
    chip: Chip
    shared: MakeNames
    uses_flags: bool = field(default=False)

    def migrate(self) -> None:
        """Put all edits of the file on the sheet."""
        lines = list(make_lines(self.sheet.text))
        for line in lines:
            self.sheet.settle(line.comment, self._line_end(line))
            if line.kind is LineKind.COMMENT:
                self.sheet.settle(line.start, self._line_end(line))
                continue
            if line.kind is LineKind.ASSIGNMENT and self._home(line):
                continue
            self._line(line)
        if self.uses_flags:
            extra = f" {self.chip.extra}" if self.chip.extra else ""
            first = next((x.start for x in lines if x.kind is not LineKind.COMMENT), 0)
            text = f"ASC_FLAGS ?= --npu-arch={self.chip.npu_arch}{extra}\n"
            self.sheet.replace(first, first, text)

    def _line_end(self, line: MakeLine) -> int:
        end = self.sheet.text.find("\n", line.end)
        return len(self.sheet.text) if end < 0 else end

    # --- variables --------------------------------------------------------------------------

    def _new_name(self, name: str) -> str | None:
        make, lists = self.mapping.make, self.mapping.make_lists
        for kind in ("home", "compiler"):
            new = make[f"{kind}_name"]
            if name in lists[kind] and new not in self.shared.clash:
                return new
        return None

    def _home(self, line: MakeLine) -> bool:
        """``CUDA_PATH ?= /usr/local/cuda``."""
        if line.name not in self.mapping.make_lists["home"]:
            return False
        self._rename(line)
        value = self.sheet.text[line.value : line.end]
        start = line.value + len(value) - len(value.lstrip())
        if value.strip():
            end = start + len(value.strip())
            self.sheet.replace(start, end, self.mapping.make["home_value"])
        return True

    def _rename(self, line: MakeLine) -> None:
        new = self._new_name(line.name)
        if new is not None:
            self.sheet.replace(line.name_at, line.name_at + len(line.name), new)

    # --- one line ---------------------------------------------------------------------------

    def _line(self, line: MakeLine) -> None:
        text = self.sheet.text
        if line.kind is LineKind.ASSIGNMENT:
            self._rename(line)
            if _CAPABILITY.fullmatch(text[line.value : line.end].strip()):
                self.sheet.settle(line.value, line.end)  # for flags that are left out
        start = line.value if line.kind is LineKind.ASSIGNMENT else line.start
        nvcc = line.name in self.shared.for_nvcc
        if line.kind is LineKind.RECIPE:
            nvcc = self._calls(text[line.start : line.end])
        compilers = self._compilers(line, start)
        for hit in _READ.finditer(text, line.start, line.end):
            new = self._new_name(hit.group(1))
            if new is not None and not any(a <= hit.start() < b for a, b in compilers):
                self.sheet.replace(hit.start(1), hit.end(1), new)
        for hit in re.finditer(r"[A-Za-z]\w*", text[line.start : line.end]):
            if line.kind is LineKind.DIRECTIVE and self._new_name(hit.group()) is not None:
                self._name_in_directive(line, hit)
        edit_sources(self.sheet, start, line.end, self.renamed, self.folder)
        for hit in _OBJECT.finditer(text, start, line.end):
            self.sheet.settle(*hit.span())
        suffix_rule = _SUFFIX_RULE.match(text, line.start, line.end)
        if suffix_rule is not None and line.kind is LineKind.RULE:
            self.sheet.replace(*suffix_rule.span(1), ".asc")
        words = list(make_words(text, start, line.end))
        self._libraries(words)
        for row in _rows(words):
            edit_flags(self.sheet, row, self.mapping, nvcc=nvcc)

    def _name_in_directive(self, line: MakeLine, hit: re.Match[str]) -> None:
        """``ifdef CUDA_PATH``: a bare name."""
        text, at = self.sheet.text, line.start + hit.start()
        if re.match(r"[ \t]*(?:else[ \t]+)?ifn?def\b", text[line.start : at]):
            self.sheet.replace(at, line.start + hit.end(), self._new_name(hit.group()) or "")

    def _calls(self, body: str) -> bool:
        named = {*self.mapping.make_lists["compiler"]}
        return _NVCC.search(body) is not None or bool(named & set(_READ.findall(body)))

    def _compilers(self, line: MakeLine, start: int) -> list[tuple[int, int]]:
        """``nvcc`` as a command, in any spelling; gives the ranges that were replaced."""
        text, done = self.sheet.text, []
        for hit in _WHICH.finditer(text, start, line.end):
            done.append(hit.span())
        for word in make_words(text, start, line.end):
            covered = any(a <= word.start < b for a, b in done)
            if _NVCC.fullmatch(word.text.lstrip("@-+")) and not covered and word.depth == 0:
                lead = len(word.text) - len(word.text.lstrip("@-+"))
                done.append((word.start + lead, word.end))
        for a, b in done:
            self.sheet.replace(a, b, f"bisheng {_HEAD}")
            self.uses_flags = True
        return done

    def _libraries(self, words: list[MakeWord]) -> None:
        for word in words:
            rule = self.mapping.libraries.get(word.text[2:]) if word.text[:2] == "-l" else None
            if rule is None:
                continue
            new = " ".join(f"-l{name}" for name in rule.to)
            if rule.note:
                said = f"{word.text[2:]}: {rule.note}; linked instead: {new or 'nothing'}"
                self.sheet.report(
                    codes.LIBRARY_REPLACED, Outcome.WEAKER, said, word.start, word.end
                )
            if new:
                self.sheet.replace(word.start, word.end, new)
            else:
                self.sheet.remove_words(word.start, word.end)


def _rows(words: list[MakeWord]) -> list[list[Word]]:
    """Words of one depth that follow each other; a flag and its value stand in one row."""
    rows: dict[int, list[Word]] = {}
    for word in words:
        rows.setdefault(word.depth, []).append(Word(word.text, word.start, word.end))
    return list(rows.values())

"""A ``setup.py`` that builds a CUDA extension for PyTorch, for Ascend C.

``CUDAExtension`` and ``BuildExtension`` of ``torch.utils.cpp_extension`` become classes of the same
use in ``ascend_extension.py``, which is written beside the script and gives ``.asc`` files to
bisheng.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from migrate.backends.ascendc.build_files.flags import FlagHit, find_flags, say
from migrate.backends.ascendc.build_files.mapping import BuildMapping
from migrate.backends.ascendc.build_files.sheet import Sheet
from migrate.backends.ascendc.build_files.world import Renamed
from migrate.core.codes import build as codes
from migrate.core.diagnostics import Outcome

MODULE = "torch.utils.cpp_extension"
CLASSES = {"CUDAExtension": "AscendExtension", "BuildExtension": "BuildExtension"}
_WILD = frozenset("*?[")


@dataclass(slots=True)
class SetupFile:
    """The migration of one script. Raises ``SyntaxError`` for text that is not Python."""

    sheet: Sheet
    folder: PurePosixPath
    renamed: Renamed
    mapping: BuildMapping
    lines: list[int] = field(init=False)
    modules: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.lines = [0]
        for i, c in enumerate(self.sheet.source):
            if c == 10:
                self.lines.append(i + 1)

    def migrate(self) -> None:
        """Put all edits of the script on the sheet."""
        tree = ast.parse(self.sheet.source)
        uses = any(
            isinstance(n, (ast.Name, ast.Attribute, ast.alias)) and _named(n) == "CUDAExtension"
            for n in ast.walk(tree)
        )
        if not uses:
            return
        self._docstrings(tree)
        own = {
            n.id
            for n in ast.walk(tree)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id != "CUDA_HOME"
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id in own:
                self.sheet.settle(*self._span(node))
        for node in ast.walk(tree):
            match node:
                case ast.ImportFrom(module="torch.utils.cpp_extension"):
                    self._import(node)
                case ast.Attribute(attr="CUDAExtension" | "BuildExtension"):
                    self._attribute(node)
                case ast.Subscript(slice=ast.Constant(value="nvcc") as key):
                    self.sheet.replace(*self._span(key), '"asc"')
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.List() as items) | (
                    ast.AugAssign(target=ast.Name(id=name), value=ast.List() as items)
                ) if "nvcc" in name.lower():
                    self._flags(items.elts)
                case ast.Dict():
                    self._arguments(node)
                case ast.keyword(arg="libraries", value=ast.List() as names):
                    self._libraries(names)
                case ast.Constant(value=str()):
                    self._source(node)
                case ast.Name(id="CUDAExtension"):
                    start, end = self._span(node)
                    self.sheet.replace(start, end, "AscendExtension")
                case _:
                    pass

    # --- places -----------------------------------------------------------------------------

    def _at(self, line: int, column: int) -> int:
        return self.lines[line - 1] + column

    def _span(self, node: ast.expr | ast.stmt | ast.alias) -> tuple[int, int]:
        end_line, end_column = node.end_lineno, node.end_col_offset
        if end_line is None or end_column is None:
            raise ValueError("a node has no end")
        return self._at(node.lineno, node.col_offset), self._at(end_line, end_column)

    def _docstrings(self, tree: ast.Module) -> None:
        """Texts that no code reads, and comments."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                self.sheet.settle(*self._span(node))
        for line in self.lines:
            stop = self.sheet.text.find("\n", line)
            stop = len(self.sheet.text) if stop < 0 else stop
            if self.sheet.text[line:stop].lstrip().startswith("#"):
                self.sheet.settle(line, stop)

    # --- names ------------------------------------------------------------------------------

    def _import(self, node: ast.ImportFrom) -> None:
        ours = [a for a in node.names if a.name in CLASSES]
        if not ours:
            return
        start, end = self._span(node)
        lead = " " * node.col_offset
        names = ", ".join(_spelled(CLASSES[a.name], a.asname) for a in ours)
        others = ", ".join(_spelled(a.name, a.asname) for a in node.names if a not in ours)
        text = [f"from {MODULE} import {others}"] if others else []
        text.append("import os, sys")
        text.append(
            "sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))"
            "  # for ascend_extension.py"
        )
        text.append(f"from ascend_extension import {names}")
        self.sheet.replace(start, end, f"\n{lead}".join(text))
        for alias in node.names:
            if alias not in ours and "CUDA" in alias.name.upper():
                said = f"{alias.name} of {MODULE} is of CUDA's build"
                self.sheet.report(codes.NOT_UNDERSTOOD, Outcome.WEAKER, said, *self._span(alias))

    def _attribute(self, node: ast.Attribute) -> None:
        """``cpp_extension.CUDAExtension``, however the module is named."""
        start, end = self._span(node)
        new = f'__import__("ascend_extension").{CLASSES[node.attr]}'
        self.sheet.replace(start, end, new)

    # --- arguments --------------------------------------------------------------------------

    def _arguments(self, node: ast.Dict) -> None:
        """``extra_compile_args={"cxx": [...], "nvcc": [...]}``."""
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == "nvcc":
                start, end = self._span(key)
                self.sheet.replace(start, end, '"asc"')
                for item in ast.walk(value):
                    if isinstance(item, (ast.List, ast.Tuple)):
                        self._flags(item.elts)
                if isinstance(value, ast.Name) and "nvcc" not in value.id.lower():
                    said = f"the flags are in {value.id}, which is not read"
                    self.sheet.report(codes.NOT_UNDERSTOOD, Outcome.WEAKER, said, start, end)

    def _flags(self, items: list[ast.expr]) -> None:
        texts = [
            i.value if isinstance(i, ast.Constant) and isinstance(i.value, str) else ""
            for i in items
        ]
        hits, unknown = find_flags(texts, self.mapping, nvcc=True)
        for hit in hits:
            self._flag(items, hit)
        for i in unknown:
            self.sheet.leave(f"flag {texts[i]} is not known", *self._span(items[i]))

    def _flag(self, items: list[ast.expr], hit: FlagHit) -> None:
        start, end = self._span(items[hit.first])[0], self._span(items[hit.last])[1]
        say(self.sheet, hit, self.sheet.text[start:end], start, end)
        new = hit.rule.fill(hit.value).split()
        if new:
            self.sheet.replace(start, end, ", ".join(f'"{w}"' for w in new))
        else:
            self._without(items, hit.first, hit.last)

    def _without(self, items: list[ast.expr], first: int, last: int) -> None:
        """Take items out of a list, with the comma that belongs to them."""
        start, end = self._span(items[first])[0], self._span(items[last])[1]
        text = self.sheet.text
        behind = end + len(text[end:]) - len(text[end:].lstrip())
        if last + 1 < len(items):
            end = self._span(items[last + 1])[0]
        elif text[behind : behind + 1] == ",":
            end = behind + 1
        elif first > 0:
            start = self._span(items[first - 1])[1]
        self.sheet.take_out(start, end)

    def _libraries(self, names: ast.List) -> None:
        for i, item in enumerate(names.elts):
            if not (isinstance(item, ast.Constant) and isinstance(item.value, str)):
                continue
            rule = self.mapping.libraries.get(item.value)
            if rule is None:
                continue
            start, end = self._span(item)
            new = ", ".join(f'"{n}"' for n in rule.to)
            if rule.note:
                said = f"{item.value}: {rule.note}; linked instead: {new or 'nothing'}"
                self.sheet.report(codes.LIBRARY_REPLACED, Outcome.WEAKER, said, start, end)
            if new:
                self.sheet.replace(start, end, new)
            else:
                self._without(names.elts, i, i)

    def _source(self, node: ast.Constant) -> None:
        """``"csrc/kernel.cu"``, also with wildcards."""
        start, end = self._span(node)
        text = str(node.value)
        at = self.sheet.text.rfind(text, start, end)
        suffix = text[text.rfind(".") :] if "." in text else ""
        if at < 0 or suffix not in (".cu", ".cpp", ".cc", ".cxx"):
            return
        self.sheet.settle(start, end)  # the name of a file, whatever is in it
        place = self.renamed.find(text, self.folder)
        if place is not None:
            name = text.rpartition("/")[2]
            self.sheet.replace(at + len(text) - len(name), at + len(text), place.name)
        elif suffix == ".cu" and (_WILD & set(text) or self._is_ending(node, text)):
            self.sheet.replace(at + len(text) - 3, at + len(text), ".asc")
        elif suffix == ".cu":
            said = f"no converted file for {text}"
            self.sheet.report(codes.SOURCE_NOT_CONVERTED, Outcome.WEAKER, said, start, end)

    def _is_ending(self, node: ast.Constant, text: str) -> bool:
        """``.cu`` alone, or the end of an f-string that fits converted files."""
        start, end = self._span(node)
        part = text not in (self.sheet.text[start + 1 : end - 1], "")
        return text == ".cu" or (part and any(o.name.endswith(text) for o in self.renamed.places))


def _named(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return name
        case _:
            return ""


def _spelled(name: str, asname: str | None) -> str:
    return f"{name} as {asname}" if asname else name

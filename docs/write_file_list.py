"""Writes the list of files in ``docs/architecture.md`` from the first sentence of each file.

Run ``python docs/write_file_list.py`` after a file was added, moved or got another first sentence.
A test compares the page with what this makes.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- files: begin -->", "<!-- files: end -->"

FOLDERS = (
    ("", "The package."),
    ("cli", "The command line, one file a command."),
    ("pipeline", "The whole compiler in one readable function, and what stands around it."),
    ("frontend", "CUDA C++ to the program model and the SIMT IR."),
    ("rules", "The rule catalogue: its form, its loader, its linter."),
    ("analysis", "Facts about kernels, as pure functions."),
    ("lifting", "From one thread to blocks of data, pass by pass. Read `schedule.py` first."),
    ("lifting/idioms", "What the threads of a block do together: reductions, products."),
    ("ir", "The intermediate representation."),
    ("backends", "The text of a target."),
    ("backends/tilelang", "TileLang."),
    ("backends/ascendc", "Ascend C for both chips."),
    ("backends/ascendc/build_files", "CMake, make and setup.py files of a tree."),
    ("backends/cuda", "The IR as CUDA again: for round trips, and for loops in place of fibers."),
    ("emulation", "Building and running programs on the CPU."),
    ("verify", "Capture, replay, comparison."),
    ("report", "What a run found, in every format."),
    ("core", "What every layer may use."),
    ("core/codes", "The table of diagnostic codes, one file a block."),
)
"""Folders below ``migrate/`` in the order in which a reader meets them."""

HEADERS = ("emulation/include/cuda_emu", "emulation/include/ascendc_emu", "cuda_library")


def _first_sentence(text: str) -> str:
    paragraph = " ".join(text.strip().split("\n\n")[0].split())
    found = re.match(r".+?\.(?=\s|$)", paragraph)
    sentence = (found.group(0) if found else paragraph).rstrip(":. ")
    return sentence.replace("``", "`").replace("|", "\\|").replace(":class:", "") + "."


def _docstring(path: Path) -> str:
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""


def _header_comment(path: Path) -> str:
    lines: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//"):
            break
        lines.append(line.lstrip("/ "))
    return " ".join(lines)


def _rows(paths: list[Path], folder: Path, read: dict[str, str]) -> list[str]:
    return [f"| `{p.relative_to(folder)}` | {_first_sentence(read[str(p)])} |" for p in paths]


def file_list() -> str:
    """The part of the page between the markers."""
    out: list[str] = []
    for name, sentence in FOLDERS:
        folder = ROOT / "migrate" / name
        paths = sorted(p for p in folder.glob("*.py") if p.name != "__init__.py")
        if not paths:
            continue
        title = "/".join(filter(None, ("migrate", name)))
        out += [f"### `{title}/`", "", sentence, "", "| file | what it is |", "|---|---|"]
        out += [*_rows(paths, folder, {str(p): _docstring(p) for p in paths}), ""]
    for name in HEADERS:
        folder = ROOT / "migrate" / name
        paths = sorted(p for p in folder.rglob("*") if p.suffix in (".h", ".hpp", ".cuh"))
        comments = {str(p): _header_comment(p) for p in paths}
        told = [p for p in paths if comments[str(p)]]
        out += [f"### `migrate/{name}/`", ""]
        out += ["Headers that only include others are left out.", ""] if told != paths else []
        out += ["| file | what it is |", "|---|---|", *_rows(told, folder, comments), ""]
    return "\n".join(out)


def page() -> str:
    """The whole page as it has to be."""
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n\n{file_list()}\n{END}{tail}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

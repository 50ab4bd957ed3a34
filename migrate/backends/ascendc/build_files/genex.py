"""Generator expressions of CMake (``$<condition:text>``), and the flags of nvcc in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from migrate.backends.ascendc.build_files.cmake_text import Command
from migrate.backends.ascendc.build_files.flags import Word, edit_flags
from migrate.backends.ascendc.build_files.mapping import BuildMapping
from migrate.backends.ascendc.build_files.sheet import Sheet

LANGUAGE = re.compile(r"\$<COMPILE_LANG(?:UAGE|_AND_ID):([^<>]*)>")
"""A condition on the language; the group holds the languages."""
_FLAG_WORD = re.compile(r"[^\s;\"]+")


@dataclass(frozen=True, slots=True)
class Guarded:
    """``text[start:end]`` is given to the compiler where ``condition`` holds."""

    condition: str
    start: int
    end: int


def guarded_parts(text: str, start: int, end: int) -> Iterator[Guarded]:
    """Every ``$<condition:text>`` whose condition is an expression itself, outermost first."""
    at = text.find("$<", start, end)
    while at >= 0:
        close = _close(text, at, end)
        if text.startswith("$<$<", at) and close is not None:
            inner = _close(text, at + 2, end)
            if inner is not None and text[inner : inner + 1] == ":":
                yield Guarded(text[at + 2 : inner], inner + 1, close - 1)
        at = text.find("$<", at + 2, end)


def _close(text: str, start: int, end: int) -> int | None:
    """Behind the ``>`` that ends the expression at ``start``."""
    depth, i = 0, start
    while i < end:
        if text.startswith("$<", i):
            depth += 1
            i += 2
            continue
        if text[i] == ">":
            depth -= 1
            if depth == 0:
                return i + 1
        i += 1
    return None


def plain_flags(sheet: Sheet, command: Command, mapping: BuildMapping) -> None:
    """nvcc's flags that no expression guards; other compilers' flags stand there as well."""
    parts = list(guarded_parts(sheet.text, command.name_end, command.end))
    words = [
        Word(m.group(), m.start(), m.end())
        for a in command.args
        if not any(p.start <= a.start < p.end for p in parts) and "$<" not in a.text
        for m in _FLAG_WORD.finditer(sheet.text, a.start, a.end)
    ]
    edit_flags(sheet, words, mapping, nvcc=False)


def guarded_flags(sheet: Sheet, command: Command, mapping: BuildMapping) -> None:
    """``COMPILE_LANGUAGE:CUDA`` becomes ``ASC``, and the flags that it guards bisheng's."""
    text = sheet.text
    for hit in LANGUAGE.finditer(text, command.name_end, command.end):
        if hit.group(1) == "CUDA,NVIDIA":
            sheet.replace(hit.start(), hit.end(), "$<COMPILE_LANGUAGE:ASC>")
            continue
        for word in re.finditer(r"\bCUDA\b", hit.group(1)):
            at = hit.start(1)
            sheet.replace(at + word.start(), at + word.end(), "ASC")
    for part in guarded_parts(text, command.name_end, command.end):
        named = LANGUAGE.search(part.condition)
        if named is None or "CUDA" not in named.group(1):
            continue
        inner = list(guarded_parts(text, part.start, part.end))
        words = [
            Word(m.group(), m.start(), m.end())
            for m in _FLAG_WORD.finditer(text, part.start, part.end)
            if not any(g.start <= m.start() < g.end for g in inner) and "$<" not in m.group()
        ]
        edit_flags(sheet, words, mapping, nvcc=True)

"""nvcc's flags in a row of words: which are replaced, which are left out, which nobody knows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from migrate.backends.ascendc.build_files.mapping import BuildMapping, FlagRule, Value
from migrate.backends.ascendc.build_files.sheet import Sheet
from migrate.core.codes import build as codes
from migrate.core.diagnostics import Outcome

_SHARED = re.compile(
    r"-(?:[WfDUIlLm].*|O\S*|g\w*|c|o|E|S|v|w|s|M\w*|shared|static|pthread|pipe|pedantic"
    r"|std=\S+|dc|lib|isystem.*|iquote.*|include|x|rdynamic|pg|ansi|save-temps)"
)
"""Flags that bisheng takes over from clang's driver, or documents itself."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command line and where it stands."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class FlagHit:
    """Words ``first`` to ``last`` (inclusive) are one flag that ``rule`` knows."""

    first: int
    last: int
    rule: FlagRule
    value: str


def find_flags(
    words: Sequence[str], mapping: BuildMapping, *, nvcc: bool
) -> tuple[list[FlagHit], list[int]]:
    """The flags that rules know, and the places of flags that nobody does.

    ``nvcc`` tells that the words are for nvcc and no other compiler. Without it, flags that other
    compilers share are not looked at, and unknown ones are not given.
    """
    hits: list[FlagHit] = []
    unknown: list[int] = []
    i = 0
    while i < len(words):
        hit = _hit(words, i, mapping, nvcc)
        if hit is not None:
            hits.append(hit)
            i = hit.last + 1
            continue
        word = words[i].strip("\"'")
        if nvcc and word.startswith("-") and word != "-" and not _SHARED.fullmatch(word):
            unknown.append(i)
        i += 1
    return hits, unknown


def _hit(words: Sequence[str], i: int, mapping: BuildMapping, nvcc: bool) -> FlagHit | None:
    name, joined, value = words[i].strip("\"'").partition("=")
    for rule in mapping.flags.get(name, ()):
        if rule.nvcc_only and not nvcc:
            continue
        if rule.value is Value.NONE:
            if not joined:
                return FlagHit(i, i, rule, "")
        elif joined:
            if rule.fits(value):
                return FlagHit(i, i, rule, value)
        elif rule.value is Value.EITHER and i + 1 < len(words):
            following = words[i + 1].strip("\"'")
            if following.startswith(","):  # $(addprefix -Xcompiler ,$(FLAGS)): a prefix of none
                return FlagHit(i, i, rule, "") if rule.to == "$words" else None
            if rule.fits(following):
                return FlagHit(i, i + 1, rule, following)
    return None


def edit_flags(sheet: Sheet, words: Sequence[Word], mapping: BuildMapping, *, nvcc: bool) -> None:
    """Put what bisheng is given into a file, in place of nvcc's flags."""
    hits, unknown = find_flags([w.text for w in words], mapping, nvcc=nvcc)
    for hit in hits:
        start, end = words[hit.first].start, words[hit.last].end
        say(sheet, hit, sheet.text[start:end], start, end)
        new = hit.rule.fill(hit.value)
        if new:
            sheet.replace(start, end, new)
        else:
            sheet.remove_words(start, end)
    for i in unknown:
        word = words[i]
        sheet.leave(f"flag {word.text} is not known", word.start, word.end)


def say(sheet: Sheet, hit: FlagHit, shown: str, start: int, end: int) -> None:
    """Report a flag that leaves something undone."""
    if hit.rule.outcome is not Outcome.EXACT:
        cause = f"{shown} is left out: {hit.rule.note}"
        sheet.report(codes.FLAG_LEFT_OUT, hit.rule.outcome, cause, start, end)


def map_words(sheet: Sheet, text: str, start: int, mapping: BuildMapping) -> str:
    """The words of a text for nvcc, as words for bisheng; findings are reported at ``start``."""
    words = text.split()
    hits, unknown = find_flags(words, mapping, nvcc=True)
    by_first = {h.first: h for h in hits}
    out: list[str] = []
    i = 0
    while i < len(words):
        hit = by_first.get(i)
        if hit is None:
            out.append(words[i])
            i += 1
            continue
        say(sheet, hit, " ".join(words[i : hit.last + 1]), start, start)
        out += [hit.rule.fill(hit.value)] if hit.rule.fill(hit.value) else []
        i = hit.last + 1
    for i in unknown:
        sheet.report(
            codes.NOT_UNDERSTOOD, Outcome.WEAKER, f"flag {words[i]} is not known; it is kept",
            start, start,
        )  # fmt: skip
    return " ".join(out)

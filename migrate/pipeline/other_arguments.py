"""Launches of kernels that the given arguments do not reach, from runs with other arguments.

A program often chooses by its arguments which kernel it launches. One that was never launched is
looked for in further runs of the original: with further lists of arguments that a suite gives, then
with an option's word in place of another, an option more, a
number a little different. The words are those that the program's own text has as literals. A run
counts when the program's own check passes on it, so that the program itself vouches for what its
kernels are given; its launches join those of the first run, and say with which arguments they were.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from migrate.emulation.cpp_lexer import tokenize
from migrate.emulation.cuda_program import CaptureCaps, RunSetup
from migrate.emulation.run import RunResult
from migrate.emulation.source_tree import local_files
from migrate.emulation.toolchain import CompileError
from migrate.ir.program import Program
from migrate.pipeline.original import OriginalProgram
from migrate.pipeline.own_check import Words, classify_run
from migrate.pipeline.smaller_program import smaller_programs
from migrate.verify.capture import Capture, Launch, load_capture

FIRST_OTHER = 2_000_000
FIRST_SMALLER = 100
"""Launches of the n-th run with other arguments are numbered from n times this; runs of a program
with smaller numbers are numbered from :data:`FIRST_SMALLER`."""
_MOST_RUNS = 64
_MOST_WORDS = 16
_MOST_SECONDS_A_RUN = 20.0
_LEAST_SECONDS_A_RUN = 5.0
_TIMES_THE_RUN = 3.0
_CAPS = CaptureCaps(max_bytes=96 << 20)
_WORD = re.compile(r"-{0,2}[A-Za-z][A-Za-z0-9_-]{0,31}\Z")
_NUMBER = re.compile(r"[0-9]{1,9}\Z")
_CHOICES = range(6)
_STEPS = (2, 4, 8, 16, 32)
_MOST_FACTOR = 16


@dataclass(frozen=True, slots=True)
class OtherRun:
    """A run with other arguments: what it launched, how long it took, its setup and program.

    ``of`` says of which program, where it is not the given one.
    """

    number: int
    capture: Capture
    seconds: float
    setup: RunSetup
    original: OriginalProgram
    of: str = ""

    def joined(self, capture: Capture) -> tuple[Launch, ...]:
        """The launches of ``capture`` (made from this run's) as parts of another capture."""
        first = self.number * FIRST_OTHER
        how = f"{self.of}with the arguments " + (" ".join(self.setup.args) or "(none)")
        return tuple(
            replace(
                x,
                seq=first + x.seq,
                base=x.base if x.base < 0 else first + x.base,
                origin=f"{how}, {x.origin}" if x.origin else how,
            )
            for x in capture.launches
        )


def option_words(sources: tuple[Path, ...], include_dirs: tuple[Path, ...]) -> tuple[str, ...]:
    """String literals of a program that could be words of its command line, in its text's order."""
    found: dict[str, None] = {}
    for path in local_files(sources, include_dirs):
        for token in tokenize(path.read_bytes().decode("latin-1")):
            text = token.text[1:-1]
            if token.kind == "string" and token.text[0] == '"' and _WORD.match(text):
                found[text] = None
    return tuple(found)


def other_arguments(args: tuple[str, ...], words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Lists of arguments that differ from ``args`` in one place, the likeliest choices first."""

    def at(place: int, text: str) -> tuple[str, ...]:
        return (*args[:place], text, *args[place + 1 :])

    plain = [w for w in words if not w.startswith("-")]
    for place, arg in enumerate(args):
        if arg in plain:
            yield from (at(place, w) for w in plain[:_MOST_WORDS] if w != arg)
    flags = [w for w in words if w.startswith("-") and w not in args]
    yield from ((*args, w) for w in flags[:_MOST_WORDS])
    numbers = [(place, int(arg)) for place, arg in enumerate(args) if _NUMBER.match(arg)]
    for choice in _CHOICES:
        yield from (at(p, str(choice)) for p, n in numbers if n < len(_CHOICES) and n != choice)
    sizes = [(place, n) for place, n in numbers if n >= len(_CHOICES)]
    for by in _STEPS:
        yield from (at(p, str(n * by)) for p, n in sizes if by <= _MOST_FACTOR)
        yield from (at(p, str(n // by)) for p, n in sizes if n % by == 0)


def unreached(program: Program, capture: Capture) -> frozenset[str]:
    """Mangled names of kernels without a launch that was recorded with its buffers."""
    reached = {x.mangled for x in capture.launches if x.skipped is None}
    return frozenset(k.mangled for _, k in program.kernels) - reached


@dataclass(slots=True)
class Search:
    """Looks for runs that launch the kernels of ``wanted``.

    ``usual`` is the class of the run with the given arguments: a program that has no check of its
    own cannot pass it with others either. ``seconds`` is how long that run took. With ``of`` (and a
    number of its own in ``first``) it is another program, whose given arguments are tried as well.
    """

    original: OriginalProgram
    setup: RunSetup
    words: Words
    wanted: frozenset[str]
    usual: str
    seconds: float
    first: int = 0
    of: str = ""

    def runs(self) -> tuple[OtherRun, ...]:
        """The runs that reached something new, each with the launches of that alone."""
        options = self.original.options
        literals = option_words(self.original.sources.sources, options.include_dirs)
        stop = time.monotonic() + self.setup.limits.seconds
        found: list[OtherRun] = []
        given = self.original.options.other_args
        starts = [self.setup.args]
        tried = set() if self.of else {self.setup.args}
        while starts and self.wanted:
            start = starts.pop(0)
            for args in (*given, start, *other_arguments(start, literals)):
                left = stop - time.monotonic()
                if not self.wanted or left < 1 or len(tried) > _MOST_RUNS:
                    return tuple(found)
                if args in tried:
                    continue
                tried.add(args)
                new = self._run(args, self.first + len(tried), left)
                if new is not None:
                    found.append(new)
                    starts.append(args)
        return tuple(found)

    def _run(self, args: tuple[str, ...], number: int, left: float) -> OtherRun | None:
        patience = max(_LEAST_SECONDS_A_RUN, _TIMES_THE_RUN * self.seconds)
        seconds = min(left, patience, _MOST_SECONDS_A_RUN)
        setup = replace(self.setup, args=args)
        short = replace(setup, limits=replace(setup.limits, seconds=seconds))
        original = self.original.below(self.original.work / f"run{number}")
        directory = original.work / "capture"
        result = original.capture(directory, short, _CAPS)
        new: tuple[Launch, ...] = ()
        if self._vouched(result):
            seen = load_capture(directory).launches
            new = tuple(x for x in seen if x.skipped is None and x.mangled in self.wanted)
        if not new:
            shutil.rmtree(original.work, ignore_errors=True)
            return None
        self.wanted -= {x.mangled for x in new}
        seen_here = Capture(directory, new)
        return OtherRun(number, seen_here, result.seconds, setup, original, self.of)

    def _vouched(self, result: RunResult) -> bool:
        said = classify_run(result, self.words)
        return said == "pass" or (said == "no-check" and self.usual in ("no-check", "silent"))


def smaller_runs(search: Search, folder: Path) -> tuple[OtherRun, ...]:
    """Runs of the program with smaller numbers in `main` that reach what ``search`` did not."""
    stop = time.monotonic() + search.setup.limits.seconds
    found: tuple[OtherRun, ...] = ()
    for turn, smaller in enumerate(smaller_programs(search.original.sources, folder), start=1):
        if not search.wanted or time.monotonic() > stop:
            break
        there = search.original.changed(smaller, search.original.work / f"smaller{turn}")
        again = replace(
            search,
            original=there,
            first=turn * FIRST_SMALLER,
            of="with smaller numbers in main, ",
        )
        try:
            found += again.runs()
        except CompileError:
            continue
        search.wanted = again.wanted
    return found

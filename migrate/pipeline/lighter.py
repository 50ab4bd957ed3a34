"""Less to do for an original, for migrated programs that are not done in time.

The CPU runtime of a target can be many times slower than the one that runs originals. So arguments
are looked for with which the original is done sooner: smaller numbers, and 1 for an option that
takes a value. They count when the program still says what it said before of
its own results, and when its check has not become blind: without kernels it must not pass, unless
it passed without kernels before. What an original would have said that was not done itself, or
asked for more memory than there is, is not known: it has to pass, and to fail without kernels.
Smaller numbers in the program's own text (``smaller_program.py``) are for what no arguments help,
and count in that strict way only.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from migrate.emulation.cpp_lexer import tokenize
from migrate.emulation.cuda_program import RunSetup
from migrate.emulation.run import RunResult
from migrate.emulation.source_tree import local_files
from migrate.emulation.toolchain import CompileError
from migrate.pipeline.original import OriginalProgram
from migrate.pipeline.own_check import Checked, passes
from migrate.pipeline.smaller_program import SmallerProgram, lighter_programs

_ENOUGH = 30.0
_PATIENCES = (32, 8, 2)
_SEARCH_TIMES = 2.0
_RUN_SHARE = 0.25
_LEAST_SECONDS = 0.1
_OPTIONS = re.compile(r"[+:]?(?:[A-Za-z]:{0,2})+\Z")
_NUMBER = re.compile(r"[0-9]{1,9}\Z")


@dataclass(frozen=True, slots=True)
class Lighter:
    """Less to do, by arguments or a smaller program, and what the original's run of it said."""

    args: tuple[str, ...]
    check: Checked
    smaller: SmallerProgram | None = None

    @property
    def described(self) -> str:
        """How the run differs from the one that was asked for."""
        told = () if self.smaller is None else (self.smaller.described,)
        return " ".join((*self.args, *told))


Check = Callable[[RunSetup, RunResult], Checked]
"""What a run said; makes the further runs that this takes."""
SmallerCheck = Callable[[OriginalProgram, RunSetup, RunResult], Checked]
"""The same, of another program."""


def option_letters(sources: tuple[Path, ...], include_dirs: tuple[Path, ...]) -> tuple[str, ...]:
    """Letters of options that take a value, as a string for ``getopt`` names them."""
    found: dict[str, None] = {}
    for path in local_files(sources, include_dirs):
        for token in tokenize(path.read_bytes().decode("latin-1")):
            text = token.text[1:-1]
            if token.kind == "string" and ":" in text and _OPTIONS.match(text):
                found.update(dict.fromkeys(re.findall(r"([A-Za-z]):", text)))
    return tuple(found)


def lighter_arguments(args: tuple[str, ...], letters: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Lists of arguments that differ in one number, or have one option more."""
    numbers = [(place, int(arg)) for place, arg in enumerate(args) if _NUMBER.match(arg)]
    for by in (8, 4, 2, 32):
        for place, n in numbers:
            if n >= by and n > 1:
                yield (*args[:place], str(n // by), *args[place + 1 :])
    for letter in letters:
        if f"-{letter}" not in args:
            yield (*args, f"-{letter}", "1")


def find_lighter(
    original: OriginalProgram, setup: RunSetup, usual: Checked, check: Check
) -> Lighter | None:
    """The lightest arguments found within the time that one run may take; None without any.

    ``usual`` is what the run with the given arguments said.
    """
    sources = original.sources.sources
    letters = option_letters(sources, original.options.include_dirs)
    stop = time.monotonic() + setup.limits.seconds
    best = Lighter(setup.args, usual)
    improved = True
    while improved:
        improved = False
        tried: set[tuple[str, ...]] = set()
        # First those that save much, which are told from the others in a short time.
        for part in _PATIENCES:
            for args in lighter_arguments(best.args, letters):
                limit = min(best.check.seconds / part, stop - time.monotonic())
                if limit < _LEAST_SECONDS or best.check.seconds * _ENOUGH < usual.seconds:
                    continue
                if args in tried:
                    continue
                short = replace(setup, args=args, limits=replace(setup.limits, seconds=limit))
                result = original.run(short)
                if result.timed_out:
                    continue
                tried.add(args)
                if result.exit != 0:
                    continue
                found = check(short, result)
                if _counts(found, usual):
                    best, improved = Lighter(args, found), True
                    break
            if improved:
                break
    return best if best.args != setup.args else None


def _counts(found: Checked, usual: Checked) -> bool:
    if usual.said == "error":
        return passes(found.said) and found.control != "pass"
    blind = found.control == "pass" != usual.control
    return found.said == usual.said and not (passes(found.said) and blind)


def find_smaller(
    original: OriginalProgram, setup: RunSetup, folder: Path, usual: Checked, check: SmallerCheck
) -> Iterator[Lighter]:
    """Smaller programs on which the program's own check passes, and fails without kernels.

    Where every check is blind and nobody knows whether that of the given program is (``usual`` is
    an ``error``), the first blind one comes last; whoever runs it sees it pass without kernels as
    well (CM5012). The search takes at most twice the time of one run; changed files go to
    ``folder``.
    """
    stop = time.monotonic() + _SEARCH_TIMES * setup.limits.seconds
    limits = replace(setup.limits, seconds=_RUN_SHARE * setup.limits.seconds)
    short = replace(setup, limits=limits)
    blind: Lighter | None = None
    seeing = False
    for number, smaller in enumerate(lighter_programs(original.sources, folder)):
        if time.monotonic() > stop:
            break
        there = original.changed(smaller.sources, original.work / f"lighter{number}")
        try:
            result = there.run(short)
            if result.timed_out or result.exit != 0:
                continue
            found = check(there, short, result)
        except CompileError:
            continue
        less = Lighter(setup.args, found, smaller)
        if passes(found.said) and found.control not in ("pass", "not-run"):
            seeing = True
            yield less
        elif passes(found.said) and blind is None:
            blind = less
    if blind is not None and not seeing and usual.said == "error":
        yield blind

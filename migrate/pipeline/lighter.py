"""Arguments that give an original less to do, for migrated programs that are not done in time.

The CPU runtime of a target can be many times slower than the one that runs originals. So arguments
are looked for with which the original is done sooner: smaller numbers, and 1 for an option that
takes a value. They count when the program still says what it said before of
its own results, and when its check has not become blind: without kernels it must not pass, unless
it passed without kernels before.
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
from migrate.pipeline.original import OriginalProgram
from migrate.pipeline.own_check import Checked, passes

_ENOUGH = 30.0
_LEAST_SECONDS = 0.1
_OPTIONS = re.compile(r"[+:]?(?:[A-Za-z]:{0,2})+\Z")
_NUMBER = re.compile(r"[0-9]{1,9}\Z")


@dataclass(frozen=True, slots=True)
class Lighter:
    """Arguments with less to do, and what the original's run with them said."""

    args: tuple[str, ...]
    check: Checked


Check = Callable[[RunSetup, RunResult], Checked]
"""What a run said; makes the further runs that this takes."""


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
        for args in lighter_arguments(best.args, letters):
            limit = min(best.check.seconds / 2, stop - time.monotonic())
            if limit < _LEAST_SECONDS or best.check.seconds * _ENOUGH < usual.seconds:
                return best if best.args != setup.args else None
            short = replace(setup, args=args, limits=replace(setup.limits, seconds=limit))
            result = original.run(short)
            if result.timed_out or result.exit != 0:
                continue
            found = check(short, result)
            blind = found.control == "pass" != usual.control
            if found.said == usual.said and not (passes(found.said) and blind):
                best, improved = Lighter(args, found), True
    return best if best.args != setup.args else None

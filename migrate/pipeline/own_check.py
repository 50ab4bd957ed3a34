"""What a program says of its own results: its check, read from exit status and printed words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from migrate.emulation.run import RunResult
from migrate.verify.outputs import Printed

_FAIL = re.compile(r"\bFAIL(ED|URE)?\b|\b[Ff]ailed\b")
_CRY = re.compile(r"\bFAIL(ED|URE)?\b")
_PASS = re.compile(r"\bPASS(ED)?\b")
_WEAK_FAIL = re.compile(
    # An error with a fraction is a figure, no word of failure.
    r"(?<!\b0 )(?<!\bno )\b(mismatch(es|ed)?|incorrect|wrong|errors?)\b"
    r"(?!\s*[:=]?\s*(?:0\b|[-+]?\d*\.\d))(?! rate)",
    re.IGNORECASE,
)
_WEAK_PASS = re.compile(
    r"\b(passed|success(ful|fully)?|correct|verified|ok|no errors|0 errors|results match)\b",
    re.IGNORECASE,
)
_TRUTH = re.compile(
    r"\b(?:verif\w+|check\w*|valid\w*|match\w*|identical|equal)\s*[:=]\s*(true|false)\b",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"\b(?:failures|mismatches|discrepancies|differences)\s*[:=]\s*(\d+)\b", re.IGNORECASE
)
# A number, or several in a row, that the program names as its error.
_FIGURE = re.compile(
    r"\b(?:(?:max(?:imum)?|largest)\.? (?:abs\w* |rel\w* )?(?:error|difference|diff)|error rate"
    r"|rm?sm?e)\s*[:=]?(?P<figures>(?:\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\b)+)",
    re.IGNORECASE,
)


class Words(Enum):
    """What decides about a program that ended with status 0."""

    PRINTED = "printed"
    """The words and figures that it prints."""
    STATUS = "status"
    """Its table says that its exit status is its verdict; FAIL in capitals still counts."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A run of the original: its class, that of the run without kernels, how long it took.

    ``printed`` is there where no check passes by words.
    """

    said: str
    control: str
    printed: Printed | None
    seconds: float


def classify_run(result: RunResult, words: Words = Words.PRINTED) -> str:
    """``pass``, ``fail``, ``no-check`` or ``error``, from exit status and what was printed.

    The words FAIL and PASS decide first; without them softer words do ("mismatch", "correct"), then
    answers and counts ("verified: true", "failures: 0"), and last an error that is printed as
    exactly 0. Any other error figure decides nothing: how much is too much, only the program knows.
    A status other than 0 is never ``pass``; it is ``error`` when the program ended by a signal, ran
    out of time, or with a status above 1 and no word of failure.
    """
    text = result.stdout + "\n" + result.stderr
    if result.timed_out or result.signal:
        return "error"
    failed = (_CRY if words is Words.STATUS else _FAIL).search(text) is not None
    if result.exit != 0:
        return "fail" if failed or result.exit == 1 else "error"
    if failed:
        return "fail"
    if _PASS.search(text) is not None or words is Words.STATUS:
        return "pass"
    if _WEAK_FAIL.search(text):
        return "fail"
    return "pass" if _WEAK_PASS.search(text) else _figures(text)


def with_silence(said: str, without: str) -> str:
    """``silent`` for a program that says nothing, and complains when its kernels are skipped.

    ``said`` is the class of its run, ``without`` that of the run whose kernels were skipped.
    """
    return "silent" if (said, without) == ("no-check", "fail") else said


def passes(said: str) -> bool:
    """Whether a class means that the program's own check passed, by words or by silence."""
    return said in ("pass", "silent")


def _figures(text: str) -> str:
    """The class by answers, counts and error figures."""
    answers = [m[1].lower() == "true" for m in _TRUTH.finditer(text)]
    answers += [int(m[1]) == 0 for m in _COUNT.finditer(text)]
    if not all(answers):
        return "fail"
    errors = [float(x) for m in _FIGURE.finditer(text) for x in m["figures"].split()]
    if any(errors):
        return "no-check"
    return "pass" if answers or errors else "no-check"

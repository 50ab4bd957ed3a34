"""What programs print, compared: for those that give no verdict of their own.

Words must be the same. Whole numbers must be the same, and fractions as close as the printed digits
allow, or by a small relative difference. What two runs of the original print differently, times for
one, says nothing and is left out, and so are fractions on lines that name a time or a rate.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![A-Za-z_])|[A-Za-z_]\w*|[^\s\w]|\w+"
)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\Z")
_TIMES = re.compile(
    r"\b(?:time[sd]?|timing|elapsed|latency|duration|speed|speedup|bandwidth|throughput|performance"
    r"|secs?|seconds?|msecs?|usecs?|[mun]s|[kmg]?flops?|[kmg]i?b/s|[kmg]?bytes/s|\w+/s(?:ec)?)\b"
    r"|\((?:s|us|ms|ns)\)",
    re.IGNORECASE,
)
_RELATIVE = 1e-5


@dataclass(frozen=True, slots=True)
class Printed:
    """What the original printed in two runs alike, and in one whose kernels were skipped.

    ``exit`` is the status of the first.
    """

    first: str
    second: str
    skipped: str
    exit: int


def judge_output(original: Printed, migrated: str, status: int) -> str:
    """``equal``, ``different``, ``blind`` when the original prints the same without its kernels, or
    ``unstable`` when it prints other words each time."""
    first = _lines(original.first)
    second = _lines(original.second)
    if [len(x) for x in first] != [len(x) for x in second]:
        return "unstable"
    if not all(_alike(a, b) for a, b in zip(first, second, strict=True)):
        return "unstable"
    free = [[x != y for x, y in zip(a, b, strict=True)] for a, b in zip(first, second, strict=True)]
    if _same(first, _lines(original.skipped), free):
        return "blind"
    same = status == original.exit and _same(first, _lines(migrated), free)
    return "equal" if same else "different"


def _lines(text: str) -> list[list[str]]:
    found = [_TOKEN.findall(line) for line in text.splitlines()]
    return [
        [_TIMED if timed and _is_fraction(x) else x for x in tokens]
        for tokens, timed in zip(found, (_TIMES.search(t) for t in text.splitlines()), strict=True)
        if tokens
    ]


_TIMED = "<time>"


def _is_fraction(token: str) -> bool:
    return _NUMBER.match(token) is not None and not _is_whole(token)


def _is_whole(token: str) -> bool:
    return token.lstrip("+-").isdigit()


def _alike(a: list[str], b: list[str]) -> bool:
    """The same words; numbers may differ."""
    return all(
        x == y or bool(_NUMBER.match(x) and _NUMBER.match(y)) for x, y in zip(a, b, strict=True)
    )


def _same(want: list[list[str]], got: list[list[str]], free: list[list[bool]]) -> bool:
    if [len(x) for x in want] != [len(x) for x in got]:
        return False
    return all(
        (_NUMBER.match(b) is not None if f else _equal(a, b))
        for wants, gots, frees in zip(want, got, free, strict=True)
        for a, b, f in zip(wants, gots, frees, strict=True)
    )


def _equal(a: str, b: str) -> bool:
    if a == b:
        return True
    if not (_NUMBER.match(a) and _NUMBER.match(b)) or (_is_whole(a) and _is_whole(b)):
        return False
    x, y = float(a), float(b)
    allowed = max(_RELATIVE * max(abs(x), abs(y)), _last_digit(a), _last_digit(b))
    return math.isfinite(x) and math.isfinite(y) and abs(x - y) <= allowed


def _last_digit(token: str) -> float:
    """What one more in the last printed digit adds."""
    digits, _, exponent = token.lower().partition("e")
    places = len(digits.partition(".")[2])
    return float(f"1e{int(exponent or 0) - places}")

"""Finds CUDA calls, names and launches in the tokens of host code, macro bodies included.

The front end sees code after macro expansion; an edit needs the place where it is written. Names
are matched as whole tokens, so comments, strings and longer names stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from migrate.core.cpp_text import Token, closing, split_commas, tokens

API_NAME = re.compile(r"(cuda|cu)[A-Z]\w*")
"""What a CUDA runtime or driver function looks like."""
_BEFORE_CALL = frozenset({"return", "else", "do", "case", "throw", "co_return", "and", "or", "not"})
_ATTRIBUTES = frozenset({"__align__"})
_INCLUDE = re.compile(r'#\s*include\s*(?:<(?P<angled>[^>\n]+)>|"(?P<quoted>[^"\n]+)")')
_DEFINE = re.compile(r"#\s*define\s+\w+(\([^)]*\))?")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Tokens that belong together: the file outside directives, or the body of one macro."""

    tokens: tuple[Token, ...]
    macro: str | None
    params: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundCall:
    """A call ``name(args)``; ranges are byte offsets."""

    name: str
    start: int
    name_end: int
    end: int
    args: tuple[tuple[int, int], ...]
    in_macro: bool
    is_statement: bool


@dataclass(frozen=True, slots=True)
class FoundLaunch:
    """A launch; ranges are byte offsets. ``pasted``: the kernel is a parameter of the macro."""

    callee: tuple[int, int]
    name: str
    config: tuple[tuple[int, int], ...]
    args: tuple[tuple[int, int], ...]
    start: int
    end: int
    pasted: bool = False


def stretches(source: bytes) -> tuple[Stretch, ...]:
    """The code of a file, then each macro body."""
    found = tokens(source)
    code = tuple(t for t in found if t.kind != "directive")
    bodies = []
    for t in found:
        if t.kind != "directive":
            continue
        hit = _DEFINE.match(t.text)
        if hit is not None:
            name = re.split(r"\W+", t.text.split("define", 1)[1].strip(), maxsplit=1)[0]
            bodies.append(
                Stretch(tokens(source, t.start + hit.end(), t.end), name, define_params(t.text))
            )
    return (Stretch(code, None), *bodies)


@dataclass(frozen=True, slots=True)
class FoundInclude:
    """An ``#include`` line, from ``#`` to the end of the name; ``angled`` for ``<name>``."""

    name: str
    angled: bool
    start: int
    end: int


def include_lines(source: bytes) -> tuple[FoundInclude, ...]:
    """Every include line of a file, those in branches that are not compiled as well."""
    found: list[FoundInclude] = []
    for t in tokens(source):
        hit = _INCLUDE.match(t.text) if t.kind == "directive" else None
        if hit is not None:
            angled = hit["angled"] is not None
            name = hit["angled"] if angled else hit["quoted"]
            found.append(FoundInclude(name, angled, t.start, t.start + hit.end()))
    return tuple(found)


def outside(found: tuple[Token, ...], ranges: tuple[tuple[int, int], ...]) -> tuple[Token, ...]:
    """The tokens that lie in none of the ranges."""
    return tuple(t for t in found if not any(a <= t.start < b for a, b in ranges))


def is_name_use(found: tuple[Token, ...], i: int) -> bool:
    """True when the token at ``i`` can mean a CUDA name: no member, no name of a user namespace."""
    if found[i].kind != "word":
        return False
    before = found[i - 1].text if i else ""
    if before in (".", "->"):
        return False
    return before != "::" or i < 2 or found[i - 2].kind != "word" or found[i - 2].text == "std"


def calls(stretch: Stretch) -> Iterator[FoundCall]:
    """Every call of a plain name, those of ordinary functions included."""
    found = stretch.tokens
    for i in range(len(found) - 1):
        if not is_name_use(found, i):
            continue
        opening = i + 1
        if found[opening].text == "<":
            after = _angle_end(found, opening)
            if after is None or not API_NAME.fullmatch(found[i].text):
                continue
            opening = after + 1
        if opening >= len(found) or found[opening].text != "(":
            continue
        before = found[i - 1] if i else None
        declares = before is not None and before.kind == "word" and before.text not in _BEFORE_CALL
        if declares and found[i].text not in _ATTRIBUTES:
            continue  # a declaration: `cudaError_t f(...)`
        close = closing(found, opening)
        if close is None:
            continue
        start = found[i].start
        if before is not None and before.text == "::" and (i < 2 or found[i - 2].kind != "word"):
            start = before.start
        ranges = _argument_ranges(found, opening + 1, close)
        previous = before.text if before is not None else ";"
        following = found[close + 1].text if close + 1 < len(found) else ""
        alone = previous in ("{", "}", ";", ")", "else") and following == ";"
        yield FoundCall(
            found[i].text,
            start,
            found[opening - 1].end,
            found[close].end,
            ranges,
            stretch.macro is not None,
            alone,
        )


def _argument_ranges(
    found: tuple[Token, ...], first: int, last: int
) -> tuple[tuple[int, int], ...]:
    """Byte ranges of call arguments; here ``<`` may be a comparison, so it groups nothing."""
    ranges: list[tuple[int, int]] = []
    depth, begin = 0, first
    angle = 0
    for i in range(first, last):
        text = found[i].text if found[i].kind == "mark" else ""
        if text in ("(", "[", "{"):
            depth += 1
        elif text in (")", "]", "}"):
            depth -= 1
        elif text == "<" and i > first and _template_opens(found, i, last):
            angle += 1
        elif text == ">" and angle:
            angle -= 1
        elif text == "," and depth == 0 and angle == 0:
            ranges.append((found[begin].start, found[i - 1].end))
            begin = i + 1
    if begin < last:
        ranges.append((found[begin].start, found[last - 1].end))
    return tuple(ranges)


def _template_opens(found: tuple[Token, ...], i: int, last: int) -> bool:
    """True for ``name<...>(`` and ``name<...>::``: template arguments, not a comparison."""
    if found[i - 1].kind != "word":
        return False
    end = _angle_end(found, i)
    return end is not None and end + 1 <= last and found[end + 1].text in ("(", "::", "{")


def _angle_end(found: tuple[Token, ...], opening: int) -> int | None:
    depth = 0
    for i in range(opening, len(found)):
        text = found[i].text
        if text == "<":
            depth += 1
        elif text == ">":
            depth -= 1
            if depth == 0:
                return i
        elif text in (";", "{", "}", "&&", "||"):
            return None
    return None


def launches(stretch: Stretch) -> Iterator[FoundLaunch]:
    """Every ``k<<<...>>>(...)``."""
    found = stretch.tokens
    for i in range(1, len(found) - 3):
        if [t.text for t in found[i : i + 3]] != ["<", "<", "<"] or found[i - 1].text == "<":
            continue
        end = _launch_config_end(found, i + 3)
        if end is None or found[end + 3].text != "(":
            continue
        close = closing(found, end + 3)
        if close is None:
            continue
        callee = _callee(found, i)
        if callee is None:
            continue
        first, name = callee
        yield FoundLaunch(
            callee=(found[first].start, found[i - 1].end),
            name=name,
            config=tuple(
                (found[a].start, found[b - 1].end) for a, b in _split_plain(found, i + 3, end)
            ),
            args=_argument_ranges(found, end + 4, close),
            start=found[first].start,
            end=found[close].end,
            pasted=name in stretch.params,
        )


def _split_plain(found: tuple[Token, ...], first: int, last: int) -> list[tuple[int, int]]:
    by_start = {t.start: i for i, t in enumerate(found)}
    by_end = {t.end: i for i, t in enumerate(found)}
    return [(by_start[a], by_end[b] + 1) for a, b in _argument_ranges(found, first, last)]


def _launch_config_end(found: tuple[Token, ...], first: int) -> int | None:
    depth = 0
    for i in range(first, len(found) - 3):
        text = found[i].text
        depth += (text in "([{") - (text in ")]}") if found[i].kind == "mark" else 0
        if depth == 0 and [t.text for t in found[i : i + 3]] == [">", ">", ">"]:
            return i
    return None


def _callee(found: tuple[Token, ...], i: int) -> tuple[int, str] | None:
    """First token of what stands before ``<<<`` and the kernel's own name; None where template
    arguments have no beginning."""
    k = i - 1
    if found[k].text == ">":
        depth = inside = 0
        while k >= 0:
            inside += (found[k].text in ")]}") - (found[k].text in "([{")
            if inside == 0:  # between parentheses the signs compare
                depth += (found[k].text == ">") - (found[k].text == "<")
            if depth == 0:
                break
            k -= 1
        k -= 1
        if k < 0:
            return None
    name = found[k].text
    while k >= 2 and found[k - 1].text == "::" and found[k - 2].kind == "word":
        k -= 2
    return k, name


def main_body(found: tuple[Token, ...]) -> int | None:
    """Offset just behind the opening brace of ``main``, if the file defines it."""
    depth = 0
    for i, t in enumerate(found):
        if t.text == "{" and t.kind == "mark":
            depth += 1
        elif t.text == "}" and t.kind == "mark":
            depth -= 1
        if depth == 0 and t.text == "main" and t.kind == "word" and i + 1 < len(found):
            if found[i + 1].text != "(":
                continue
            close = closing(found, i + 1)
            if close is not None and close + 1 < len(found) and found[close + 1].text == "{":
                return found[close + 1].end
    return None


def function_bodies(found: tuple[Token, ...]) -> Iterator[tuple[str, tuple[Token, ...]]]:
    """Each function that a file defines, with the tokens of its body; ``main`` left out."""
    for i in range(len(found) - 1):
        if found[i].kind != "word" or found[i + 1].text != "(" or found[i].text in _KEYWORDS:
            continue
        close = closing(found, i + 1)
        if close is None or found[i].text == "main":
            continue
        k = close + 1
        while k < len(found) and found[k].text in ("const", "noexcept", "override"):
            k += 1
        if k < len(found) and found[k].text in (":", "->"):
            while k < len(found) and found[k].text not in ("{", ";"):
                k += 1
        if k < len(found) and found[k].text == "{":
            end = closing(found, k)
            yield found[i].text, found[k : len(found) if end is None else end]


def launching_functions(sources: tuple[bytes, ...]) -> frozenset[str]:
    """Functions after whose call work can be running: they launch, or mention one that does.

    Names of macros whose body launches are among them.
    """
    bodies: list[tuple[str, tuple[Token, ...]]] = []
    found: set[str] = set()
    for source in sources:
        code, *macros = stretches(source)
        bodies += function_bodies(code.tokens)
        for m in macros:
            if m.macro is not None:
                bodies.append((m.macro, m.tokens))
    for name, body in bodies:
        texts = [t.text for t in body]
        starts = any(texts[i : i + 3] == ["<", "<", "<"] for i in range(len(texts)))
        if starts or any(x.startswith("cuda") and x.endswith("Async") for x in texts):
            found.add(name)
    while True:
        more = {
            name
            for name, body in bodies
            if name not in found and any(t.text in found for t in body if t.kind == "word")
        }
        if not more:
            return frozenset(found)
        found |= more


_KEYWORDS = frozenset({"if", "for", "while", "switch", "catch", "sizeof", "return", "alignas"})


def define_params(text: str) -> tuple[str, ...]:
    """The parameter names of a ``#define`` line."""
    hit = _DEFINE.match(text)
    if hit is None or not hit.group(1):
        return ()
    return tuple(p.strip() for p in hit.group(1)[1:-1].split(","))


__all__ = [
    "API_NAME",
    "FoundCall",
    "FoundLaunch",
    "Stretch",
    "calls",
    "define_params",
    "is_name_use",
    "launches",
    "launching_functions",
    "main_body",
    "outside",
    "split_commas",
    "stretches",
]  # fmt: skip

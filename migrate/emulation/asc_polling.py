"""Loops of device code that read volatile memory: they give way, so that what they await can run.

On the chip the threads of a block and the units of a core run side by side; the runtime for the
CPU switches between them at calls only. A loop that spins on memory has none.
"""

from __future__ import annotations

from migrate.emulation.cpp_lexer import Edit, Token, matching

_DECLARED = frozenset("*&") | {"::", "<", ">"}
_AFTER_NAME = frozenset("=;,)[{")
_STATEMENTS = frozenset({"if", "for", "while", "do", "switch", "return", "{"})


def polling_edits(tokens: tuple[Token, ...], bodies: tuple[int, ...], call: str) -> list[Edit]:
    """Puts ``call`` first into every loop of a device function that mentions volatile memory.

    ``bodies`` are the indices of the ``{`` of device functions. A loop whose body is a statement
    of its own kind without braces is left alone; a loop inside of it is not.
    """
    names = _volatile_names(tokens)
    edits: list[Edit] = []
    for body in bodies:
        end = matching(tokens, body)
        for i in range(body + 1, end or body):
            found = _loop(tokens, i)
            if found is None:
                continue
            first, last = found
            if any(t.text == "volatile" or t.text in names for t in tokens[i : last + 1]):
                edits += _with_call(tokens, first, last, call)
    return edits


def _volatile_names(tokens: tuple[Token, ...]) -> frozenset[str]:
    """Names of variables and parameters that are declared with ``volatile``."""
    names: set[str] = set()
    for i, token in enumerate(tokens):
        if token.text != "volatile":
            continue
        words = [tokens[i - 1]] if i > 0 and tokens[i - 1].kind == "identifier" else []
        k = i + 1
        while k < len(tokens) and (tokens[k].kind == "identifier" or tokens[k].text in _DECLARED):
            words += [tokens[k]] if tokens[k].kind == "identifier" else []
            k += 1
        ends = k < len(tokens) and tokens[k].text in _AFTER_NAME
        if ends and len(words) > 1 and tokens[k - 1].kind == "identifier":
            names.add(tokens[k - 1].text)
    return frozenset(names)


def _loop(tokens: tuple[Token, ...], i: int) -> tuple[int, int] | None:
    """First and last token of the body of the loop whose keyword stands at ``i``."""
    word = tokens[i].text
    if word == "do":
        first = i + 1
    elif word in ("while", "for") and tokens[i + 1].text == "(" and not _ends_do(tokens, i):
        close = matching(tokens, i + 1)
        if close is None:
            return None
        first = close + 1
    else:
        return None
    if tokens[first].text == "{":
        end = matching(tokens, first)
        return None if end is None else (first, end)
    if tokens[first].text in _STATEMENTS or word == "do":
        return None
    last = first
    while tokens[last].text != ";":
        last = (matching(tokens, last) or last) + 1 if tokens[last].text in "([{" else last + 1
    return first, last


def _ends_do(tokens: tuple[Token, ...], i: int) -> bool:
    """Whether the ``while`` at ``i`` closes a ``do``."""
    if i == 0 or tokens[i - 1].text != "}":
        return False
    depth = 0
    for k in range(i - 1, -1, -1):
        depth += (tokens[k].text == "}") - (tokens[k].text == "{")
        if depth == 0:
            return k > 0 and tokens[k - 1].text == "do"
    return False


def _with_call(tokens: tuple[Token, ...], first: int, last: int, call: str) -> list[Edit]:
    if tokens[first].text == "{":
        return [Edit(tokens[first].end, tokens[first].end, f" {call};")]
    opening = Edit(tokens[first].start, tokens[first].start, f"{{ {call}; ")
    return [opening, Edit(tokens[last].end, tokens[last].end, " }")]

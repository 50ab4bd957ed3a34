"""A program with smaller numbers in its `main`, for one whose data is too large to be captured.

Sizes are often written into `main` and not among the arguments. Whole numbers that variables of
`main` start with, products of them and shifted ones, are divided. Nothing else of the program
changes, no kernel among it, and a run counts when the program's own check passes: it checks its
results for the sizes that it has.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from migrate.core.content_store import digest
from migrate.emulation.cpp_lexer import Edit, Token, apply_edits, tokenize
from migrate.emulation.cuda_program import CudaSources

_STEPS = ((1000, 64), (64, 64), (1000, 8))
"""Numbers from which on they are divided, and by what."""
_PRODUCT = re.compile(r"[1-9]\d{0,18}[uUlL]*(\*[1-9]\d{0,18}[uUlL]*)*\Z")
_SHIFTED = re.compile(r"([1-9]\d{0,8})[uUlL]*<<(\d{1,2})\Z")


def smaller_programs(sources: CudaSources, folder: Path) -> Iterator[CudaSources]:
    """The program with smaller numbers, the smallest first; the changed file lies in ``folder``.

    Nothing where no `main` has such numbers, or where device code stands in it.
    """
    for path in sources.sources:
        text = path.read_bytes().decode("latin-1")
        tokens = tokenize(text)
        body = _main_body(tokens)
        if any(t.text in ("__device__", "__global__") for t in body):
            continue
        seen = {text}
        for least, by in _STEPS:
            edits = tuple(_edits(body, least, by))
            changed = apply_edits(text, edits) if edits else text
            if changed in seen:
                continue
            seen.add(changed)
            yield _with(sources, path, changed, folder)


def _with(sources: CudaSources, path: Path, text: str, folder: Path) -> CudaSources:
    data = text.encode("latin-1")
    # Named by its content, so that its runs are found again.
    place = folder / digest(str(path.absolute()).encode(), data) / path.name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    return replace(
        sources,
        sources=tuple(place if p == path else p for p in sources.sources),
        include_dirs=(path.parent, *sources.include_dirs),
        fissioned="",
    )


def _main_body(tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens between the braces of `main`; none without it."""
    for at, token in enumerate(tokens):
        if token.text == "main" and at + 1 < len(tokens) and tokens[at + 1].text == "(":
            depth = 0
            opened = next((i for i in range(at, len(tokens)) if tokens[i].text == "{"), len(tokens))
            for end in range(opened, len(tokens)):
                depth += {"{": 1, "}": -1}.get(tokens[end].text, 0)
                if depth == 0:
                    return tokens[opened + 1 : end]
    return ()


def _edits(body: Sequence[Token], least: int, by: int) -> Iterator[Edit]:
    """``= 1024 * 8;`` becomes ``= (1024 * 8) / 64;``."""
    for at, token in enumerate(body):
        if token.text != "=" or at == 0 or body[at - 1].kind != "identifier":
            continue
        end = next((i for i in range(at + 1, len(body)) if body[i].text in ";,"), at + 1)
        value = _value("".join(t.text for t in body[at + 1 : end]))
        if value >= max(least, by):
            yield Edit(body[at + 1].start, body[at + 1].start, "(")
            yield Edit(body[end - 1].end, body[end - 1].end, f") / {by}")


def _value(text: str) -> int:
    """The value of a whole number, a product of them, or a shifted one; else 0."""
    if _PRODUCT.match(text):
        return math.prod(map(int, re.findall(r"\d+", text)))
    shifted = _SHIFTED.match(text)
    return int(shifted[1]) << int(shifted[2]) if shifted else 0

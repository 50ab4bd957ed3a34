"""CUDA fragments of rule files: how they become a source text that a front end can parse.

Rules know no parser. A front end, handed :func:`fragment_source`, gives back one kernel a
fragment; its body is the pattern (see :mod:`migrate.rules.match`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from migrate.ir.expr import Expr
from migrate.ir.kernel import Module
from migrate.ir.simt import Declare, Stmt
from migrate.rules.model import Rule

RESULT = "cm_result"
"""The variable that holds the value of an expression fragment."""
_HEADERS = ("cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h")
_METAVARIABLE = re.compile(r"\$([A-Za-z_]\w*)")


@dataclass(frozen=True, slots=True)
class Fragment:
    """An expression or statements over variables of C++ types. ``key`` is unique in a source."""

    key: str
    text: str
    types: tuple[tuple[str, str], ...]

    @property
    def is_statement(self) -> bool:
        """True when the text ends a statement."""
        return self.text.rstrip().endswith((";", "}"))


FragmentParser = Callable[[str], Module]
"""Reads a CUDA source text and gives its kernels; a front end supplies it."""


def pattern_fragment(rule: Rule) -> Fragment:
    """The pattern of an idiom: ``$X`` is a variable of the type that ``where`` gives."""
    return Fragment(rule.id, _METAVARIABLE.sub(r"\1", rule.fragment), rule.variables)


def example_fragments(rule: Rule) -> tuple[Fragment, ...]:
    """The examples of a device rule."""
    return tuple(Fragment(f"{rule.id}#{i}", e.cuda, e.types) for i, e in enumerate(rule.examples))


def near_miss_fragments(rule: Rule) -> tuple[Fragment, ...]:
    """The near-misses of a device rule that are given as code."""
    return tuple(
        Fragment(f"{rule.id}!{i}", m.cuda, m.types)
        for i, m in enumerate(rule.near_misses)
        if m.cuda
    )


def fragment_source(fragments: Sequence[Fragment]) -> str:
    """A CUDA source with one kernel a fragment, named ``fragment_0``, ``fragment_1``..."""
    lines = [f"#include <{h}>" for h in _HEADERS]
    for i, item in enumerate(fragments):
        params = ", ".join(f"{kind} {name}" for name, kind in item.types)
        body = item.text if item.is_statement else f"auto {RESULT} = {item.text};"
        lines.append(f"__global__ void fragment_{i}({params}) {{ {body} }}")
    return "\n".join(lines) + "\n"


def parse_fragments(
    fragments: Sequence[Fragment], parser: FragmentParser
) -> dict[str, tuple[Stmt, ...]]:
    """The body of each fragment that could be read, by key."""
    kernels = {k.name: k for k in parser(fragment_source(fragments)).kernels}
    return {
        item.key: kernels[f"fragment_{i}"].body
        for i, item in enumerate(fragments)
        if f"fragment_{i}" in kernels
    }


def value_of(body: tuple[Stmt, ...]) -> Expr | None:
    """The expression of a fragment that is one, ``None`` when it needed statements."""
    match body:
        case (Declare(name=name, init=init),) if name == RESULT:
            return init
        case _:
            return None

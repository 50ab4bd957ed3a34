"""Kernels that libclang did not see, found by tree-sitter, so that none is lost in silence.

A syntax error can hide a whole function from clang. tree-sitter goes on after errors; it knows no
types, so all that it gives is the kernel's name and place.
"""

from __future__ import annotations

import re
from dataclasses import replace

import tree_sitter_cuda
from tree_sitter import Language, Node, Parser

from migrate.core.codes import reading
from migrate.core.diagnostics import Diagnostic, Outcome
from migrate.core.span import span_of
from migrate.frontend.branches import SkippedBranch
from migrate.frontend.declarations import Declarations
from migrate.ir.program import SourceFile, UnreadKernel

_GLOBAL = re.compile(rb"\b__global__\b")


def unseen_kernels(
    main: SourceFile,
    headers: tuple[SourceFile, ...],
    declarations: Declarations,
    skipped: tuple[SkippedBranch, ...] = (),
) -> tuple[UnreadKernel, ...]:
    """Kernel definitions in the text that are no declaration of clang's.

    One in a preprocessor branch that was not read has that branch's diagnostic; what stands in
    ``#if 0`` is no kernel of the program.
    """
    found: list[UnreadKernel] = []
    for file in (main, *headers):
        if not _GLOBAL.search(file.text):
            continue
        seen = [
            (d.start, d.end) for d in declarations.functions
            if d.file == str(file.path) and d.is_kernel
        ]  # fmt: skip
        for name, start, end in kernel_definitions(file.text):
            if any(s < end and start < e for s, e in seen):
                continue
            span = span_of(str(file.path), file.text, start, end)
            branch = _branch(skipped, str(file.path), start)
            if branch is not None:
                if not branch.branch.never:
                    found.append(UnreadKernel(name, span, _left_out(branch, name)))
                continue
            cause = f"{name} is in the text and not in the parsed code"
            found.append(
                UnreadKernel(
                    name,
                    span,
                    Diagnostic(reading.KERNEL_UNREAD, Outcome.REFUSED, cause, span, kernel=name),
                )
            )
    return tuple(found)


def _branch(skipped: tuple[SkippedBranch, ...], file: str, at: int) -> SkippedBranch | None:
    return next(
        (s for s in skipped if s.file == file and s.branch.start <= at < s.branch.end), None
    )


def _left_out(branch: SkippedBranch, name: str) -> Diagnostic:
    return replace(branch.diagnostic, outcome=Outcome.REFUSED, kernel=name)


def kernel_definitions(text: bytes) -> tuple[tuple[str, int, int], ...]:
    """Name and byte range of every ``__global__`` function definition in the text."""
    parser = Parser(Language(tree_sitter_cuda.language()))
    root = parser.parse(text).root_node
    found: list[tuple[str, int, int]] = []
    stack: list[Node] = [root]
    while stack:
        node = stack.pop()
        if node.type == "function_definition":
            body = node.child_by_field_name("body")
            declarator = node.child_by_field_name("declarator")
            if body is not None and declarator is not None:
                head = text[node.start_byte : body.start_byte]
                if _GLOBAL.search(head):
                    name = _declared_name(declarator, text)
                    found.append((name, node.start_byte, node.end_byte))
                continue
        stack.extend(reversed(node.children))
    return tuple(found)


def _declared_name(node: Node, text: bytes) -> str:
    while True:
        inner = node.child_by_field_name("declarator")
        if inner is None:
            break
        node = inner
    return text[node.start_byte : node.end_byte].decode("utf-8", errors="replace")

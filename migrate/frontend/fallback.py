"""Kernels that libclang did not see, found by tree-sitter, so that none is lost in silence.

A syntax error can hide a whole function from clang. tree-sitter goes on after errors; it knows no
types, so all that it gives is the kernel's name and place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

import tree_sitter_cuda
from tree_sitter import Language, Node, Parser

from migrate.core.codes import reading
from migrate.core.cpp_text import tokens
from migrate.core.cuda_text import kernel_heads, launch_places
from migrate.core.diagnostics import Diagnostic, Outcome
from migrate.core.span import span_of
from migrate.frontend.branches import SkippedBranch
from migrate.frontend.declarations import Declarations
from migrate.ir.program import LaunchSite, SourceFile, UnreadKernel

_GLOBAL = re.compile(rb"\b__global__\b")
_LAUNCH = re.compile(rb"<<<")

Ranges = list[tuple[int, int]]
"""Half-open byte ranges of one file."""


def unseen_kernels(
    main: SourceFile,
    headers: tuple[SourceFile, ...],
    declarations: Declarations,
    skipped: tuple[SkippedBranch, ...] = (),
    known: tuple[UnreadKernel, ...] = (),
) -> tuple[UnreadKernel, ...]:
    """Kernel definitions in the text that are no declaration of clang's.

    One in a preprocessor branch that was not read has that branch's diagnostic; what stands in
    ``#if 0`` is no kernel of the program.
    """
    found: list[UnreadKernel] = []
    for file in (main, *headers):
        if not _GLOBAL.search(file.text):
            continue
        name_of = str(file.path)
        seen = [
            (d.start, d.end) for d in declarations.functions if d.file == name_of and d.is_kernel
        ]
        for name, start, end in _written_kernels(file.text, seen):
            if any(k.name == name and k.span.file == name_of for k in known):
                continue
            span = span_of(name_of, file.text, start, end)
            branch = _branch(skipped, name_of, start)
            if branch is not None:
                if not branch.branch.never:
                    found.append(UnreadKernel(name, span, _left_out(branch, name)))
                continue
            cause = f"{name} is in the text and not in the parsed code"
            unread = Diagnostic(reading.KERNEL_UNREAD, Outcome.REFUSED, cause, span, kernel=name)
            found.append(UnreadKernel(name, span, unread))
    return tuple(found)


def _written_kernels(text: bytes, seen: Ranges) -> tuple[tuple[str, int, int], ...]:
    """Kernel definitions outside of ``seen``: by tree-sitter, and those only the tokens show."""
    if all(_inside(m.start(), seen) for m in _GLOBAL.finditer(text)):
        return ()
    found = [
        (name, start, end)
        for name, start, end in kernel_definitions(text)
        if not any(s < end and start < e for s, e in seen)
    ]
    known = [*seen, *((s, e) for _, s, e in found)]
    if all(_inside(m.start(), known) for m in _GLOBAL.finditer(text)):
        return tuple(found)
    for head in kernel_heads(tokens(text)):
        if head.defined and not _inside(head.start, known):
            found.append((head.name, head.start, head.end))
    return tuple(found)


def unseen_launches(
    files: tuple[SourceFile, ...],
    launches: Iterable[LaunchSite],
    declarations: Declarations,
    skipped: tuple[SkippedBranch, ...],
) -> Iterator[Diagnostic]:
    """Launches in host text that the parsed code does not have."""
    seen = [(x.span.file, x.span.start, x.span.end) for x in launches]
    for file in files:
        if b"<<<" not in file.text:
            continue
        name = str(file.path)
        device = [
            (d.start, d.end) for d in declarations.functions if d.file == name and d.is_device
        ]
        known = [(s, e) for f, s, e in seen if f == name]
        covered = [*device, *known]
        if all(_inside(m.start(), covered) for m in _LAUNCH.finditer(file.text)):
            continue  # comments and strings apart, so the tokens need not be looked at
        for at in launch_places(tokens(file.text)):
            if _inside(at, covered) or _branch(skipped, name, at) is not None:
                continue
            line = file.text[file.text.rfind(b"\n", 0, at) + 1 : at]
            cause = line.decode("utf-8", errors="replace").strip() or "a launch"
            span = span_of(name, file.text, at, at + 3)
            yield Diagnostic(reading.LAUNCH_UNREAD, Outcome.WEAKER, f"{cause}<<<...>>>", span)


def _inside(at: int, ranges: Ranges) -> bool:
    return any(start <= at < end for start, end in ranges)


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

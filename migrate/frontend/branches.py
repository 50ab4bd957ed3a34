"""Preprocessor branches that the parser skipped although they hold CUDA, and how to reach them."""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from dataclasses import dataclass

from clang import cindex

from migrate.core.codes import reading
from migrate.core.cpp_text import tokens
from migrate.core.cuda_text import CudaUses, cuda_uses
from migrate.core.diagnostics import Diagnostic, Outcome, Suggestion, Trust
from migrate.core.span import Span, span_of
from migrate.ir.program import SourceFile

_DIRECTIVE = re.compile(r"#\s*(ifdef|ifndef|if|elif|else|endif)\b(.*)", re.DOTALL)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\\\r?\n", re.DOTALL)
_DEFINED = re.compile(r"(!?)\s*defined\s*(?:\(\s*(\w+)\s*\)|(\w+))")
_COMPARED = re.compile(r"\(?\s*([A-Za-z_]\w*)\s*(==|>=|>|<=|<|!=)\s*(\d+)[uUlL]*\s*\)?")
_NAMED = re.compile(r"(!?)\s*([A-Za-z_]\w*)")


@dataclass(frozen=True, slots=True)
class Branch:
    """Text between two directives; ``condition`` is that of its own directive.

    ``before`` are the conditions of earlier branches of the same chain, which all have to fail.
    """

    start: int
    end: int
    condition: str
    before: tuple[str, ...]

    @property
    def never(self) -> bool:
        """True for ``#if 0``: nothing reaches it."""
        return self.condition in ("0", "false")

    @property
    def needs(self) -> str:
        """The condition as one expression."""
        own = [f"({self.condition})"] if self.condition else []
        return " && ".join([*(f"!({c})" for c in self.before), *own])

    @property
    def options(self) -> tuple[str, ...]:
        """Options that make the condition hold, as far as it is of a simple form."""
        return _reached(self.condition, True) if self.condition else _avoided(self.before)


@dataclass(frozen=True, slots=True)
class SkippedBranch:
    """A branch that was not read, with what stands in it."""

    file: str
    branch: Branch
    uses: CudaUses
    diagnostic: Diagnostic


class _RangeList(ctypes.Structure):
    _fields_ = (("count", ctypes.c_uint), ("ranges", ctypes.POINTER(cindex.SourceRange)))


def skipped_ranges(tree: cindex.TranslationUnit, file: str) -> tuple[tuple[int, int], ...]:
    """Byte ranges of a file that the preprocessor left out, directives included."""
    lib = cindex.conf.lib
    ask = ctypes.CFUNCTYPE(ctypes.POINTER(_RangeList), cindex.c_object_p, cindex.c_object_p)(
        ("clang_getSkippedRanges", lib)
    )
    drop = ctypes.CFUNCTYPE(None, ctypes.POINTER(_RangeList))(("clang_disposeSourceRangeList", lib))
    handle = tree.get_file(file)
    found = ask(tree, handle)
    if not found:
        return ()
    ranges = [found.contents.ranges[i] for i in range(found.contents.count)]
    places = tuple((int(r.start.offset), int(r.end.offset)) for r in ranges)
    drop(found)
    return places


def skipped_spans(tree: cindex.TranslationUnit, files: tuple[SourceFile, ...]) -> tuple[Span, ...]:
    """What the preprocessor left out of files that it read once.

    libclang tells of the first reading only, so nothing is said of a file that was read again.
    """
    entered = Counter(str(i.include.name) for i in tree.get_includes())
    return tuple(
        span_of(str(f.path), f.text, start, end)
        for f in files
        if entered[str(f.path)] <= 1
        for start, end in skipped_ranges(tree, str(f.path))
    )


def branches(text: bytes) -> tuple[Branch, ...]:
    """Every branch of every conditional of a text, outer ones before what they hold."""
    found: list[Branch] = []
    open_: list[tuple[int, str, tuple[str, ...]]] = []
    for token in tokens(text):
        if token.kind != "directive":
            continue
        hit = _DIRECTIVE.match(_COMMENT.sub(" ", token.text))
        if hit is None:
            continue
        word, rest = hit.group(1), " ".join(hit.group(2).split())
        if word in ("if", "ifdef", "ifndef"):
            shown = {"ifdef": f"defined({rest})", "ifndef": f"!defined({rest})"}.get(word, rest)
            open_.append((token.end, shown, ()))
        elif open_:
            start, condition, before = open_.pop()
            found.append(Branch(start, token.start, condition, before))
            if word != "endif":
                passed = (*before, condition)
                open_.append((token.end, rest if word == "elif" else "", passed))
    return tuple(sorted(found, key=lambda b: (b.start, -b.end)))


def skipped_branches(
    tree: cindex.TranslationUnit, file: str, text: bytes
) -> tuple[SkippedBranch, ...]:
    """The outermost branches of a file that were skipped and hold CUDA."""
    return branches_within(file, text, skipped_ranges(tree, file))


def branches_within(
    file: str, text: bytes, ranges: tuple[tuple[int, int], ...]
) -> tuple[SkippedBranch, ...]:
    """The outermost branches that lie in ranges which were skipped, and hold CUDA."""
    found: list[SkippedBranch] = []
    for branch in branches(text) if ranges else ():
        if any(s.branch.start <= branch.start and branch.end <= s.branch.end for s in found):
            continue
        if not any(start <= branch.start and branch.end <= end for start, end in ranges):
            continue
        uses = cuda_uses(text, branch.start, branch.end)
        if uses.kernels or uses.launches or uses.calls:
            found.append(SkippedBranch(file, branch, uses, _diagnostic(file, text, branch, uses)))
    return tuple(found)


def _diagnostic(file: str, text: bytes, branch: Branch, uses: CudaUses) -> Diagnostic:
    body = text[branch.start : branch.end]
    start = branch.start + len(body) - len(body.lstrip())
    span = span_of(file, text, start, max(start, branch.start + len(body.rstrip())))
    if branch.never:
        return Diagnostic(reading.BRANCH_NOT_READ, Outcome.EXACT, f"{uses}: never compiled", span)
    options = branch.options
    hint = f"to read it, give {' '.join(options)}" if options else f"make {branch.needs} hold"
    return Diagnostic(
        reading.BRANCH_NOT_READ,
        Outcome.WEAKER,
        f"{uses}: needs {branch.needs}",
        span,
        suggestion=Suggestion(hint, Trust.REVIEW),
    )


def _reached(condition: str, wanted: bool) -> tuple[str, ...]:
    """Options for a condition of a simple form to be true, or false; none for another form."""
    inner = condition.strip()
    if wanted and "&&" in inner and "||" not in inner:
        parts = [_reached(p, True) for p in inner.split("&&")]
        return tuple(o for p in parts for o in p) if all(parts) else ()
    if wanted and "||" in inner and "&&" not in inner:
        return next((o for p in inner.split("||") if (o := _reached(p, True))), ())
    if hit := _DEFINED.fullmatch(inner):
        name = hit.group(2) or hit.group(3)
        return _defined(name, (hit.group(1) == "") is wanted)
    if hit := _COMPARED.fullmatch(inner):
        return _compared(hit.group(1), hit.group(2), int(hit.group(3)), wanted)
    if hit := _NAMED.fullmatch(inner):
        value = 1 if (hit.group(1) == "") is wanted else 0
        return (f"-D {hit.group(2)}={value}",)
    return ()


def _defined(name: str, wanted: bool) -> tuple[str, ...]:
    return (f"-D {name}",) if wanted else (f"no -D {name}",)


_OPPOSITE = {"==": "!=", "!=": "==", ">=": "<", "<": ">=", ">": "<=", "<=": ">"}
_VALUE = {"==": 0, ">=": 0, "<=": 0, ">": 1, "<": -1, "!=": 1}


def _compared(name: str, relation: str, value: int, wanted: bool) -> tuple[str, ...]:
    held = relation if wanted else _OPPOSITE[relation]
    return (f"-D {name}={max(0, value + _VALUE[held])}",)


def _avoided(conditions: tuple[str, ...]) -> tuple[str, ...]:
    found = [_reached(c, False) for c in conditions]
    return tuple(o for f in found for o in f) if all(found) else ()

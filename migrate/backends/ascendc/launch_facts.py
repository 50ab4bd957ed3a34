"""What the launches of a program say about a kernel: dimensions of its grid, size of its blocks."""

from __future__ import annotations

from migrate.core.cpp_text import tokens
from migrate.ir.kernel import Kernel
from migrate.ir.program import LaunchSite, SourceUnit


def may_launch(site: LaunchSite, kernel: Kernel) -> bool:
    """True unless the site is known to launch other kernels only."""
    if kernel.symbol in site.kernels:
        return True
    name = site.callee.text.split("<")[0].rpartition("::")[2].strip()
    return name == kernel.name or not site.kernels


def is_integer(type_: str) -> bool:
    """True for the spelling of an integer type."""
    words = type_.replace("const", "").split()
    known = {"int", "unsigned", "long", "short", "char", "size_t", "uint32_t", "int32_t", "uint",
             "uint64_t", "int64_t", "signed", "bool", "unsigned int"}  # fmt: skip
    return bool(words) and all(w in known for w in words)


def largest_block(blocks: tuple[str, ...], units: tuple[SourceUnit, ...]) -> int:
    """The largest block of all launches when every one is a literal or a constant; else 0."""
    largest = 0
    for text in blocks:
        value = _constant(text.strip(), units)
        if value is None or not 0 < value <= 2048:
            return 0
        largest = max(largest, value)
    return largest


def _constant(text: str, units: tuple[SourceUnit, ...]) -> int | None:
    """An integer literal, or a name that is defined once as one in the whole program."""
    if text.isdigit():
        return int(text)
    if not text.isidentifier():
        return None
    values: list[int | None] = []
    for unit in units:
        for file in unit.files:
            values += _definitions_of(text, file.text)
    found = set(values)
    return found.pop() if len(found) == 1 else None


def _definitions_of(name: str, source: bytes) -> list[int | None]:
    """Values of ``const int name = 256`` and ``#define name 256``; ``None`` for anything else."""
    found = tokens(source)
    out: list[int | None] = []
    for i, t in enumerate(found):
        if t.kind == "directive":
            words = t.text.split()
            if len(words) >= 3 and words[0] == "#define" and words[1] == name:
                out.append(int(words[2]) if len(words) == 3 and words[2].isdigit() else None)
            elif name in words[1:2] and words[0] == "#undef":
                out.append(None)
            continue
        if t.text != name or i < 1 or i + 1 >= len(found):
            continue
        before = found[i - 1]
        if before.kind != "word" or before.text in ("return", "else", "case"):
            after = found[i + 1].text
            if after in ("=", "+", "-") and before.text in (";", "{", "}", ")"):
                out.append(None)  # assigned somewhere: not a constant
            continue
        is_const = any(w.text in ("const", "constexpr") for w in found[max(0, i - 4) : i])
        follows = [w.text for w in found[i + 1 : i + 4]]
        simple = len(follows) == 3 and follows[0] == "=" and follows[1].isdigit()
        good = is_const and simple and follows[2] in (";", ",")
        out.append(int(follows[1]) if good else None)
    return out

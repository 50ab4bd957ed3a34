"""Stand-ins for CUDA types and constants without a counterpart: they compile, and end the program.

A call that has none becomes ``cudaUnsupported("CM4003: ...")``. What such calls take and give has
types and constants of its own, for which no header is left; each gets a definition here under its
own name, so that the rest of the file compiles and the program fails where the missing thing would
do something. A value of such a type converts to and from anything; to convert it fails loudly.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from migrate.backends.ascendc.host_libraries import library_of
from migrate.core.cpp_text import Token, closing
from migrate.rules.model import Prelude

UNKNOWN = Prelude(
    "CudaUnknown",
    """// Stands for values of CUDA without a counterpart: anything converts to it, and using it
// ends the program.
struct CudaUnknown {
    CudaUnknown() = default;
    template <class Element>
    CudaUnknown(const Element&)
    {
    }
    [[noreturn]] static void fail(const char* message)
    {
        std::fprintf(stderr, "%s\\n", message);
        std::abort();
    }
    [[noreturn]] static void used()
    {
        fail("CM4003: a value of CUDA without a counterpart is used");
    }
    template <class Element>
    operator Element() const
    {
        used();
    }
    template <class Element>
    CudaUnknown operator[](const Element&) const
    {
        used();
    }
    CudaUnknown operator*() const { used(); }
};
template <class Left, class Right>
struct AnyUnknown
    : std::enable_if<std::is_base_of<CudaUnknown, Left>::value
                     || std::is_base_of<CudaUnknown, Right>::value> {
};
template <class Left, class Right, class = typename AnyUnknown<Left, Right>::type>
bool operator==(const Left&, const Right&)
{
    CudaUnknown::used();
}
template <class Left, class Right, class = typename AnyUnknown<Left, Right>::type>
bool operator!=(const Left&, const Right&)
{
    CudaUnknown::used();
}
""",
)
UNSUPPORTED = Prelude(
    "cudaUnsupported",
    """// Stands where a CUDA call has no counterpart: says so and ends the program.
[[noreturn]] inline CudaUnknown cudaUnsupported(const char* message)
{
    CudaUnknown::fail(message);
}
""",
)
TYPE_FORM = re.compile(r"\w+_t|CU[a-z]\w*|\w+_(?:PARAMS|DESCRIPTOR)")
"""What names of CUDA's types look like."""
_AFTER_TYPE = frozenset({"*", "&", ">", ")", ","})
_NO_DECLARATION = frozenset({"return", "case", "else", "const", "volatile"})


@dataclass(frozen=True, slots=True)
class Stand:
    """A name that needs a stand-in; ``members`` are the chains of members asked of its variables.

    ``counts`` marks a type whose variables are switched over: a whole number stands in for it.
    """

    name: str
    is_type: bool
    counts: bool = False
    members: tuple[tuple[str, ...], ...] = ()


def stands(
    parts: Iterable[tuple[Token, ...]],
    declared: frozenset[str],
    covered: frozenset[str],
    types: frozenset[str],
) -> dict[str, Stand]:
    """The CUDA-looking names of host code that nothing covers, by name.

    ``declared`` are the program's own names, ``covered`` those that rules spell; ``types`` are
    known to be types. A name that only stands in front of parentheses is a call and not listed.
    """
    files = tuple(parts)
    kinds: dict[str, bool] = {}
    for found in files:
        for i, t in enumerate(found):
            if not _is_candidate(found, i) or t.text in declared or t.text in covered:
                continue
            if library_of(t.text) is None or _is_call(found, i):
                continue
            kinds[t.text] = kinds.get(t.text, False) or t.text in types or _is_type(found, i)
    return {n: _stand(n, k, files) for n, k in sorted(kinds.items())}


def _stand(name: str, is_type: bool, files: tuple[tuple[Token, ...], ...]) -> Stand:
    counts = is_type and any(_is_switched(name, found) for found in files)
    return Stand(name, is_type, counts, _members(name, files) if is_type and not counts else ())


def _is_switched(name: str, found: tuple[Token, ...]) -> bool:
    variables = set(_variables(name, found))
    return any(
        t.text == "switch" and found[i + 2].text in variables for i, t in enumerate(found[:-2])
    )


def _is_candidate(found: tuple[Token, ...], i: int) -> bool:
    if found[i].kind != "word":
        return False
    before = found[i - 1].text if i else ""
    after = found[i + 1].text if i + 1 < len(found) else ""
    scoped = before == "::" and i > 1 and found[i - 2].kind == "word"
    return before not in (".", "->") and not scoped and after != "::"


def _is_call(found: tuple[Token, ...], i: int) -> bool:
    return i + 1 < len(found) and found[i + 1].text == "("


def _is_type(found: tuple[Token, ...], i: int) -> bool:
    """By the name's form, or because it stands in front of what it declares."""
    if TYPE_FORM.fullmatch(found[i].text):
        return True
    k = i + 1
    while k < len(found) and found[k].text in ("*", "&", "const"):
        k += 1
    if k >= len(found):
        return False
    if found[k].kind == "word" and found[k].text not in ("and", "or"):
        return k == i + 1 or (k + 1 < len(found) and found[k + 1].text in (";", "=", ",", ")", "["))
    return k > i + 1 and found[k].text in _AFTER_TYPE


def _members(name: str, files: tuple[tuple[Token, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """Chains of members of the variables that are declared with a type: ``v.a.b`` is (a, b)."""
    chains: dict[tuple[str, ...], None] = {}
    for found in files:
        variables = set(_variables(name, found))
        for i, t in enumerate(found):
            if t.kind == "word" and t.text in variables and i + 1 < len(found):
                chain = tuple(_chain(found, i + 1))
                if chain:
                    chains[chain] = None
    return tuple(sorted(chains))


def _variables(name: str, found: tuple[Token, ...]) -> Iterator[str]:
    for i, t in enumerate(found):
        if t.kind != "word" or t.text != name:
            continue
        k = i + 1
        while k < len(found):
            while k < len(found) and found[k].text in ("*", "&", "const", ">", "<"):
                k += 1
            if k >= len(found) or found[k].kind != "word" or found[k].text in _NO_DECLARATION:
                break
            yield found[k].text
            k += 1
            while k < len(found) and found[k].text not in (",", ";", ")", "("):
                close = closing(found, k) if found[k].text in ("[", "{") else None
                k = k + 1 if close is None else close + 1
            if k >= len(found) or found[k].text != ",":
                break
            k += 1


def _chain(found: tuple[Token, ...], at: int) -> Iterator[str]:
    k = at
    while k + 1 < len(found):
        if found[k].text == "[":
            close = closing(found, k)
            if close is None:
                return
            k = close + 1
        elif found[k].text in (".", "->") and found[k + 1].kind == "word":
            yield found[k + 1].text
            k += 2
        else:
            return


def stand_text(stand: Stand) -> Prelude:
    """The definition that stands in for a name."""
    guard = f"CUDA_UNKNOWN_{stand.name}"
    head = f"#ifndef {guard}\n#define {guard}\n"
    if not stand.is_type:
        # A number of its own for each name, so that `case` labels differ.
        number = 0x40030000 + (zlib.crc32(stand.name.encode()) & 0xFFFF)
        return Prelude(guard, f"{head}constexpr int {stand.name} = {number};\n#endif\n")
    if stand.counts:
        return Prelude(guard, f"{head}typedef int {stand.name};\n#endif\n")
    lines = ["    using CudaUnknown::CudaUnknown;", *_fields(stand.members, 1)]
    body = "\n".join([f"struct {stand.name} : CudaUnknown {{", *lines, "};"])
    return Prelude(guard, f"{head}{body}\n#endif\n")


def _fields(chains: tuple[tuple[str, ...], ...], depth: int) -> Iterator[str]:
    """A field for each first member, itself with fields where the chains go on."""
    indent = "    " * depth
    for first in sorted({c[0] for c in chains}):
        rest = tuple(c[1:] for c in chains if c[0] == first and len(c) > 1)
        if not rest:
            yield f"{indent}CudaUnknown {first};"
            continue
        yield f"{indent}struct : CudaUnknown {{"
        yield f"{indent}    using CudaUnknown::operator=;"
        yield from _fields(rest, depth + 1)
        yield f"{indent}}} {first};"

"""Local unions of scalars of one size become the word that they hold.

    var w: Bits                        var w: u32
    w.f = x                            w = bitcast(x, u32)
    n = (w.u >> 31)                    n = (w >> 31)

Exact where every member has the size of the union: a write of one member then replaces all bits,
and a read of another gives the same bits in its own type, which is what CUDA's compilers promise
(GNU and Clang manuals, type punning through unions). A union that is copied as a whole, whose
address is taken, or that holds an array or a shorter member stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from migrate.ir.expr import Bitcast, Compose, Expr, FieldPlace, Place, Read, VarPlace
from migrate.ir.kernel import Kernel, Module
from migrate.ir.simt import Assign, Declare, Stmt
from migrate.ir.types import BOOL, U8, U16, U32, U64, Scalar, Space, Struct, Type
from migrate.ir.walk import Rewriter, walk_stmts

_WORDS = {1: U8, 2: U16, 4: U32, 8: U64}


def unions_as_words(kernel: Kernel, module: Module) -> Kernel:
    """The kernel without those local unions that are one word."""
    words: dict[str, Scalar] = {}
    for s in walk_stmts(kernel.body):
        if isinstance(s, Declare) and s.space is Space.LOCAL:
            word = _word(s.type, module)
            if word is not None:
                words[s.name] = word
    while words:
        body = _Words(words).body(kernel.body)
        whole = _used_whole(body, frozenset(words))
        if not whole:
            return replace(kernel, body=body)
        words = {name: word for name, word in words.items() if name not in whole}
    return kernel


def _word(kind: Type, module: Module) -> Scalar | None:
    if not isinstance(kind, Struct):
        return None
    found = module.struct(kind.name)
    types = [f.type for f in found.fields if isinstance(f.type, Scalar) and f.type != BOOL]
    if not found.union or len(types) != len(found.fields):
        return None
    return _WORDS.get(found.size) if all(t.bytes == found.size for t in types) else None


def _used_whole(body: tuple[Stmt, ...], names: frozenset[str]) -> frozenset[str]:
    """Those of ``names`` that are still places of a union."""
    found: set[str] = set()

    def seen(p: Place) -> Place | None:
        if isinstance(p, VarPlace) and p.name in names and isinstance(p.type, Struct):
            found.add(p.name)
        return None

    Rewriter(place=seen).body(body)
    found |= {
        s.name
        for s in walk_stmts(body)
        if isinstance(s, Declare) and s.name in names and isinstance(s.type, Struct)
    }
    return frozenset(found)


class _Words(Rewriter):
    def __init__(self, words: Mapping[str, Scalar]) -> None:
        super().__init__(expr=self._read, stmt=self._write)
        self._words = words

    def _read(self, e: Expr) -> Expr | None:
        match e:
            case Read(FieldPlace(VarPlace(name), _, kind)) if name in self._words:
                word = self._words[name]
                value = Read(VarPlace(name, word), span=e.span)
                return value if kind == word else Bitcast(value, kind, span=e.span)
            case _:
                return None

    def _write(self, s: Stmt) -> tuple[Stmt, ...] | None:
        match s:
            case Assign(FieldPlace(VarPlace(name)), value) if name in self._words:
                place = VarPlace(name, self._words[name], span=s.place.span)
                return (replace(s, place=place, value=self._bits(value, name)),)
            case Declare(name, Struct(), init) if name in self._words:
                match init:
                    case None:
                        return (replace(s, type=self._words[name]),)
                    case Compose((value,)):
                        bits = self._bits(value, name)
                        return (replace(s, type=self._words[name], init=bits),)
                    case _:
                        return None
            case _:
                return None

    def _bits(self, value: Expr, name: str) -> Expr:
        word = self._words[name]
        return value if value.type == word else Bitcast(value, word, span=value.span)

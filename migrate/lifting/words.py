"""The words that memory is made of: which scalar stands for a buffer, and bits as other scalars."""

from __future__ import annotations

from migrate.ir.expr import ArrElem, Bitcast, Expr, FieldPlace, Place, PtrElem, VarPlace
from migrate.ir.types import I16, I32, I64, U8, U16, U32, U64, Scalar


def word_of(held: set[Scalar], accessed: set[Scalar]) -> Scalar:
    """The element type of a buffer."""
    everything = held | accessed
    if not everything:
        return U8
    size = min(s.bytes for s in everything)
    if len(held) == 1 and all(s.bytes >= size for s in accessed):
        (only,) = held
        if only.bytes == size:
            return only
    smallest = {s for s in everything if s.bytes == size}
    if len(smallest) == 1:
        return next(iter(smallest))
    return _SIGNED[size]


def atomic_word(word: Scalar, atomics: set[Scalar]) -> Scalar:
    """The element type of a buffer that has atomic operations on those types."""
    if len(atomics) != 1:
        return word
    (only,) = atomics
    return only if only.bytes == word.bytes else word


_SIGNED = {1: U8, 2: I16, 4: I32, 8: I64}
_UNSIGNED = {1: U8, 2: U16, 4: U32, 8: U64}


def unsigned(size: int) -> Scalar:
    """The unsigned integer of that many bytes."""
    return _UNSIGNED[size]


def as_bits(e: Expr, kind: Scalar) -> Expr:
    """The bits of a value as another scalar of its size."""
    return e if e.type == kind else Bitcast(e, kind, span=e.span)


def variables_of(p: Place) -> set[str]:
    """The variable that a place lies in, none for what a pointer points to."""
    match p:
        case VarPlace(name):
            return {name}
        case ArrElem(base) | FieldPlace(base):
            return variables_of(base)
        case PtrElem():
            return set()

"""Tiles of a program under construction: names, reuse of temporaries, loads at hand."""

from __future__ import annotations

from dataclasses import dataclass, field

from migrate.ir.expr import Expr
from migrate.ir.tile import TileDecl, TileRef, TileScope
from migrate.ir.types import BOOL, Scalar
from migrate.ir.walk import var_names


class NotVector(Exception):
    """A statement or expression has no exact vector form; the text says which fact decided."""


@dataclass(frozen=True, slots=True)
class Load:
    """A tile that holds ``pointer[index + lane]``; ``root`` is the pointer's parameter."""

    pointer: Expr
    index: Expr
    tile: TileRef
    root: str | None


@dataclass(slots=True)
class Buffers:
    """Declares tiles. Temporaries go back to a pool after their only use."""

    taken: set[str]
    decls: list[TileDecl] = field(default_factory=list)
    loads: list[Load] = field(default_factory=list)
    _pool: dict[Scalar, list[str]] = field(default_factory=dict)
    _temps: set[str] = field(default_factory=set)

    def fresh_name(self, hint: str) -> str:
        """``hint``, or ``hint2``... when it is taken."""
        trial, n = hint, 2
        while trial in self.taken:
            trial, n = f"{hint}{n}", n + 1
        self.taken.add(trial)
        return trial

    def tile(self, hint: str, kind: Scalar, scope: TileScope) -> TileRef:
        """A new tile of its own."""
        name = self.fresh_name(hint)
        self.decls.append(TileDecl(name, kind, scope))
        return TileRef(name, kind)

    def named(self, name: str, kind: Scalar) -> TileRef:
        """The tile of a variable, declared at its first use."""
        if not any(d.name == name for d in self.decls):
            scope = TileScope.MASK if kind == BOOL else TileScope.CALC
            self.decls.append(TileDecl(name, kind, scope))
        return TileRef(name, kind)

    def has(self, name: str) -> bool:
        """True when a tile of that name is declared."""
        return any(d.name == name for d in self.decls)

    def declared(self, name: str) -> Scalar:
        """The declared type of a tile."""
        return next(d.type for d in self.decls if d.name == name)

    def temp(self, kind: Scalar) -> TileRef:
        """A temporary; give it back with :meth:`release` after its last use."""
        free = self._pool.get(kind)
        if free:
            return TileRef(free.pop(), kind)
        is_mask = kind == BOOL
        scope = TileScope.MASK if is_mask else TileScope.CALC
        made = self.tile("mask" if is_mask else "tmp", kind, scope)
        self._temps.add(made.name)
        return made

    def release(self, *items: object) -> None:
        """Temporaries among ``items`` may be used again."""
        for item in items:
            if isinstance(item, TileRef) and item.name in self._temps:
                pool = self._pool.setdefault(self.declared(item.name), [])
                if item.name not in pool:
                    pool.append(item.name)

    def drain(self) -> None:
        """Forget free temporaries: what follows declares its own."""
        self._pool = {}

    def is_temp(self, item: TileRef) -> bool:
        """True for temporaries, which nothing else reads."""
        return item.name in self._temps

    def find(self, pointer: Expr, index: Expr) -> TileRef | None:
        """A tile that already holds these elements."""
        for load in self.loads:
            if load.pointer == pointer and load.index == index:
                return load.tile
        return None

    def forget_variable(self, name: str) -> None:
        """Drop loads whose address names a variable that changes."""
        self.loads = [
            x for x in self.loads if name not in var_names(x.pointer) | var_names(x.index)
        ]

    def snapshot(self) -> tuple[object, ...]:
        """Everything that :meth:`restore` needs."""
        pool = {k: list(v) for k, v in self._pool.items()}
        return (set(self.taken), list(self.decls), list(self.loads), pool, set(self._temps))

    def restore(self, state: tuple[object, ...]) -> None:
        """Back to a snapshot."""
        taken, decls, loads, pool, temps = state
        assert isinstance(taken, set)
        assert isinstance(decls, list)
        assert isinstance(loads, list)
        assert isinstance(pool, dict)
        assert isinstance(temps, set)
        self.taken, self.decls, self.loads = taken, decls, loads
        self._pool, self._temps = pool, temps

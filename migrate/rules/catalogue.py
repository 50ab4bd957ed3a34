"""The catalogue: every rule, looked up by what it matches. Frozen; the order is fixed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from migrate.core.diagnostics import Diagnostic
from migrate.core.resources import data_dir
from migrate.ir.simt import AtomicOp
from migrate.ir.types import Type
from migrate.rules.host_tables import load_table, table_files
from migrate.rules.lint import lint_rules
from migrate.rules.load import load_preludes, load_rule, rule_files
from migrate.rules.model import PRIORITY_ORDER, Rule, RuleKind, Status


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All rules, asked in the order takeover, built in, fallback.

    ``faults`` are the files that could not be used (CM0020).
    """

    rules: tuple[Rule, ...]
    faults: tuple[Diagnostic, ...] = ()
    _calls: tuple[tuple[str, tuple[Rule, ...]], ...] = ()
    _hosts: tuple[tuple[str, tuple[Rule, ...]], ...] = ()

    def rule(self, ident: str) -> Rule | None:
        """The rule of that id."""
        return next((r for r in self.rules if r.id == ident), None)

    def of_kind(self, kind: RuleKind) -> tuple[Rule, ...]:
        """The rules of one kind."""
        return tuple(r for r in self.rules if r.kind is kind)

    def intrinsic(self, name: str, arg_types: Sequence[Type]) -> Rule | None:
        """The rule for a call of a CUDA device function with operands of these types.

        ``std::`` and ``::`` in front of a name do not matter. A recognised idiom is a call of its
        id.
        """
        plain = name.removeprefix("::").removeprefix("std::")
        for rule in _find(self._calls, plain):
            if rule.kind is RuleKind.IDIOM:
                if len(arg_types) == len(rule.produces.args):
                    return rule
            elif rule.signature(plain, arg_types) is not None:
                return rule
        return None

    def host(self, name: str, argc: int | None = None) -> Rule | None:
        """The rule for a host API function called with ``argc`` arguments, or for a host name.

        ``argc`` ``None`` asks for a type, constant or macro.
        """
        for rule in _find(self._hosts, name):
            if argc is None:
                if name in rule.names:
                    return rule
            elif any(h.name == name and (not h.argc or argc in h.argc) for h in rule.hosts):
                return rule
        return None

    def atomic(self, op: AtomicOp) -> Rule | None:
        """The rule for an atomic operation; ask its spelling with the pointer's type first."""
        return self.rule(f"atomics.{op.value}")

    def lint(self) -> tuple[Diagnostic, ...]:
        """Everything that is wrong with the catalogue, load faults first."""
        return (*self.faults, *lint_rules(self.rules))


_Index = tuple[tuple[str, tuple[Rule, ...]], ...]


def _find(index: _Index, name: str) -> tuple[Rule, ...]:
    low, high = 0, len(index)
    while low < high:
        middle = (low + high) // 2
        if index[middle][0] < name:
            low = middle + 1
        else:
            high = middle
    return index[low][1] if low < len(index) and index[low][0] == name else ()


def _index(pairs: list[tuple[str, Rule]]) -> _Index:
    table: dict[str, list[Rule]] = {}
    for name, rule in pairs:
        found = table.setdefault(name, [])
        if rule not in found:
            found.append(rule)
    return tuple((name, tuple(table[name])) for name in sorted(table))


def make_catalogue(rules: Sequence[Rule], faults: Sequence[Diagnostic] = ()) -> Catalogue:
    """A catalogue of these rules in the order in which they are asked."""
    live = [r for r in rules if r.status is not Status.RETIRED]
    order = sorted(live, key=lambda r: (PRIORITY_ORDER.index(r.priority), r.file.user, r.id))
    calls = [(c.name, r) for r in order for c in r.calls]
    calls += [(r.id, r) for r in order if r.kind is RuleKind.IDIOM]
    hosts = [(h.name, r) for r in order for h in r.hosts] + [(n, r) for r in order for n in r.names]
    return Catalogue(tuple(order), tuple(faults), _index(calls), _index(hosts))


def load_catalogue(extra_dirs: tuple[Path, ...] = ()) -> Catalogue:
    """The shipped rules and those below ``extra_dirs`` (``--rules``).

    Files that are not valid are left out and listed in ``faults``. Read again only when a file
    below these directories has changed.
    """
    roots = (data_dir("rules"), *extra_dirs)
    return _load(roots, tuple(_stamps(root) for root in roots))


Stamp = tuple[str, int, int]
"""Path, size in bytes, time of the last change in nanoseconds."""


def _stamps(root: Path) -> tuple[Stamp, ...]:
    found: list[Stamp] = []
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            try:
                facts = os.stat(path)
            except OSError:
                continue
            found.append((path, facts.st_size, facts.st_mtime_ns))
    return tuple(sorted(found))


@lru_cache(maxsize=4)
def _load(roots: tuple[Path, ...], _: tuple[tuple[Stamp, ...], ...]) -> Catalogue:
    """The rules below the first root, which is ours, and the users' roots after it."""
    rules: list[Rule] = []
    faults: list[Diagnostic] = []
    for number, root in enumerate(roots):
        preludes = load_preludes(root)
        for path in rule_files(root):
            rule, found = load_rule(path, root, preludes, user=number > 0)
            faults += found
            if rule is not None:
                rules.append(rule)
        for path in table_files(root):
            rows, found = load_table(path, root, preludes, user=number > 0)
            faults += found
            rules += rows
    return make_catalogue(rules, faults)

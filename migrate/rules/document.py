"""Typed access to a YAML document that remembers where each value stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml

try:  # the C parser reads the catalogue several times faster; both give the same nodes
    from yaml import CSafeLoader as SafeLoader
except ImportError:
    from yaml import SafeLoader  # type: ignore[assignment]

from migrate.core.codes import usage
from migrate.core.diagnostics import Diagnostic, Outcome
from migrate.core.span import Span


@dataclass(slots=True)
class Faults:
    """What is wrong with one file, each with its line."""

    shown: str
    found: list[Diagnostic] = field(default_factory=list)

    def report(self, cause: str, node: yaml.Node | None = None) -> None:
        """Add a CM0020 at a node (or at the top of the file)."""
        self.found.append(fault(self.shown, cause, node))


def fault(shown: str, cause: str, node: yaml.Node | None = None, line: int = 1) -> Diagnostic:
    """A CM0020 for a rule file."""
    span = Span(shown, 0, 0, line, 1, line)
    if node is not None:
        start, end = node.start_mark, node.end_mark
        span = Span(shown, start.index, end.index, start.line + 1, start.column + 1, end.line + 1)
    return Diagnostic(usage.BAD_RULE_FILE, Outcome.STOPPED, cause, span)


@dataclass(frozen=True, slots=True)
class Entry:
    """A mapping in the document. Reading a key that is missing or of the wrong shape is a fault."""

    node: yaml.MappingNode
    faults: Faults
    what: str

    def keys(self) -> tuple[str, ...]:
        """The keys in order."""
        return tuple(str(k.value) for k, _ in self.node.value)

    def get(self, key: str) -> yaml.Node | None:
        """The node of a key."""
        for k, v in self.node.value:
            if k.value == key:
                return v if isinstance(v, yaml.Node) else None
        return None

    def refuse_others(self, known: tuple[str, ...]) -> None:
        """Report keys that nobody reads, and keys that stand twice."""
        seen: set[str] = set()
        for k, _ in self.node.value:
            name = str(k.value)
            if name not in known:
                self.faults.report(f"{self.what} has no field {name!r}", k)
            if name in seen:
                self.faults.report(f"{name!r} stands twice in {self.what}", k)
            seen.add(name)

    def text(self, key: str, default: str | None = None) -> str:
        """A string, number or boolean as text. Without ``default`` the key is compulsory."""
        node = self.get(key)
        if node is None:
            if default is None:
                self.faults.report(f"{self.what} lacks {key!r}", self.node)
            return default or ""
        if not isinstance(node, yaml.ScalarNode):
            self.faults.report(f"{key!r} of {self.what} is not a text", node)
            return default or ""
        return str(node.value).strip()

    def flag(self, key: str, default: bool) -> bool:
        """``true`` or ``false``."""
        word = self.text(key, "true" if default else "false")
        if word not in ("true", "false"):
            self.faults.report(f"{key!r} of {self.what} is neither true nor false", self.get(key))
        return word == "true"

    def number(self, key: str) -> float | None:
        """A number, or ``None`` when the key is absent."""
        word = self.text(key, "")
        if not word:
            return None
        try:
            return float(word)
        except ValueError:
            self.faults.report(f"{key!r} of {self.what} is not a number", self.get(key))
            return None

    def entry(self, key: str) -> Entry | None:
        """A mapping below this one."""
        node = self.get(key)
        if node is None:
            return None
        if not isinstance(node, yaml.MappingNode):
            self.faults.report(f"{key!r} of {self.what} is not a mapping", node)
            return None
        return Entry(node, self.faults, f"{key!r}")

    def items(self, key: str) -> Iterator[yaml.Node]:
        """The members of a list; one value counts as a list of one."""
        node = self.get(key)
        if node is None:
            return
        if isinstance(node, yaml.SequenceNode):
            yield from node.value
        else:
            yield node

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        out: list[str] = []
        for node in self.items(key):
            if isinstance(node, yaml.ScalarNode):
                out.append(str(node.value).strip())
            else:
                self.faults.report(
                    f"{key!r} of {self.what} holds something that is not a text", node
                )
        return tuple(out)

    def entries(self, key: str) -> tuple[Entry, ...]:
        """A list of mappings; one mapping counts as a list of one."""
        out: list[Entry] = []
        for node in self.items(key):
            if isinstance(node, yaml.MappingNode):
                out.append(Entry(node, self.faults, f"an item of {key!r}"))
            else:
                self.faults.report(
                    f"{key!r} of {self.what} holds something that is not a mapping", node
                )
        return tuple(out)

    def pairs(self, key: str) -> tuple[tuple[str, str], ...]:
        """A mapping of texts, in order."""
        inner = self.entry(key)
        if inner is None:
            return ()
        return tuple((name, inner.text(name)) for name in inner.keys())  # noqa: SIM118


def compose(text: str, faults: Faults) -> Entry | None:
    """The document's top mapping; a syntax error is a fault with its line."""
    try:
        node = yaml.compose(text, Loader=SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = 1 if mark is None else mark.line + 1
        faults.found.append(fault(faults.shown, f"not YAML: {error.problem}", None, line))
        return None
    except yaml.YAMLError as error:
        faults.report(f"not YAML: {error}")
        return None
    if not isinstance(node, yaml.MappingNode):
        faults.report("the file does not hold a mapping", node)
        return None
    return Entry(node, faults, "the rule")

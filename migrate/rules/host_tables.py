"""Reads host tables: many host rules in one file, a row each, with what they share said once.

A row names a call (``cudaStreamGetPriority(2)``) or names (``cudaLimitStackSize``, several with a
space between) and says how the Ascend chips spell it: ``ascend`` for both, ``ascend950`` and
``ascend910b`` for one. In a row of names ``$tail`` is what follows ``stem`` in each name. A chip
without a spelling gets the row's ``reason``. TileLang has no host side of this kind, so a row says
nothing about it.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from migrate.core.codes import target as codes
from migrate.core.diagnostics import Diagnostic
from migrate.core.targets import Target
from migrate.rules.document import Entry, Faults, compose, fault
from migrate.rules.load import Preludes, parse_host_pattern, rule_id
from migrate.rules.model import (
    Emission,
    Example,
    Form,
    HostPattern,
    Meaning,
    NearMiss,
    Numerics,
    Priority,
    Rule,
    RuleFile,
    RuleKind,
    Status,
    Support,
)

FOLDER = "host_tables"
"""The directory of the rules tree that holds the tables."""
FIELDS = ("summary", "since", "references", "rows")
"""The fields of a table."""
ROW_FIELDS = (
    "cuda", "summary", "stem", "ascend", "ascend950", "ascend910b", "reason", "prelude",
    "includes", "limits",
)  # fmt: skip
"""The fields of a row."""
_NO_HOST_SIDE = "the host side of a TileLang module is Python over torch tensors"
_CHIPS = (Target.ASCEND_910B, Target.ASCEND_950)


def table_files(root: Path) -> tuple[Path, ...]:
    """The tables below a rules directory in a fixed order."""
    return tuple(sorted((root / FOLDER).glob("*.yaml")))


def load_table(
    path: Path, root: Path, preludes: Preludes, *, user: bool = False
) -> tuple[tuple[Rule, ...], tuple[Diagnostic, ...]]:
    """The rules of one table; none of them when a fault makes the table useless."""
    relative = PurePosixPath(path.relative_to(root).as_posix())
    shown = path.as_posix() if user else f"rules/{relative}"
    faults = Faults(shown)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return (), (fault(shown, f"cannot be read: {type(error).__name__}"),)
    top = compose(text, faults)
    if top is None:
        return (), tuple(faults.found)
    top.refuse_others(FIELDS)
    file = RuleFile(relative, shown, user)
    found = tuple(r for row in top.entries("rows") for r in _rules(row, top, file, preludes))
    return (() if faults.found else found), tuple(faults.found)


def _rules(row: Entry, top: Entry, file: RuleFile, preludes: Preludes) -> tuple[Rule, ...]:
    """A row of a call is one rule; a row of names, or of calls ``f(*)``, one for each."""
    row.refuse_others(ROW_FIELDS)
    text = row.text("cuda")
    pattern = parse_host_pattern(text)
    if pattern is not None:
        return (_rule(row, top, file, preludes, pattern, ""),)
    words = ((parse_host_pattern(w), w) for w in text.split())
    return tuple(
        _rule(row, top, file, preludes, found, "" if found is not None else word)
        for found, word in words
    )


def _rule(
    row: Entry,
    top: Entry,
    file: RuleFile,
    preludes: Preludes,
    pattern: HostPattern | None,
    name: str,
) -> Rule:
    helpers = row.texts("prelude")
    for helper in helpers:
        if not any((chip.value, helper) in preludes.table for chip in _CHIPS):
            row.faults.report(f"there is no helper {helper!r}", row.get("prelude"))
    emits = (_tilelang(), *(_emission(row, chip, name) for chip in _CHIPS))
    reached = {(t, p.name): p for e in emits for t, p in preludes.reachable(e.target, e.prelude)}
    return Rule(
        id=f"{rule_id(file.path)}.{_short(pattern, name)}",
        kind=RuleKind.HOST_NAME if pattern is None else RuleKind.HOST,
        summary=row.text("summary", top.text("summary")),
        status=Status.STABLE,
        since=top.text("since"),
        priority=Priority.DEFAULT,
        file=file,
        calls=(),
        hosts=() if pattern is None else (pattern,),
        names=(name,) if name else (),
        fragment="",
        variables=(),
        conditions=(),
        produces=Meaning("host", ()),
        emits=emits,
        numerics=Numerics(),
        performance="",
        references=top.texts("references"),
        examples=tuple(Example(x, x) for x in _examples(pattern, name)),
        near_misses=(NearMiss("a longer name", cuda=f"my_{_examples(pattern, name)[0]}"),),
        preludes=tuple((t, p) for (t, _), p in sorted(reached.items())),
    )


def _short(pattern: HostPattern | None, name: str) -> str:
    """``cudaMallocAsync_4`` for a call with four arguments."""
    if pattern is None:
        return name
    return "_".join([pattern.name, *map(str, pattern.argc)])


def _examples(pattern: HostPattern | None, name: str) -> tuple[str, ...]:
    """A call with plain arguments for each number of them, or the name."""
    if pattern is None:
        return (name,)
    counts = pattern.argc or (1,)
    return tuple(f"{pattern.name}({', '.join('abcdefghijklmnopqrst'[:n])})" for n in counts)


def _tilelang() -> Emission:
    code = codes.NO_HOST_CALL.id
    return Emission(Target.TILELANG.value, (), Support.NONE, (), code, _NO_HOST_SIDE)


def _emission(row: Entry, chip: Target, name: str) -> Emission:
    """``name`` is empty for a call."""
    own = row.text(chip.value, "") or row.text("ascend", "")
    if not own:
        reason = row.text("reason", "")
        if not reason:
            row.faults.report(f"a row without a spelling for {chip.value} needs 'reason'", row.node)
        return Emission(chip.value, (), Support.NONE, (), codes.NO_HOST_CALL.id, reason)
    stem = row.text("stem", "")
    if not name.startswith(stem):
        row.faults.report(f"{name} does not begin with {stem}", row.get("stem"))
    form = Form.NAME if name else Form.CALL
    own = own.replace("$tail", name[len(stem) :])
    helpers = row.texts("prelude")
    return Emission(
        target=chip.value,
        types=(),
        support=Support.COMPOSED if helpers else Support.NATIVE,
        forms=((form, own),),
        includes=row.texts("includes"),
        prelude=helpers,
        limits=row.text("limits", ""),
    )

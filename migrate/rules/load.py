"""Reads rule files. A fault is a diagnostic CM0020 with file and line; no fault raises."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path, PurePosixPath
from typing import TypeVar

from migrate.core.codes import all_codes
from migrate.core.diagnostics import Diagnostic
from migrate.core.targets import Target
from migrate.rules.document import Entry, Faults, compose, fault
from migrate.rules.model import (
    Condition,
    Emission,
    Example,
    Form,
    HostPattern,
    Meaning,
    NearMiss,
    Numerics,
    Prelude,
    Priority,
    Rule,
    RuleFile,
    RuleKind,
    Scratch,
    Signature,
    Status,
    Support,
)

FIELDS = (
    "id", "kind", "summary", "status", "since", "priority", "match", "conditions", "produces",
    "emits", "numerics", "performance", "references", "examples", "near_misses",
)  # fmt: skip
"""The fields of a rule file."""
EMISSION_FIELDS = (
    "for", "support", "code", "reason", "expr", "expr_const", "stmt", "vector", "vector_ts",
    "vector_st", "scalar", "call", "name", "includes", "scratch", "prelude", "exact", "ulp",
    "limits",
)  # fmt: skip
"""The fields of one entry under ``emits``."""
NOT_RULES = ("build_files", "targets", "preludes", "host_tables")
"""Directories of the rules tree that hold other data."""

_SIGNATURE = re.compile(r"\s*(?P<result>\S+)\s+(?P<name>[A-Za-z_][\w:]*)\((?P<params>[^()]*)\)\s*")
_HOST = re.compile(r"\s*(?P<name>[A-Za-z_]\w*)\((?P<argc>[\d,\s]*|\*)\)\s*")
_WORD = re.compile(r"\w+")
_DEFINITION = re.compile(
    r"(?:(?:struct|def|enum class)\s+|[^(=;/]*\binline\b[^(=;]*?)(?P<name>\w+)\s*(?:\(|\{|$|:)"
)
_E = TypeVar("_E", bound=Enum)


@dataclass(frozen=True, slots=True)
class Preludes:
    """Helper texts by (target id, name)."""

    table: Mapping[tuple[str, str], Prelude]

    def reachable(self, target: str, names: tuple[str, ...]) -> tuple[tuple[str, Prelude], ...]:
        """The named helpers and those that they call, sorted by name."""
        found: dict[str, Prelude] = {}
        todo = list(names)
        while todo:
            item = self.table.get((target, todo.pop()))
            if item is not None and item.name not in found:
                found[item.name] = item
                todo += item.needs
        return tuple((target, found[n]) for n in sorted(found))


def load_preludes(root: Path) -> Preludes:
    """The files ``preludes/<target>/<name>.(h|tilelang)``; each is emitted as it is.

    ``preludes/ascend/`` holds what both Ascend chips share.
    """
    table: dict[tuple[str, str], Prelude] = {}
    for target in Target:
        own = [target.value] if target is Target.TILELANG else ["ascend", target.value]
        paths = [p for name in own for p in sorted((root / "preludes" / name).glob("*.*"))]
        texts = {p.stem: p.read_text(encoding="utf-8").strip() + "\n" for p in paths}
        defines = {name: _defined(name, text) for name, text in texts.items()}
        owner = {word: name for name, words in defines.items() for word in words}
        for name, text in texts.items():
            used = {owner[w] for w in _WORD.findall(text) if w in owner} - {name}
            table[target.value, name] = Prelude(name, text, defines[name], tuple(sorted(used)))
    return Preludes(table)


def _defined(name: str, text: str) -> frozenset[str]:
    """The functions and types that a helper defines, and its own name."""
    words = {name}
    for line in text.splitlines():
        hit = _DEFINITION.match(line)
        if hit is not None:
            words.add(hit["name"])
    return frozenset(words)


def rule_files(root: Path) -> tuple[Path, ...]:
    """The rule files below a directory in a fixed order."""
    found = (p for p in root.rglob("*.yaml") if p.relative_to(root).parts[0] not in NOT_RULES)
    return tuple(sorted(found, key=lambda p: p.relative_to(root).as_posix()))


def rule_id(path: PurePosixPath) -> str:
    """``intrinsics/expf.yaml`` is the rule ``intrinsics.expf``."""
    return ".".join(path.with_suffix("").parts)


def parse_signature(text: str) -> Signature | None:
    """``f32 powf(f32, f32)``; ``None`` when it is not of that shape."""
    hit = _SIGNATURE.fullmatch(text)
    if hit is None:
        return None
    inside = hit["params"].strip()
    params = tuple(p.strip() for p in inside.split(",")) if inside else ()
    return Signature(hit["result"], hit["name"], params)


def parse_host_pattern(text: str) -> HostPattern | None:
    """``cudaMemcpyAsync(4, 5)``, ``cudaFoo(*)``; ``None`` when it is not of that shape."""
    hit = _HOST.fullmatch(text)
    if hit is None:
        return None
    counts = () if hit["argc"] == "*" else tuple(int(n) for n in re.findall(r"\d+", hit["argc"]))
    return HostPattern(hit["name"], counts)


def load_rule(
    path: Path, root: Path, preludes: Preludes, *, user: bool = False
) -> tuple[Rule | None, tuple[Diagnostic, ...]]:
    """One rule file. The rule is ``None`` when a fault makes it useless."""
    relative = PurePosixPath(path.relative_to(root).as_posix())
    shown = path.as_posix() if user else f"rules/{relative}"
    faults = Faults(shown)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return None, (fault(shown, f"cannot be read: {type(error).__name__}"),)
    top = compose(text, faults)
    if top is None:
        return None, tuple(faults.found)
    rule = _rule(top, RuleFile(relative, shown, user), preludes)
    return (None if faults.found else rule), tuple(faults.found)


def _choice(entry: Entry, key: str, kinds: type[_E], default: _E) -> _E:
    word = entry.text(key, str(default.value))
    for item in kinds:
        if item.value == word:
            return item
    known = ", ".join(str(k.value) for k in kinds)
    entry.faults.report(f"{key!r} is {word!r}, not one of {known}", entry.get(key))
    return default


def _rule(top: Entry, file: RuleFile, preludes: Preludes) -> Rule:
    top.refuse_others(FIELDS)
    ident = top.text("id")
    if ident and ident != rule_id(file.path):
        top.faults.report(
            f"id {ident!r} does not say the path: {rule_id(file.path)!r}", top.get("id")
        )
    calls, hosts, names, fragment, variables = _match(top)
    emits = _emits(top)
    reached = {(t, p.name): p for e in emits for t, p in preludes.reachable(e.target, e.prelude)}
    for e in emits:
        for name in e.prelude:
            if (e.target, name) not in preludes.table:
                top.faults.report(
                    f"there is no helper preludes/{e.target}/{name}", top.get("emits")
                )
    meaning = top.entry("produces")
    return Rule(
        id=ident,
        kind=_choice(top, "kind", RuleKind, RuleKind.INTRINSIC),
        summary=top.text("summary"),
        status=_choice(top, "status", Status, Status.STABLE),
        since=top.text("since"),
        priority=_choice(top, "priority", Priority, Priority.DEFAULT),
        file=file,
        calls=calls,
        hosts=hosts,
        names=names,
        fragment=fragment,
        variables=variables,
        conditions=tuple(
            Condition(c.text("check"), c.texts("args"), c.text("otherwise"))
            for c in top.entries("conditions")
        ),
        produces=Meaning("", ())
        if meaning is None
        else Meaning(meaning.text("op"), meaning.texts("args")),
        emits=emits,
        numerics=_numerics(top),
        performance=top.text("performance", ""),
        references=top.texts("references"),
        examples=tuple(_example(e) for e in top.entries("examples")),
        near_misses=tuple(_near_miss(e) for e in top.entries("near_misses")),
        preludes=tuple((t, p) for (t, _), p in sorted(reached.items())),
    )


def _match(
    top: Entry,
) -> tuple[
    tuple[Signature, ...],
    tuple[HostPattern, ...],
    tuple[str, ...],
    str,
    tuple[tuple[str, str], ...],
]:
    match = top.entry("match")
    if match is None:
        top.faults.report("the rule lacks 'match'", top.node)
        return (), (), (), "", ()
    match.refuse_others(("calls", "host", "names", "cuda", "where"))
    calls: list[Signature] = []
    for text in match.texts("calls"):
        signature = parse_signature(text)
        if signature is None:
            match.faults.report(f"{text!r} is not 'result name(types)'", match.get("calls"))
        else:
            calls.append(signature)
    hosts: list[HostPattern] = []
    for text in match.texts("host"):
        pattern = parse_host_pattern(text)
        if pattern is None:
            match.faults.report(f"{text!r} is not 'name(argument counts)'", match.get("host"))
        else:
            hosts.append(pattern)
    return (
        tuple(calls),
        tuple(hosts),
        match.texts("names"),
        match.text("cuda", ""),
        match.pairs("where"),
    )


def _emits(top: Entry) -> tuple[Emission, ...]:
    table = top.entry("emits")
    if table is None:
        top.faults.report("the rule lacks 'emits'", top.node)
        return ()
    known = tuple(t.value for t in Target)
    out: list[Emission] = []
    for target in table.keys():  # noqa: SIM118
        if target not in known:
            table.faults.report(f"{target!r} is not one of {', '.join(known)}", table.get(target))
            continue
        out += [_emission(e, target) for e in table.entries(target)]
    return tuple(out)


def _emission(entry: Entry, target: str) -> Emission:
    entry.refuse_others(EMISSION_FIELDS)
    support = _choice(entry, "support", Support, Support.NONE)
    forms = tuple((f, entry.text(f.value)) for f in Form if entry.get(f.value) is not None)
    code = entry.text("code", "") or None
    if support is Support.NONE and (code is None or forms):
        entry.faults.report("support 'none' needs a code and has no spelling", entry.node)
    if support is not Support.NONE and (code is not None or not forms):
        entry.faults.report(
            f"support {support.value!r} needs a spelling and has no code", entry.node
        )
    if code is not None and code not in all_codes():
        entry.faults.report(f"there is no code {code}", entry.get("code"))
    words = entry.texts("exact") or ("true",)
    known = {f.value: f for f in Form} | {"true": None, "false": None}
    for word in words:
        if word not in known or (len(words) > 1 and known[word] is None):
            entry.faults.report(f"{word!r} is neither true, false nor a form", entry.get("exact"))
    return Emission(
        target=target,
        types=entry.texts("for"),
        support=support,
        forms=forms,
        code=code,
        reason=entry.text("reason", ""),
        includes=entry.texts("includes"),
        scratch=tuple(Scratch(n, t) for n, t in entry.pairs("scratch")),
        prelude=entry.texts("prelude"),
        exact=words == ("true",),
        exact_forms=tuple(f for f in (known.get(w) for w in words) if f is not None),
        ulp=entry.number("ulp"),
        limits=entry.text("limits", ""),
    )


def _numerics(top: Entry) -> Numerics:
    entry = top.entry("numerics")
    if entry is None:
        return Numerics()
    entry.refuse_others(("exact", "ulp", "reassociates"))
    return Numerics(
        entry.flag("exact", True), entry.number("ulp"), entry.flag("reassociates", False)
    )


def _example(entry: Entry) -> Example:
    entry.refuse_others(("name", "cuda", "with", "ir"))
    return Example(
        entry.text("name"), entry.text("cuda"), entry.pairs("with"), entry.text("ir", "")
    )


def _near_miss(entry: Entry) -> NearMiss:
    entry.refuse_others(("name", "call", "cuda", "with", "otherwise"))
    call = entry.text("call", "")
    signature = parse_signature(call) if call else None
    if call and signature is None:
        entry.faults.report(f"{call!r} is not 'result name(types)'", entry.get("call"))
    return NearMiss(
        entry.text("name"),
        signature,
        entry.text("cuda", ""),
        entry.pairs("with"),
        entry.text("otherwise", ""),
    )

"""Rules as text: one page a rule, the coverage table, and the schema that editors complete from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from migrate.core.targets import Target
from migrate.rules.catalogue import Catalogue
from migrate.rules.load import EMISSION_FIELDS, FIELDS
from migrate.rules.model import (
    Emission,
    Form,
    Priority,
    Rule,
    RuleKind,
    Status,
    Support,
)
from migrate.rules.operations import HOST_OPERATIONS, OPERATIONS
from migrate.rules.predicates import PREDICATES

KIND_TITLES = {
    RuleKind.INTRINSIC: "Device functions",
    RuleKind.ATOMIC: "Atomic operations",
    RuleKind.IDIOM: "Idioms",
    RuleKind.HOST: "Runtime calls",
    RuleKind.HOST_NAME: "Types, constants and headers",
    RuleKind.REFUSAL: "Known and not supported",
}
"""Headings of the coverage table, in its order."""
_LANGUAGE = {Target.TILELANG: "python", Target.ASCEND_910B: "cpp", Target.ASCEND_950: "cpp"}
_FORM_TITLES = {
    Form.EXPR: "expression",
    Form.EXPR_CONST: "expression, last operand a literal",
    Form.STMT: "statement",
    Form.VECTOR: "vector unit",
    Form.VECTOR_TS: "vector unit, second operand a scalar",
    Form.VECTOR_ST: "vector unit, first operand a scalar",
    Form.SCALAR: "scalar unit",
    Form.CALL: "call",
    Form.NAME: "name",
}
_TITLES = {
    Target.TILELANG: "TileLang",
    Target.ASCEND_910B: "Ascend 910B",
    Target.ASCEND_950: "Ascend 950",
}


def matched(rule: Rule) -> tuple[str, ...]:
    """What a rule matches, one text each: signatures, calls, names or the fragment."""
    hosts = tuple(
        f"{h.name}({', '.join(map(str, h.argc))} arguments)" if h.argc else f"{h.name}(...)"
        for h in rule.hosts
    )
    fragment = (rule.fragment,) if rule.fragment else ()
    return (*(str(c) for c in rule.calls), *hosts, *rule.names, *fragment)


def support(rule: Rule, target: Target) -> str:
    """One word for a target: native, composed, emulated, none, or ``by type``."""
    found = {e.support.value for e in rule.emits if e.target == target.value}
    if len(found) == 1:
        return found.pop()
    return "by type" if found else "missing"


def rule_page(rule: Rule) -> str:
    """The page of a rule in Markdown, as ``cudamigrate rules show`` prints it."""
    lines = [f"# {rule.id}", "", rule.summary, ""]
    lines += ["## Matches", ""]
    if rule.fragment:
        where = ", ".join(f"`${name}` {kind}" for name, kind in rule.variables)
        lines += ["```cuda", rule.fragment, "```", "", f"where {where}.", ""]
    else:
        lines += [f"- `{text}`" for text in matched(rule)]
        lines.append("")
    for condition in rule.conditions:
        text = PREDICATES[condition.check].text if condition.check in PREDICATES else ""
        operands = ", ".join(condition.args)
        lines += [f"Only if {condition.check}({operands}): {text}; else {condition.otherwise}.", ""]
    lines += ["## Means", "", _meaning(rule), ""]
    for target in Target:
        lines += [f"## {_TITLES[target]}", ""]
        for entry in (e for e in rule.emits if e.target == target.value):
            lines += _entry(entry, target)
    lines += ["## Numbers", "", _numerics(rule), ""]
    if rule.performance:
        lines += ["## Cost", "", rule.performance, ""]
    lines += ["## Examples", ""]
    lines += [f"- {e.name}: `{' '.join(e.cuda.split())}`" for e in rule.examples]
    lines += ["", "Not matched:", ""]
    for miss in rule.near_misses:
        shown = str(miss.call) if miss.call is not None else " ".join(miss.cuda.split())
        lines.append(
            f"- {miss.name}: `{shown}`" + (f" ({miss.otherwise})" if miss.otherwise else "")
        )
    lines += ["", *(f"See {r}" for r in rule.references)]
    return "\n".join(lines).rstrip() + "\n"


def _meaning(rule: Rule) -> str:
    known = OPERATIONS.get(rule.produces.op)
    head = f"`{rule.produces.op}({', '.join(rule.produces.args)})`"
    return f"{head}: {known.text}." if known is not None else f"{head}."


def _entry(entry: Emission, target: Target) -> list[str]:
    types = f" for {', '.join(entry.types)}" if entry.types else ""
    if entry.support is Support.NONE:
        reason = f": {entry.reason}" if entry.reason else ""
        return [f"None{types}, {entry.code}{reason}.", ""]
    lines = [f"{entry.support.value.capitalize()}{types}.", ""]
    for form, template in entry.forms:
        lines += [f"{_FORM_TITLES[form]}:", "", f"```{_LANGUAGE[target]}", template, "```", ""]
    if entry.scratch:
        buffers = ", ".join(f"`${s.name}` ({s.type})" for s in entry.scratch)
        lines += [f"Needs {buffers} in the unified buffer.", ""]
    notes = []
    if not entry.exact:
        only = (
            f" except on the {', '.join(f.value for f in entry.exact_forms)} form"
            if entry.exact_forms
            else ""
        )
        notes.append(f"not bit-exact{only}")
    if entry.ulp is not None:
        notes.append(f"within {entry.ulp:g} ulp")
    if entry.limits:
        notes.append(entry.limits)
    return [*lines, f"{'; '.join(notes)}.", ""] if notes else lines


def _numerics(rule: Rule) -> str:
    n = rule.numerics
    text = "CUDA defines the result exactly." if n.exact else "CUDA approximates the result."
    if n.ulp is not None and not n.exact:
        text = f"CUDA's own error is at most {n.ulp:g} ulp."
    return text + (" The order of operations changes." if n.reassociates else "")


def coverage_rows(catalogue: Catalogue, kind: RuleKind) -> tuple[tuple[str, ...], ...]:
    """Rule, what it matches, and one word for each target."""
    return tuple(
        (rule.id, "; ".join(matched(rule)[:3]), *(support(rule, t) for t in Target))
        for rule in catalogue.rules
        if rule.kind is kind
    )


def coverage_page(catalogue: Catalogue) -> str:
    """The whole catalogue as tables, in Markdown."""
    lines = ["# What is supported", "", "Made from the rule files by `cudamigrate rules list`.", ""]
    head = ["rule", "matches", *(_TITLES[t] for t in Target)]
    for kind, title in KIND_TITLES.items():
        rows = coverage_rows(catalogue, kind)
        if not rows:
            continue
        lines += [f"## {title} ({len(rows)})", ""]
        lines += [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
        lines += [f"| {' | '.join(_cell(c) for c in row)} |" for row in rows]
        lines.append("")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def coverage_counts(catalogue: Catalogue) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Per target id: device rules that are native, composed, emulated, none, different by type."""
    words = ("native", "composed", "emulated", "none", "by type")
    device = [r for r in catalogue.rules if r.kind not in (RuleKind.HOST, RuleKind.HOST_NAME)]
    out = []
    for target in Target:
        found = [support(r, target) for r in device]
        out.append((target.value, tuple(found.count(w) for w in words)))
    return tuple(out)


Schema = Mapping[str, object]


def _text(description: str) -> Schema:
    return {"type": "string", "description": description}


def _texts(description: str) -> Schema:
    item = {"type": "string"}
    return {"description": description, "oneOf": [item, {"type": "array", "items": item}]}


def _choice(values: Iterable[str], description: str) -> Schema:
    return {"enum": sorted(values), "description": description}


def _object(fields: Mapping[str, object], required: Sequence[str], description: str) -> Schema:
    return {
        "type": "object",
        "description": description,
        "properties": dict(fields),
        "required": list(required),
        "additionalProperties": False,
    }


def _many(item: Schema) -> Schema:
    return {"oneOf": [item, {"type": "array", "items": item}]}


def _emission_schema() -> Schema:
    fields: dict[str, object] = {
        "for": _texts("IR types of the first operand for which this entry counts"),
        "support": _choice((s.value for s in Support), "how the target expresses the meaning"),
        "code": _text("with support none: the diagnostic code"),
        "reason": _text("with support none: why"),
        "includes": _texts("headers that the spelling needs"),
        "scratch": {"type": "object", "description": "buffers: name to dst, mask or an IR scalar"},
        "prelude": _texts("helpers in preludes/<target>/ that the spelling calls"),
        "exact": {"description": "true, false, or the forms that are exact"},
        "ulp": {"type": "number", "description": "largest error in units in the last place"},
        "limits": _text("where the stated exactness holds"),
    }
    fields |= {f.value: _text(_FORM_TITLES[f]) for f in Form}
    assert set(fields) == set(EMISSION_FIELDS)
    return _object(fields, ["support"], "what one target does")


def json_schema() -> str:
    """A JSON Schema of rule files, for completion in editors."""
    names = {"type": "object", "additionalProperties": {"type": "string"}}
    operations = [*OPERATIONS, *HOST_OPERATIONS]
    meaning = {"op": _choice(operations, "an operation"), "args": _texts("operands")}
    match = {
        "calls": _texts("signatures by IR types: f32 powf(f32, f32)"),
        "host": _texts("runtime functions with numbers of arguments: cudaMalloc(2)"),
        "names": _texts("types, constants, macros and headers"),
        "cuda": _text("a CUDA fragment; $X stands for any expression"),
        "where": {**names, "description": "C++ types of the metavariables"},
    }
    condition = {
        "check": _choice(PREDICATES, "a predicate"),
        "args": _texts("operands"),
        "otherwise": _text("the code when it does not hold"),
    }
    numerics = {
        "exact": {"type": "boolean"},
        "ulp": {"type": "number"},
        "reassociates": {"type": "boolean"},
    }
    example = {
        "name": _text("what it shows"),
        "cuda": _text("CUDA code"),
        "with": names,
        "ir": _text("text of its IR"),
    }
    miss = {
        "name": _text("why it does not match"),
        "call": _text("a signature"),
        "cuda": _text("CUDA code"),
        "with": names,
        "otherwise": _text("the code of the condition that fails"),
    }
    fields: dict[str, object] = {
        "id": _text("the path with dots: intrinsics.expf"),
        "kind": _choice((k.value for k in RuleKind), "what the rule is about"),
        "summary": _text("one sentence"),
        "status": _choice((s.value for s in Status), "life cycle"),
        "since": _text("the version that brought it"),
        "priority": _choice((p.value for p in Priority), "what wins when another rule matches too"),
        "match": _object(match, [], "what the rule is about"),
        "conditions": _many(_object(condition, ["check", "otherwise"], "must hold")),
        "produces": _object(meaning, ["op"], "the meaning, free of any target"),
        "emits": _object(
            {t.value: _many(_emission_schema()) for t in Target},
            [t.value for t in Target],
            "an entry for every target",
        ),
        "numerics": _object(numerics, [], "how exact CUDA's own function is"),
        "performance": _text("what to expect; numbers only with device and date"),
        "references": _texts("where the facts stand"),
        "examples": _many(_object(example, ["name", "cuda"], "must match")),
        "near_misses": _many(_object(miss, ["name"], "must not match")),
    }
    assert set(fields) == set(FIELDS)
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "cudamigrate rule",
        **_object(
            fields, ["id", "kind", "summary", "since", "match", "produces", "emits"], "one rule"
        ),
    }
    return json.dumps(schema, indent=2) + "\n"

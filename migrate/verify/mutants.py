"""Seeded faults in generated kernels: the check of the checker.

A mutant is the text of one generated file with one small change inside one kernel, of the kinds
that a code generator gets wrong: a dropped tail, an index off by one, swapped operands, a wrong
rounding, a skipped block. Replay must find each; the share that it finds is the figure that says
how far an ``equal`` can be trusted.

Operators work on text, so that they hit what was emitted (queue sizes, tails, round modes), not
only what the IR can say. Comments, strings and docstrings are left alone.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from migrate.core.artifact import EmittedKernel


@dataclass(frozen=True, slots=True)
class Mutant:
    """One seeded fault. ``content`` is the whole mutated file, ``line`` is 1-based in it."""

    symbol: str
    operator: str
    line: int
    before: str
    after: str
    content: bytes


Rewrite = Callable[[re.Match[str]], str]


@dataclass(frozen=True, slots=True)
class Operator:
    """One kind of fault: every match of ``pattern`` in a code line can be rewritten."""

    name: str
    pattern: re.Pattern[str]
    rewrite: Rewrite


def _swap(table: dict[str, str]) -> Rewrite:
    return lambda m: table[m.group(0)]


def _operator(name: str, pattern: str, rewrite: Rewrite) -> Operator:
    return Operator(name, re.compile(pattern), rewrite)


_NAME = r"[A-Za-z_]\w*"

OPERATORS: tuple[Operator, ...] = (
    _operator(
        "wrong operator", r"(?<=[\w\])] )[+*-](?= [\w(-])", _swap({"+": "-", "-": "+", "*": "+"})
    ),
    _operator(
        "wrong vector instruction",
        r"\b(Add|Sub|Mul|Max|Min)(?=\()",
        _swap({"Add": "Sub", "Sub": "Add", "Mul": "Add", "Max": "Min", "Min": "Max"}),
    ),
    _operator(
        "wrong scalar instruction",
        r"\b(Adds|Muls|Maxs|Mins)(?=\()",
        _swap({"Adds": "Muls", "Muls": "Adds", "Maxs": "Mins", "Mins": "Maxs"}),
    ),
    _operator(
        "wrong function",
        r"\b(T\.max|T\.min|fmaxf|fminf|T\.exp|T\.sin|T\.cos|expf|sinf|cosf)(?=\()",
        _swap(
            {
                "T.max": "T.min",
                "T.min": "T.max",
                "fmaxf": "fminf",
                "fminf": "fmaxf",
                "T.exp": "T.exp2",
                "T.sin": "T.cos",
                "T.cos": "T.sin",
                "expf": "exp2f",
                "sinf": "cosf",
                "cosf": "sinf",
            }
        ),
    ),
    _operator(
        "swapped operands",
        rf"\b({_NAME}) ([-/]) ({_NAME})\b(?![\[(.])",
        lambda m: f"{m[3]} {m[2]} {m[1]}",
    ),
    _operator(
        "swapped vector operands",
        rf"\b(Sub|Div)\(({_NAME}), ({_NAME}), ({_NAME}),",
        lambda m: f"{m[1]}({m[2]}, {m[4]}, {m[3]},",
    ),
    _operator(
        "comparison off by one",
        r"(?<=[\w\])] )(<=|>=|<|>)(?= [\w(-])",
        _swap({"<": "<=", "<=": "<", ">": ">=", ">=": ">"}),
    ),
    _operator(
        "comparison inverted",
        r"CMPMODE::(LT|GT|LE|GE|EQ|NE)\b",
        lambda m: (
            "CMPMODE::"
            + {"LT": "GT", "GT": "LT", "LE": "GE", "GE": "LE", "EQ": "NE", "NE": "EQ"}[m[1]]
        ),
    ),
    _operator(
        "equality inverted", r"(?<=[\w\])] )(==|!=)(?= [\w(-])", _swap({"==": "!=", "!=": "=="})
    ),
    _operator(
        "constant off",
        r"(?<![\w.\"'<])(\d+\.\d+)(?=f?\b)(?![\w.]*\")",
        lambda m: repr(float(m[1]) * 1.01 + 0.01),
    ),
    _operator("index off by one", r"(?<=\w\[)([A-Za-z_]\w*)(?=\])", lambda m: f"{m[1]} + 1"),
    _operator(
        "wrong rounding",
        r"CAST_(RINT|ROUND|TRUNC|FLOOR|CEIL)\b",
        lambda m: (
            "CAST_"
            + {
                "RINT": "FLOOR",
                "ROUND": "FLOOR",
                "TRUNC": "FLOOR",
                "FLOOR": "CEIL",
                "CEIL": "FLOOR",
            }[m[1]]
        ),
    ),
    _operator(
        "wrong division",
        r"T\.trunc(div|mod)\(([^(),]+), ([^(),]+)\)",
        lambda m: f"({m[2]} {'//' if m[1] == 'div' else '%'} {m[3]})",
    ),
    _operator("skipped block", r"\b(GetBlockIdx\(\)|blockIdx\.x)", lambda m: f"({m[0]} + 1)"),
    _operator("sign dropped", r"(?<=[(,=] )-(?=[A-Za-z_])", lambda m: ""),
)

_STORE = re.compile(
    rf"^\s*(?:{_NAME}(?:\.\w+)*\[[^\]=]*\](?:\[[^\]]*\])? [-+*/]?= |"
    rf"DataCopyPad\(\w*(?:[gG]lobal|Gm|GM)|"
    rf"{_NAME}\.SetValue\()"
)
_CALL = re.compile(r"^\s*(?:Cast|Select|Compare|Muls|Adds|Mul|Add|Sub|Div|Exp|Max|Min)\(")
_TAIL = re.compile(r"\bcount(?=[,)])|\blength(?=[,)])")
_BLOCKS = re.compile(r"T\.ceildiv\([^()]*\)")
_NO_COMPARISON = ("if_then_else(", " ? ", "Select(")
"""Where ``<`` and ``<=`` choose between equal values when their operands are equal."""


def _code_lines(text: list[str], first: int, last: int) -> Iterator[int]:
    """Indices of the lines of a kernel that hold code."""
    in_doc = False
    for i in range(first - 1, min(last, len(text))):
        line = text[i].strip()
        quotes = line.count('"""')
        if in_doc or quotes:
            in_doc ^= quotes % 2 == 1
            continue
        if not line or line.startswith(("//", "#", "*", "/*", "@")):
            continue
        yield i


def _code_part(line: str) -> str:
    """The line up to a trailing comment."""
    for mark in ("//", "  #"):
        at = line.find(mark)
        if at >= 0:
            return line[:at]
    return line


def _changes(line: str) -> Iterator[tuple[str, str]]:
    """Every (operator, changed line)."""
    code = _code_part(line)
    rest = line[len(code) :]
    if "T.Kernel(" in code:
        # Threads of a block only spread the work; what counts is how many blocks there are.
        for m in _BLOCKS.finditer(code):
            yield "skipped block", f"{code[: m.start()]}{m[0]} - 1{code[m.end() :]}{rest}"
        return
    chooses = any(x in code for x in _NO_COMPARISON)
    for op in OPERATORS:
        if chooses and op.name == "comparison off by one":
            continue
        for m in op.pattern.finditer(code):
            if code[: m.start()].count('"') % 2:
                continue
            changed = code[: m.start()] + op.rewrite(m) + code[m.end() :]
            if changed != code:
                yield op.name, changed + rest
    for m in _TAIL.finditer(code):
        yield "dropped tail", f"{code[: m.start()]}({m[0]} & ~7){code[m.end() :]}{rest}"
    if (_STORE.match(code) and code.rstrip().endswith((";", ")", "]"))) or _CALL.match(code):
        indent = code[: len(code) - len(code.lstrip())]
        blank = f"{indent};" if code.rstrip().endswith(";") else f"{indent}pass"
        yield "dropped statement", blank + rest


def mutants_of(content: bytes, kernel: EmittedKernel) -> tuple[Mutant, ...]:
    """Every mutant of one kernel, in order of lines."""
    text = content.decode("utf-8").split("\n")
    found: list[Mutant] = []
    for i in _code_lines(text, kernel.first_line, kernel.last_line):
        for operator, changed in _changes(text[i]):
            mutated = "\n".join((*text[:i], changed, *text[i + 1 :]))
            found.append(
                Mutant(
                    kernel.symbol, operator, i + 1, text[i].strip(), changed.strip(),
                    mutated.encode("utf-8"),
                )
            )  # fmt: skip
    return tuple(found)


def sample(mutants: tuple[Mutant, ...], count: int, seed: int) -> tuple[Mutant, ...]:
    """``count`` mutants, spread over kernels and operators, the same for the same seed."""
    rng = random.Random(seed)
    groups: dict[tuple[str, str], list[Mutant]] = {}
    for m in mutants:
        groups.setdefault((m.operator, m.symbol), []).append(m)
    by_operator: dict[str, list[list[Mutant]]] = {}
    for (operator, _), items in sorted(groups.items()):
        rng.shuffle(items)
        by_operator.setdefault(operator, []).append(items)
    for lists in by_operator.values():
        rng.shuffle(lists)
    chosen: list[Mutant] = []
    while len(chosen) < min(count, len(mutants)):
        before = len(chosen)
        for lists in by_operator.values():
            nonempty = [x for x in lists if x]
            if nonempty and len(chosen) < count:
                lists.append(lists.pop(lists.index(nonempty[0])))
                chosen.append(nonempty[0].pop())
        if len(chosen) == before:
            break
    return tuple(chosen)

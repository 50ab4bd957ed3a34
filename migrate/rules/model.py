"""What a rule is: frozen records that :mod:`migrate.rules.load` makes from YAML files.

A rule says which CUDA construct it is about (``match``), what that construct means (``produces``)
and how each target spells it (``emits``). Nothing here knows a front end or a back end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import PurePosixPath

from migrate.ir.types import Pointer, Type
from migrate.rules.template import fill, holes, is_atom, words_of


class RuleKind(Enum):
    """What a rule is about."""

    INTRINSIC = "intrinsic"
    ATOMIC = "atomic"
    IDIOM = "idiom"
    HOST = "host-api"
    HOST_NAME = "host-name"
    REFUSAL = "refusal"


class Status(Enum):
    """Life cycle. Ids of retired rules are never reused."""

    PREVIEW = "preview"
    STABLE = "stable"
    RETIRED = "retired"


class Priority(Enum):
    """What a rule does when another one matches too: user rules take over or step back."""

    TAKEOVER = "takeover"
    DEFAULT = "default"
    FALLBACK = "fallback"


PRIORITY_ORDER = (Priority.TAKEOVER, Priority.DEFAULT, Priority.FALLBACK)
"""The order in which rules are asked."""


class Support(Enum):
    """How a target expresses a meaning."""

    NATIVE = "native"
    COMPOSED = "composed"
    EMULATED = "emulated"
    NONE = "none"


class Form(Enum):
    """Where a spelling stands in generated code.

    ``EXPR`` an expression over values; ``EXPR_CONST`` the same when the last operand is a literal
    that is no NaN (often shorter, and not exact otherwise); ``VECTOR`` statements over tiles, all
    operands tiles; ``VECTOR_TS`` the second operand is a scalar, ``VECTOR_ST`` the first is;
    ``SCALAR`` an expression for the scalar unit of a SIMD chip; ``CALL`` a host call; ``NAME`` a
    host type, constant or macro.
    """

    EXPR = "expr"
    EXPR_CONST = "expr_const"
    STMT = "stmt"
    VECTOR = "vector"
    VECTOR_TS = "vector_ts"
    VECTOR_ST = "vector_st"
    SCALAR = "scalar"
    CALL = "call"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Signature:
    """A CUDA function by name and types, as in ``f32 powf(f32, f32)``.

    Types are IR names; ``T`` is any one type, the same at each place; ``ptr<X>`` is a pointer.
    """

    result: str
    name: str
    params: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.result} {self.name}({', '.join(self.params)})"

    def accepts(self, args: Sequence[Type]) -> bool:
        """True when arguments of these types select this overload."""
        if len(args) != len(self.params):
            return False
        bound: dict[str, str] = {}
        return all(_accepts(p, a, bound) for p, a in zip(self.params, args, strict=True))


def _accepts(pattern: str, arg: Type, bound: dict[str, str]) -> bool:
    if pattern.startswith("ptr<") and pattern.endswith(">"):
        return isinstance(arg, Pointer) and _accepts(pattern[4:-1], arg.pointee, bound)
    if pattern == "T":
        return bound.setdefault(pattern, str(arg)) == str(arg)
    return str(arg) == pattern


@dataclass(frozen=True, slots=True)
class HostPattern:
    """A host function by name and number of arguments; ``argc`` empty means any number."""

    name: str
    argc: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """A named predicate that must hold, with the code that explains why not."""

    check: str
    args: tuple[str, ...]
    otherwise: str


@dataclass(frozen=True, slots=True)
class Meaning:
    """The target-neutral meaning: an operation from :data:`migrate.rules.operations.OPERATIONS`."""

    op: str
    args: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scratch:
    """A buffer in the unified buffer that a vector spelling needs; ``$name`` in its template.

    ``type`` is ``dst`` (a tile like the destination), ``mask`` (one bit an element, ``uint8_t``),
    or an IR scalar (a tile of that type with ``count`` elements).
    """

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Prelude:
    """Helper code that a spelling calls. Emit each name once a file, in the order given.

    ``defines`` are the functions and types in ``text``; ``needs`` the helpers that it uses itself.
    """

    name: str
    text: str
    defines: frozenset[str] = frozenset()
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Spelling:
    """How one target writes one meaning in one form.

    ``template`` has ``$0``, ``$1``... for operands and, in vector forms, ``$dst``, ``$count`` and
    the names in ``scratch``. ``exact``: the value is the one that CUDA's definition demands, for
    every input; otherwise ``ulp`` bounds the difference (``None``: no bound is known) and
    ``limits`` says where it holds.
    """

    rule: str
    target: str
    form: Form
    support: Support
    template: str
    includes: tuple[str, ...] = ()
    scratch: tuple[Scratch, ...] = ()
    prelude: tuple[Prelude, ...] = ()
    exact: bool = True
    ulp: float | None = None
    limits: str = ""

    @property
    def requires_scratch(self) -> bool:
        """True when the back end must reserve buffers."""
        return bool(self.scratch)

    def uses(self, index: int) -> int:
        """How often operand ``index`` stands in the template; hoist a costly one when over 1."""
        return holes(self.template).count(str(index))

    @property
    def atomic(self) -> bool:
        """True when the filled template needs no parentheses inside a larger expression."""
        return is_atom(self.template)

    def fill(self, args: Sequence[str], names: dict[str, str] | None = None) -> str:
        """The template with operands and named placeholders put in.

        An operand is put in parentheses when it is compound and its place is not one where a
        comma-free expression can stand alone (between parentheses or commas). ``KeyError`` for a
        name without a value.
        """
        return fill(self.template, args, names or {})


@dataclass(frozen=True, slots=True)
class Emission:
    """What one target does for operands of some types.

    ``types`` lists the IR types of the first operand (of what it points to, for a pointer) for
    which this entry counts; empty means all.
    ``code`` is set when ``support`` is NONE.
    """

    target: str
    types: tuple[str, ...]
    support: Support
    forms: tuple[tuple[Form, str], ...]
    code: str | None = None
    reason: str = ""
    includes: tuple[str, ...] = ()
    scratch: tuple[Scratch, ...] = ()
    prelude: tuple[str, ...] = ()
    exact: bool = True
    exact_forms: tuple[Form, ...] = ()
    ulp: float | None = None
    limits: str = ""

    def form(self, form: Form) -> str | None:
        """The template of a form."""
        return dict(self.forms).get(form)


@dataclass(frozen=True, slots=True)
class Numerics:
    """How exact CUDA's own function is: ``ulp`` is CUDA's documented maximum error."""

    exact: bool = True
    ulp: float | None = None
    reassociates: bool = False


@dataclass(frozen=True, slots=True)
class Example:
    """CUDA code that the rule must match.

    For functions ``cuda`` is an expression over the names in ``types`` (C++ types); for idioms it
    is an expression or statements too. ``ir`` is text that the IR of it contains. For host rules
    ``cuda`` is a call.
    """

    name: str
    cuda: str
    types: tuple[tuple[str, str], ...] = ()
    ir: str = ""


@dataclass(frozen=True, slots=True)
class NearMiss:
    """Something close that the rule must not match: a signature (``call``) or CUDA code."""

    name: str
    call: Signature | None = None
    cuda: str = ""
    types: tuple[tuple[str, str], ...] = ()
    otherwise: str = ""


@dataclass(frozen=True, slots=True)
class RuleFile:
    """Where a rule was read: ``path`` is below its rules directory, ``user`` marks ``--rules``."""

    path: PurePosixPath
    shown: str
    user: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. ``preludes`` holds (target, helper) for the helpers that its spellings reach."""

    id: str
    kind: RuleKind
    summary: str
    status: Status
    since: str
    priority: Priority
    file: RuleFile
    calls: tuple[Signature, ...]
    hosts: tuple[HostPattern, ...]
    names: tuple[str, ...]
    fragment: str
    variables: tuple[tuple[str, str], ...]
    conditions: tuple[Condition, ...]
    produces: Meaning
    emits: tuple[Emission, ...]
    numerics: Numerics
    performance: str
    references: tuple[str, ...]
    examples: tuple[Example, ...]
    near_misses: tuple[NearMiss, ...]
    preludes: tuple[tuple[str, Prelude], ...] = ()

    def signature(self, name: str, args: Sequence[Type]) -> Signature | None:
        """The overload of ``name`` that arguments of these types select."""
        for call in self.calls:
            if call.name == name and call.accepts(args):
                return call
        return None

    def emission(self, target: str, args: Sequence[Type] = ()) -> Emission | None:
        """The entry of a target for operands of these types; ``None`` when no entry covers them."""
        head = args[0] if args else None
        first = str(head.pointee if isinstance(head, Pointer) else head)
        for item in self.emits:
            if item.target == target and (not item.types or first in item.types):
                return item
        return None

    def spelling(self, target: str, form: Form | str, args: Sequence[Type] = ()) -> Spelling | None:
        """How ``target`` writes this in ``form``, or ``None`` when it cannot.

        Pass the operand types whenever they are known: some entries differ by type.
        """
        wanted = form if isinstance(form, Form) else Form(form)
        entry = self.emission(target, args)
        if entry is None:
            return None
        template = entry.form(wanted)
        if template is None:
            return None
        table = {p.name: p for owner, p in self.preludes if owner == target}
        return Spelling(
            rule=self.id,
            target=target,
            form=wanted,
            support=entry.support,
            template=template,
            includes=entry.includes,
            scratch=tuple(s for s in entry.scratch if s.name in holes(template)),
            prelude=_needed(template, entry.prelude, table),
            exact=entry.exact or wanted in entry.exact_forms,
            ulp=None if wanted in entry.exact_forms else entry.ulp,
            limits="" if wanted in entry.exact_forms else entry.limits,
        )


def _needed(
    template: str, names: tuple[str, ...], table: Mapping[str, Prelude]
) -> tuple[Prelude, ...]:
    """The helpers a template uses, with those that they use, each after what it needs."""
    order: list[str] = []
    open_names: set[str] = set()

    def add(name: str) -> None:
        if name in open_names or name not in table:
            return
        open_names.add(name)
        for other in table[name].needs:
            add(other)
        order.append(name)

    words = words_of(template)
    for name in names:
        if name in table and not table[name].defines.isdisjoint(words):
            add(name)
    return tuple(table[n] for n in order)

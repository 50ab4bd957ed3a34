"""Vector spellings of Ascend 910B give CUDA's numbers, on the CPU runtimes for both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numbers_cxx import (
    CUDA_HALVES,
    Array,
    Case,
    Inputs,
    as_float,
    cases,
    emulator_flags,
    make_inputs,
    run_program,
    ulps,
)
from numbers_vector import LANES, run_vector, vector_types
from test_numbers import CUDA_HEADERS, domain

from migrate.rules.catalogue import load_catalogue
from migrate.rules.model import Form, RuleKind, Spelling

TARGET = "ascend910b"
_FORMS = (Form.VECTOR, Form.VECTOR_TS, Form.VECTOR_ST)


def _items() -> list[tuple[Case, Spelling]]:
    """One overload of each rule, form and set of types: aliases would say the same again."""
    found: dict[tuple[str, Form, tuple[str, ...]], tuple[Case, Spelling]] = {}
    for case in cases(load_catalogue().of_kind(RuleKind.INTRINSIC)):
        for form in _FORMS:
            spelling = case.rule.spelling(TARGET, form, case.params)
            if spelling is not None:
                assert vector_types(case), f"{case.name}: no tile holds these types"
                key = (case.rule.id, form, case.signature.params)
                found.setdefault(key, (case, spelling))
    return list(found.values())


ITEMS = _items()


@dataclass(frozen=True)
class Run:
    """Values by case (and form, for the vector unit)."""

    inputs: Inputs
    cuda: dict[str, Array]
    vector: dict[str, Array]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    inputs = make_inputs()
    vector = run_vector(ITEMS, inputs, tmp_path_factory.mktemp("vector")).values
    scalar_two = {k: (c[0], c[1], c[2]) for k, c in inputs.items()}
    items: list[tuple[Case, str]] = []
    for case, spelling in ITEMS:
        text = case.cuda
        if spelling.form is Form.VECTOR_TS:
            text = f"({{ decltype(y) keep = y; y = 2; auto r = {text}; y = keep; r; }})"
        if spelling.form is Form.VECTOR_ST:
            text = f"({{ decltype(x) keep = x; x = 2; auto r = {text}; x = keep; r; }})"
        items.append((_named(case, spelling), text))
    flags = emulator_flags("cuda_emu")
    work = tmp_path_factory.mktemp("cuda")
    cuda = run_program(items, scalar_two, CUDA_HEADERS, CUDA_HALVES, flags, work).values
    return Run(inputs, cuda, vector)


@dataclass(frozen=True, slots=True)
class _FormCase(Case):
    form: Form = Form.VECTOR

    @property
    def name(self) -> str:
        return f"{self.rule.id}[{self.signature}]/{self.form.value}"


def _named(case: Case, spelling: Spelling) -> Case:
    return _FormCase(case.rule, case.signature, case.cuda, spelling.form)


@pytest.mark.parametrize(
    ("case", "spelling"), ITEMS, ids=lambda v: v.name if isinstance(v, Case) else v.form.value
)
def test_vector_unit(case: Case, spelling: Spelling, run: Run) -> None:
    name = _named(case, spelling).name
    if name not in run.cuda:
        pytest.skip("the CPU runtime for CUDA lacks this function")
    got, want = run.vector[name], run.cuda[name][:LANES]
    columns = [
        as_float(run.inputs[p][k % 3], p)[:LANES] for k, p in enumerate(case.signature.params)
    ]
    keep = domain(case, run.inputs, TARGET)[:LANES]
    if "NaN" in spelling.limits:
        for column in columns:
            keep &= ~np.isnan(column)
    got, want = got[keep], want[keep]
    kind = case.signature.result
    if kind in ("f16", "bf16", "f32"):
        distance = ulps(got, want, kind)
        own = case.rule.numerics.ulp or 0.0
        allowed = 0.0 if spelling.exact and own == 0 else (spelling.ulp or 2.0) + own + 1.0
        worst = int(distance.argmax())
        assert distance[worst] <= allowed, (
            f"{distance[worst]} ulp at {[float(c[keep][worst]) for c in columns]}: "
            f"{as_float(got, kind)[worst]!r}, CUDA {as_float(want, kind)[worst]!r}"
        )
    else:
        wrong = np.nonzero(got != want)[0]
        assert len(wrong) == 0, (
            f"{len(wrong)} differ, first at {[float(c[keep][wrong[0]]) for c in columns]}: "
            f"{got[wrong[0]]}, CUDA {want[wrong[0]]}"
        )


def test_most_of_the_vector_unit_is_proved() -> None:
    assert len(ITEMS) >= 110

"""The form of ``corpus/`` and ``tests/known_gaps/``, read from the files; nothing is compiled."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
import yaml

from migrate.core.codes import all_codes
from migrate.core.targets import Target

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
GAPS = ROOT / "tests" / "known_gaps"
TARGETS = frozenset(target.value for target in Target)
VERDICTS = frozenset({"equal", "refused"})
ORIGINS = frozenset({"own"})

_COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_KERNEL = re.compile(
    r"__global__\s+(?:static\s+)?void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\("
)
_INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)', re.MULTILINE)
_CUDA_HEADERS = frozenset(
    {
        *("cuda_runtime.h", "cuda_fp16.h", "cuda_bf16.h", "mma.h"),
        *("cooperative_groups.h", "cooperative_groups/reduce.h", "cub/cub.cuh"),
    }
)


def uncommented(source: str) -> str:
    """The source without comments; string literals stay."""
    return _COMMENT.sub(lambda m: m.group(1) or " ", source)


def kernels_in(source: str) -> list[str]:
    """Names of all ``__global__`` functions, in order; ``ValueError`` if one is unreadable."""
    code = uncommented(source)
    names = _KERNEL.findall(code)
    if len(names) != code.count("__global__"):
        raise ValueError("a __global__ function is written in a form that this test does not read")
    return names


def source_problems(source: str) -> list[str]:
    """What is wrong with a program of the corpus."""
    code = uncommented(source)
    problems = []
    if not re.search(r"^int main\(", code, re.MULTILINE):
        problems.append("no main")
    problems += [f"never prints {word}" for word in ("PASS", "FAIL") if word not in code]
    if not kernels_in(source):
        problems.append("no kernel")
    for quote, header in _INCLUDE.findall(code):
        standard = quote == "<" and "." not in header
        c_header = quote == "<" and header in {"stdio.h", "stdlib.h", "string.h", "math.h"}
        if not (standard or c_header or header in _CUDA_HEADERS):
            problems.append(f"includes {header}, which is neither standard C++ nor CUDA's")
    return problems


def case_problems(case: object, kernels: Sequence[str]) -> list[str]:
    """What is wrong with the content of a ``case.yaml`` for a source with these kernels."""
    if not isinstance(case, Mapping):
        return ["not a mapping"]
    problems = _key_problems(case, {"description", "origin", "args", "kernels"}, set())
    if problems:
        return problems
    if not (isinstance(case["description"], str) and case["description"].strip()):
        problems.append("description is empty")
    if case["origin"] not in ORIGINS:
        problems.append(f"origin {case['origin']!r} is unknown")
    if not _is_text_list(case["args"]):
        problems.append("args is no list of strings")
    entries = case["kernels"]
    if not isinstance(entries, list):
        return [*problems, "kernels is no list"]
    for entry in entries:
        problems += kernel_problems(entry)
    listed = [entry.get("name") for entry in entries if isinstance(entry, Mapping)]
    if Counter(listed) != Counter(kernels):
        problems.append(f"kernels are {sorted(kernels)}, listed are {sorted(map(str, listed))}")
    return problems


def kernel_problems(entry: object) -> list[str]:
    """What is wrong with one entry of ``kernels``."""
    if not isinstance(entry, Mapping):
        return ["a kernel is no mapping"]
    problems = _key_problems(entry, {"name", "expect"}, {"codes", "tolerance"})
    if problems:
        return problems
    expect, codes = entry["expect"], entry.get("codes", {})
    if not isinstance(expect, Mapping) or not isinstance(codes, Mapping):
        return ["expect or codes is no mapping"]
    if set(expect) != TARGETS:
        problems.append(f"expect names {sorted(expect)}, the targets are {sorted(TARGETS)}")
    problems += [f"verdict {v!r} is unknown" for v in expect.values() if v not in VERDICTS]
    refused = {target for target, verdict in expect.items() if verdict == "refused"}
    if set(codes) != refused:
        problems.append(f"codes are given for {sorted(codes)}, refused are {sorted(refused)}")
    known = all_codes()
    problems += [f"code {code!r} is unknown" for code in codes.values() if code not in known]
    if "tolerance" in entry:
        problems += tolerance_problems(entry["tolerance"])
    return problems


def tolerance_problems(tolerance: object) -> list[str]:
    """What is wrong with a ``tolerance``."""
    if not isinstance(tolerance, Mapping):
        return ["tolerance is no mapping"]
    problems = _key_problems(tolerance, {"rtol", "atol", "reason"}, set())
    if problems:
        return problems
    for key in ("rtol", "atol"):
        value = tolerance[key]
        if not isinstance(value, float) or not 0.0 <= value < 0.1:
            problems.append(f"{key} {value!r} is no float in [0, 0.1)")
    if not (isinstance(tolerance["reason"], str) and len(tolerance["reason"].split()) >= 5):
        problems.append("tolerance has no reason")
    return problems


def gap_problems(gap: object, kernels: Sequence[str]) -> list[str]:
    """What is wrong with the content of a ``gap.yaml`` for a source with these kernels."""
    if not isinstance(gap, Mapping):
        return ["not a mapping"]
    required = {"title", "kernels", "targets", "code_family", "issue"}
    problems = _key_problems(gap, required, {"nvcc"})
    if problems:
        return problems
    for key in ("title", "issue"):
        if not (isinstance(gap[key], str) and gap[key].strip()):
            problems.append(f"{key} is empty")
    for key, allowed in (("kernels", frozenset(kernels)), ("targets", TARGETS)):
        names = gap[key]
        if not _is_text_list(names) or not names:
            problems.append(f"{key} is no list of names")
        elif not set(names) <= allowed:
            problems.append(f"{key} has unknown names: {sorted(set(names) - allowed)}")
    family = gap["code_family"]
    if not (isinstance(family, str) and re.fullmatch(r"CM\d{1,4}", family)):
        problems.append(f"code_family {family!r} is no beginning of a code")
    elif not any(code.startswith(family) for code in all_codes()):
        problems.append(f"no code begins with {family}")
    if not _is_text_list(gap.get("nvcc", [])):
        problems.append("nvcc is no list of flags")
    return problems


def _key_problems(
    mapping: Mapping[str, object], required: set[str], optional: set[str]
) -> list[str]:
    missing = required - set(mapping)
    unknown = set(mapping) - required - optional
    return [f"{key} is missing" for key in sorted(missing)] + [
        f"{key} is unknown" for key in sorted(map(str, unknown))
    ]


def _is_text_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


PROGRAMS = sorted(path.parent for path in CORPUS.glob("*/*/*.cu"))
GAP_PROGRAMS = sorted(path.parent for path in GAPS.glob("*/*.cu"))


@pytest.mark.parametrize("folder", PROGRAMS, ids=lambda folder: folder.name)
def test_program_is_well_formed(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == {f"{folder.name}.cu", "case.yaml"}
    source = (folder / f"{folder.name}.cu").read_text(encoding="utf-8")
    case = yaml.safe_load((folder / "case.yaml").read_text(encoding="utf-8"))
    assert source_problems(source) == []
    assert case_problems(case, kernels_in(source)) == []


@pytest.mark.parametrize("folder", GAP_PROGRAMS, ids=lambda folder: folder.name)
def test_gap_is_well_formed(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == {f"{folder.name}.cu", "gap.yaml"}
    source = (folder / f"{folder.name}.cu").read_text(encoding="utf-8")
    gap = yaml.safe_load((folder / "gap.yaml").read_text(encoding="utf-8"))
    assert source_problems(source) == []
    assert gap_problems(gap, kernels_in(source)) == []


def test_nothing_lies_outside_the_layout() -> None:
    assert len(PROGRAMS) >= 20
    assert len(GAP_PROGRAMS) >= 4
    trees = CORPUS / "trees"  # programs of several files; tests/end_to_end/test_trees.py
    single = [p.parent for p in CORPUS.rglob("*.cu") if trees not in p.parents]
    assert sorted(single) == PROGRAMS
    assert sorted(p.parent for p in CORPUS.rglob("*.yaml")) == PROGRAMS
    assert sorted(p.parent for p in GAPS.rglob("*.cu")) == GAP_PROGRAMS
    assert sorted(p.parent for p in GAPS.rglob("*.yaml")) == GAP_PROGRAMS
    assert [name for name, times in Counter(p.name for p in PROGRAMS).items() if times > 1] == []


def test_every_archetype_is_in_the_readme() -> None:
    readme = (CORPUS / "README.md").read_text(encoding="utf-8")
    layout = readme.partition("## Layout")[2].partition("\n## ")[0]
    listed = re.findall(r"^\| `(\w+)` \|", layout, re.MULTILINE)
    assert sorted(listed) == sorted({path.parent.name for path in PROGRAMS})


GOOD_CASE = """
description: adds
origin: own
args: []
kernels:
  - name: add
    expect: {tilelang: equal, ascend910b: equal, ascend950: refused}
    codes: {ascend950: CM4001}
    tolerance: {rtol: 1.0e-5, atol: 0.0, reason: the sum cancels for some inputs}
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("origin: own", "origin: found", "origin 'found' is unknown"),
        ("description: adds\n", "", "description is missing"),
        ("args: []", "args: [3]", "args is no list of strings"),
        ("args: []", "args: []\nspeed: 3", "speed is unknown"),
        ("name: add", "name: sub", "kernels are ['add'], listed are ['sub']"),
        ("tilelang: equal, ", "", "expect names"),
        ("tilelang: equal", "tilelang: fine", "verdict 'fine' is unknown"),
        ("    codes: {ascend950: CM4001}\n", "", "codes are given for []"),
        ("CM4001", "CM4999", "code 'CM4999' is unknown"),
        ("rtol: 1.0e-5", "rtol: 1", "rtol 1 is no float"),
        ("the sum cancels for some inputs", "needed", "tolerance has no reason"),
    ],
)
def test_bad_case_is_found(old: str, new: str, message: str) -> None:
    assert case_problems(yaml.safe_load(GOOD_CASE), ["add"]) == []
    assert old in GOOD_CASE
    problems = case_problems(yaml.safe_load(GOOD_CASE.replace(old, new, 1)), ["add"])
    assert any(problem.startswith(message) for problem in problems), problems


GOOD_SOURCE = """
#include <cstdio>
#include <cuda_runtime.h>
// __global__ void in_a_comment(
template <typename T>
__global__ void add(T* a) {}
__global__ void __launch_bounds__(128, 2) sub(int* a) {}
int main() { puts("PASS // FAIL"); }
"""


def test_kernels_are_found() -> None:
    assert source_problems(GOOD_SOURCE) == []
    assert kernels_in(GOOD_SOURCE) == ["add", "sub"]
    with pytest.raises(ValueError, match="does not read"):
        kernels_in("void __global__ odd(int* a);")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("int main()", "int start()", "no main"),
        ("PASS //", "OK //", "never prints PASS"),
        ("// FAIL", "", "never prints FAIL"),
        ("<cstdio>", "<cublas_v2.h>", "includes cublas_v2.h"),
        ("<cstdio>", '"common.h"', "includes common.h"),
    ],
)
def test_bad_source_is_found(old: str, new: str, message: str) -> None:
    problems = source_problems(GOOD_SOURCE.replace(old, new, 1))
    assert any(problem.startswith(message) for problem in problems), problems


GOOD_GAP = """
title: Odd adding
kernels: [add]
targets: [tilelang]
code_family: CM30
issue: Odd numbers are not added.
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[add]", "[mul]", "kernels has unknown names"),
        ("[tilelang]", "[]", "targets is no list of names"),
        ("CM30", "CX30", "code_family 'CX30' is no beginning"),
        ("CM30", "CM88", "no code begins with CM88"),
        ("issue: Odd numbers are not added.", "", "issue is missing"),
        ("title: Odd adding", "title: ''", "title is empty"),
    ],
)
def test_bad_gap_is_found(old: str, new: str, message: str) -> None:
    assert gap_problems(yaml.safe_load(GOOD_GAP), ["add"]) == []
    problems = gap_problems(yaml.safe_load(GOOD_GAP.replace(old, new, 1)), ["add"])
    assert any(problem.startswith(message) for problem in problems), problems

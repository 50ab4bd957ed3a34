"""Several configurations in one output: each reads of the merged file what it reads of its own."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from migrate.core.diagnostics import UserError
from migrate.core.edits import Edit, apply_edits
from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.frontend.branches import branches
from migrate.pipeline.configurations import (
    Configuration,
    configured,
    merge_runs,
    parse_configurations,
)
from migrate.pipeline.inputs import find_inputs
from migrate.pipeline.macro_choice import CannotMerge, Macro
from migrate.pipeline.merged_text import Merged, Version, merge
from migrate.pipeline.run import ProgramRun, run_all
from migrate.pipeline.summary import tree_files
from migrate.rules.catalogue import load_catalogue

SOURCE = """\
#ifdef FAST
__global__ void one(float* x) { x[threadIdx.x] *= 2; }
#elif defined(EXACT)
__global__ void two(float* x) { atomicAdd(x, 3.0f); }
#else
__global__ void three(float* x) { x[threadIdx.x] -= 1; }
#endif
#if LEVEL > 3
__global__ void deep(float* x) { x[0] = LEVEL; }
#endif
__global__ void both(float* x) {
#ifdef FAST
  x[threadIdx.x] += 1;
#else
  x[threadIdx.x] += 2;
#endif
}
int main() {
  float* d;
  cudaMalloc(&d, 64);
#ifdef FAST
  one<<<1, 4>>>(d);
#endif
  both<<<1, 4>>>(d);
  cudaFree(d);
}
"""


def _preprocessed(text: bytes, macros: tuple[Macro, ...]) -> list[str]:
    """The tokens, near enough, that a compiler reads of a text; its includes are only named."""
    named = re.sub(rb"(?m)^[ \t]*#[ \t]*include[ \t]*(.*)$", rb"include_line(\1)", text)
    options = [f"-D{m.name}={m.value}" for m in macros]
    command = ["g++", "-E", "-P", "-nostdinc", "-undef", "-x", "c++", *options, "-"]
    done = subprocess.run(command, input=named, capture_output=True, check=True, timeout=20)
    return done.stdout.decode().split()


def _convert(
    folder: Path, text: bytes, given: tuple[str, ...], target: Target = Target.ASCEND_950
) -> tuple[tuple[ProgramRun, ...], tuple[Configuration, ...]]:
    (folder / "k.cu").write_bytes(text)
    found = parse_configurations(given, ())
    options = Options(target, cache_dir=folder / "cache", run=False, jobs=1)
    programs = configured(find_inputs((folder / "k.cu",)).programs, found)
    return run_all(programs, options, load_catalogue()), found


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_each_configuration_reads_its_own_version(tmp_path: Path, newline: bytes) -> None:
    mark = b"\xef\xbb\xbf" if newline == b"\r\n" else b""
    text = mark + SOURCE.encode().replace(b"\n", newline)
    runs, found = _convert(tmp_path, text, ("fast=-DFAST", "exact=-DEXACT,-DLEVEL=2", "plain="))
    merged, notes = merge_runs(runs, found)
    assert notes == ()
    (file,) = tree_files(merged)
    for run, configuration in zip(runs, found, strict=True):
        (own,) = run.conversion.artifact.files
        assert _preprocessed(file.content, configuration.macros) == _preprocessed(
            own.content, configuration.macros
        )
    assert file.content.count(b"void both(") == 1, "only lines that differ stand twice"
    for name in (b"launch_one(1", b"asc_atomic_add", b"launch_three("):
        assert name in file.content
    at = done = 0
    for edit in file.edits:
        kept = text[at : edit.span.start]
        assert file.content[done : done + len(kept)] == kept
        at, done = edit.span.end, done + len(kept) + edit.length
    assert file.content[done:] == text[at:]
    if newline == b"\r\n":
        assert file.content.startswith(mark)
        assert b"\n" not in file.content.replace(b"\r\n", b"")


@pytest.fixture(scope="module")
def merged(tmp_path_factory: pytest.TempPathFactory) -> tuple[ProgramRun, ...]:
    """Two configurations that leave the kernels ``two`` and ``deep`` unread."""
    folder = tmp_path_factory.mktemp("two")
    return merge_runs(*_convert(folder, SOURCE.encode(), ("fast=-DFAST", "plain=")))[0]


def test_lines_of_kernels_are_those_of_the_merged_file(merged: tuple[ProgramRun, ...]) -> None:
    for run in merged:
        (file,) = run.conversion.artifact.files
        lines = file.content.decode().splitlines()
        for kernel in run.conversion.artifact.kernels:
            assert f"void {kernel.name}(" in lines[kernel.first_line - 1], kernel.symbol
            assert lines[kernel.last_line - 1] in ("}", "    }")


def test_branches_that_no_configuration_reads_are_listed_once(
    merged: tuple[ProgramRun, ...],
) -> None:
    units = [u for r in merged for u in r.conversion.program.units]
    assert [u.name for unit in units for u in unit.unread] == ["two", "deep"]
    told = [d.cause for u in units for d in u.diagnostics if d.code.id == "CM1030"]
    assert len(told) == 2 and "deep" in " ".join(told)


def test_a_python_module_has_no_branches(tmp_path: Path) -> None:
    runs, found = _convert(tmp_path, SOURCE.encode(), ("a=-DFAST", "b="), Target.TILELANG)
    merged, (note,) = merge_runs(runs, found)
    assert note.code.id == "CM0055" and "k.py is no edited copy" in note.cause
    assert {"k.py", "k.k-b.py"} <= {f.path.name for f in tree_files(merged)}


def test_macros_that_the_source_sets_itself_decide_nothing(tmp_path: Path) -> None:
    text = SOURCE.replace("__global__ void both", "#undef FAST\n__global__ void both")
    text = text.replace("#ifdef FAST\n  x", "#if WIDE\n  x")
    runs, found = _convert(tmp_path, text.encode(), ("a=-DFAST,-DWIDE=1", "b=-DEXACT"))
    (note,) = merge_runs(runs, found)[1]
    assert note.code.id == "CM0055" and note.cause == "k: the sources set FAST themselves"
    assert note.span.file.endswith("k.cu") and note.span.line > 1


@pytest.mark.parametrize(
    "given",
    [("-DX",), ("a b=-DX",), ("a=-DX,2",), ("a=-DX", "a="), ("a=-DX", "b=-DX"), ("a=-DX,-DX=2",)],
)
def test_configurations_of_another_form(given: tuple[str, ...]) -> None:
    with pytest.raises(UserError) as error:
        parse_configurations(given, ())
    assert error.value.diagnostic.code.id == "CM0013"


def test_a_macro_of_all_configurations_is_none_of_one() -> None:
    assert parse_configurations(("a=X=2,-D Y",), ("Z",))[0].macros == (Macro("X", "2"), Macro("Y"))
    with pytest.raises(UserError):
        parse_configurations(("a=-DX",), ("X=1",))


def _version(original: bytes, macros: tuple[Macro, ...], *pairs: tuple[str, str]) -> Version:
    names = {m.name for m in macros}
    taken: list[tuple[int, int]] = []
    for branch in branches(original):
        own = branch.condition.removeprefix("defined(").rstrip(")")
        before = {b.removeprefix("defined(").rstrip(")") for b in branch.before}
        if not (own in names if own else not before & names) or (own and before & names):
            start = original.rfind(b"#", 0, branch.start)
            taken.append((start, original.find(b"\n", branch.end + 1)))
    edits = []
    for old, new in pairs:
        at = original.index(old.encode())
        edits.append(Edit(at, at + len(old), new.encode()))
    return Version(macros, tuple(sorted(edits, key=lambda e: (e.start, e.end))), tuple(taken))


X, Y = (Macro("X"),), (Macro("Y"),)


def _check(original: bytes, *versions: Version) -> Merged:
    merged = merge(original, versions, frozenset())
    for version in versions:
        own = apply_edits(original, version.edits).text
        assert _preprocessed(merged.text, version.macros) == _preprocessed(own, version.macros)
    return merged


def test_an_edit_that_one_leaves_out_of_text_that_it_reads() -> None:
    """Not made silently for the other: its lines stand as they were."""
    original = b"int a;\nint b;\n"
    merged = _check(original, _version(original, X, ("b", "c")), _version(original, ()))
    assert merged.text == b"int a;\n#if defined(X)\nint c;\n#else\nint b;\n#endif\n"


def test_values_of_one_macro() -> None:
    original = b"int a;\n"
    versions = [_version(original, (Macro("N", str(n)),), ("a", f"a{n}")) for n in (1, 2)]
    text = _check(original, *versions).text
    assert text == b"#if defined(N) && N == 1\nint a1;\n#else\nint a2;\n#endif\n"
    kinds = [_version(original, (Macro("T", t),), ("a", t)) for t in ("float", "int")]
    with pytest.raises(CannotMerge, match="values of T"):
        merge(original, kinds, frozenset())


def test_guards_stand_around_the_whole_call() -> None:
    original = b"check(f(1,\n  g(2),\n  3));\nint z;\n"
    merged = _check(original, _version(original, X, ("g", "h")), _version(original, Y))
    assert merged.text.startswith(b"#if defined(X)\ncheck(") and merged.text.endswith(b"int z;\n")


WORDS = ("a", "bb", "c1", "f ( 2 )", "x += 3 ;", "{ }", "/* no */", "// ends", "")


@st.composite
def _files(draw: st.DrawFn) -> tuple[bytes, list[list[tuple[int, bytes]]]]:
    """A text with conditionals on X and Y, and the same lines as each configuration edits them."""
    lines = draw(st.lists(st.sampled_from(WORDS[:6]), min_size=1, max_size=7))
    for name in draw(st.lists(st.sampled_from(("X", "Y")), max_size=2)):
        first = draw(st.integers(0, len(lines)))
        last = draw(st.integers(first, len(lines)))
        body = lines[first:last]
        other = draw(st.sampled_from((["#else", "other"], [])))
        if sum(b.startswith("#if") for b in body) == sum(b == "#endif" for b in body):
            if "#else" not in body or body[0].startswith("#if"):
                lines[first:last] = [f"#ifdef {name}", *body, *other, "#endif"]
    changes = st.lists(
        st.tuples(st.integers(0, len(lines) - 1), st.sampled_from(WORDS).map(str.encode)),
        max_size=4, unique_by=lambda c: c[0],
    )  # fmt: skip
    return "\n".join([*lines, ""]).encode(), draw(st.lists(changes, min_size=2, max_size=2))


@settings(max_examples=25, deadline=None)
@given(_files(), st.booleans())
def test_random_edits_keep_every_configuration(
    made: tuple[bytes, list[list[tuple[int, bytes]]]], whole: bool
) -> None:
    original, changes = made
    starts = [0, *(i + 1 for i, c in enumerate(original) if c == 10)]
    versions = []
    for macros, own in zip((X, Y), changes, strict=True):
        bare = _version(original, macros)
        edits = []
        for line, text in sorted(own):
            start, end = starts[line], starts[line + 1] - 1
            if original[start : start + 1] == b"#":
                continue
            edits.append(Edit(start, start if whole else end, text + (b"\n" if whole else b"")))
        versions.append(Version(macros, tuple(edits), bare.skipped))
    _check(original, *versions)

"""Output trees are written whole or not at all; bad inputs have codes."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from migrate.core.artifact import GeneratedFile
from migrate.core.diagnostics import UserError
from migrate.pipeline.inputs import find_programs
from migrate.pipeline.output import write_tree


def _files(*items: tuple[str, bytes]) -> tuple[GeneratedFile, ...]:
    return tuple(GeneratedFile(PurePosixPath(p), c) for p, c in items)


def _code(error: pytest.ExceptionInfo[UserError]) -> str:
    return error.value.diagnostic.code.id


def test_writes_a_tree(tmp_path: Path) -> None:
    out = tmp_path / "a" / "out"
    write_tree(out, _files(("x/y.asc", b"1"), ("report.json", b"{}")), force=False)
    assert (out / "x/y.asc").read_bytes() == b"1"
    assert sorted(p.name for p in (tmp_path / "a").iterdir()) == ["out"]


def test_existing_output_is_kept_without_force(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_tree(out, _files(("report.json", b"old")), force=False)
    with pytest.raises(UserError) as error:
        write_tree(out, _files(("report.json", b"new")), force=False)
    assert _code(error) == "CM0006"
    assert (out / "report.json").read_bytes() == b"old"


def test_force_replaces_only_trees_of_its_own(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_tree(out, _files(("report.json", b"old"), ("gone.asc", b"")), force=False)
    write_tree(out, _files(("report.json", b"new")), force=True)
    assert sorted(p.name for p in out.iterdir()) == ["report.json"]
    foreign = tmp_path / "home"
    foreign.mkdir()
    (foreign / "thesis.txt").write_text("work")
    with pytest.raises(UserError) as error:
        write_tree(foreign, _files(("report.json", b"new")), force=True)
    assert _code(error) == "CM0007"
    assert (foreign / "thesis.txt").read_text() == "work"


def test_a_failure_half_way_leaves_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(UserError) as error:
        write_tree(out, _files(("a", b"1"), ("a/b", b"2")), force=False)
    assert _code(error) == "CM0007"
    assert list(tmp_path.iterdir()) == []


def test_paths_cannot_leave_the_tree(tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        write_tree(tmp_path / "out", _files(("../evil", b"")), force=False)
    assert _code(error) == "CM0007"
    assert list(tmp_path.iterdir()) == []


def test_output_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UserError) as error:
        write_tree(tmp_path / "file" / "out", _files(("a", b"")), force=False)
    assert _code(error) == "CM0007"


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"", "CM0002"), (b" \n\t\n", "CM0002"), (b"int\0main", "CM0003"), (None, "CM0001")],
)
def test_bad_inputs(tmp_path: Path, content: bytes | None, code: str) -> None:
    path = tmp_path / "k.cu"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UserError) as error:
        find_programs((path,))
    assert _code(error) == code


def test_directory_without_cuda(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text("int main() {}")
    with pytest.raises(UserError) as error:
        find_programs((tmp_path,))
    assert _code(error) == "CM0008"


def test_files_of_a_directory_form_programs_around_main(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    (one / "main.cu").write_text("int main() {}")
    (one / "kernels.cu").write_text("__global__ void k() {}")
    (one / "reference.cpp").write_text("int f() { return 1; }")
    (two / "a.cu").write_text("int main() {}")
    (two / "b.cu").write_text("int main (void) {}")
    found = {p.name: p for p in find_programs((tmp_path,))}
    assert sorted(found) == ["a", "b", "one"]
    assert [s.name for s in found["one"].sources] == ["kernels.cu", "main.cu"]
    assert [s.name for s in found["one"].host_sources] == ["reference.cpp"]
    assert found["a"].sources == (two / "a.cu",)


def test_several_inputs_keep_their_folders_apart(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "main.cu").write_text("int main() {}")
    found = find_programs((tmp_path / "one", tmp_path / "two"))
    places = {s.relative_to(p.root) for p in found for s in p.sources}
    assert places == {Path("one/main.cu"), Path("two/main.cu")}

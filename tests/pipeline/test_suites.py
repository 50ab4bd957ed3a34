"""Which files belong to a program of a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.core.options import Limits
from migrate.emulation.run import run_command
from migrate.pipeline.own_check import Words
from migrate.pipeline.suite import argument_lists, load_suite


def test_helper_code_in_a_folder_without_cuda_belongs_to_the_program(tmp_path: Path) -> None:
    program = tmp_path / "lu"
    (program / "common").mkdir(parents=True)
    (program / "main.cu").write_text("int helper();\nint main() { return helper(); }\n")
    (program / "common" / "helper.cpp").write_text("int helper() { return 0; }\n")
    (program / "common" / "helper.h").write_text("int helper();\n")
    table = tmp_path / "suite.csv"
    table.write_text("program,archetype,args,features,libraries\nlu,dense,-s 64,,\n")
    (found,) = load_suite(table, tmp_path, "{program}", frozenset())
    assert [p.name for p in found.source.sources] == ["main.cu"]
    assert [p.name for p in found.source.host_sources] == ["helper.cpp"]
    assert found.args == ("-s", "64")


def test_a_table_names_folders_libraries_data_and_what_decides(tmp_path: Path) -> None:
    folder = tmp_path / "part" / "image"
    (folder / "data").mkdir(parents=True)
    (folder / "main.cu").write_text("int main() { return 0; }\n")
    (folder / "data" / "picture.pgm").write_text("P5")
    (folder / "data" / "notes.txt").write_text("-")
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "threads.cpp").write_text("int t;\n")
    table = tmp_path / "suite.csv"
    table.write_text(
        "program,folder,args,check,includes,hosts,files\n"
        "image,part/image,,status,common,common/threads.cpp,data/*.pgm\n"
        "plain,part/image,,,,,\n"
    )
    image, plain = load_suite(table, tmp_path, "{program}", frozenset())
    assert image.source.joint_settings.include_dirs == (tmp_path / "common",)
    assert [p.name for p in image.source.host_sources] == ["threads.cpp"]
    assert image.source.files == (("data/picture.pgm", folder / "data" / "picture.pgm"),)
    assert image.source.verdict is Words.STATUS
    assert (plain.source.files, plain.source.verdict) == ((), Words.PRINTED)


@pytest.mark.parametrize(
    ("text", "lists"),
    [
        ("", [()]),
        ("1 -q", [("1", "-q")]),
        ("1 | 2 'a | b'", [("1",), ("2", "a | b")]),
        ("| -v", [(), ("-v",)]),
        ("a|b", [("a|b",)]),
    ],
)
def test_lists_of_arguments(text: str, lists: list[tuple[str, ...]]) -> None:
    assert argument_lists(text) == lists


def test_a_program_finds_its_files_where_it_runs(tmp_path: Path) -> None:
    data = tmp_path / "kept.txt"
    data.write_text("as it was")
    script = "cat data/in.txt; echo more > data/in.txt"
    found = run_command(["sh", "-c", script], Limits(seconds=10.0), files=(("data/in.txt", data),))
    assert (found.exit, found.stdout) == (0, "as it was")
    assert data.read_text() == "as it was"

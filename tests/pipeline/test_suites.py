"""Which files belong to a program of a table."""

from __future__ import annotations

from pathlib import Path

from migrate.pipeline.suite import load_suite


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

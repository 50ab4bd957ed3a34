"""A file's settings as clang's arguments."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.core.compile_settings import CompileSettings
from migrate.frontend.parse_arguments import arguments_of


def test_a_given_folder_is_not_searched_again_as_a_system_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "vector").write_text("")
    monkeypatch.chdir(tmp_path)
    guessed = CompileSettings(late_dirs=(tmp_path / "lib",))
    assert arguments_of(guessed, "g++") == ("-idirafter", str(tmp_path / "lib"))
    given = CompileSettings(include_dirs=(Path("lib"),), late_dirs=(tmp_path / "lib",))
    assert arguments_of(given, "g++") == ("-I", "lib")

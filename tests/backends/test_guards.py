"""Files for both platforms: where guards may stand, and that each side is what went in."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from migrate.backends.ascendc.hybrid import merge
from migrate.core.artifact import AppliedEdit, GeneratedFile
from migrate.core.edits import Edit, apply_edits
from migrate.core.hybrid_text import Platform, blanked, side, stub_target, stub_text
from migrate.core.span import span_of
from migrate.pipeline.hybrid import hybrid_files


def merged(original: str, *pairs: tuple[str, str]) -> str:
    """Each old text, once in the original, becomes the new one; an empty old text is the start."""
    source = original.encode()
    edits = []
    for old, new in pairs:
        assert source.count(old.encode()) == 1 or not old
        at = source.index(old.encode())
        edits.append(Edit(at, at + len(old.encode()), new.encode()))
    done = apply_edits(source, edits)
    applied = [
        AppliedEdit(span_of("x", source, e.start, e.end), len(e.text)) for e, _ in done.placed
    ]
    text = merge(source, done.text, applied, "cuda_or_ascend.h")
    assert text is not None
    assert side(text, Platform.CUDA).rstrip() == source.rstrip()
    assert side(text, Platform.ASCEND).rstrip() == done.text.rstrip()
    head, _, rest = text.decode().partition("\n")
    assert head.lstrip("\ufeff").rstrip() == '#include "cuda_or_ascend.h"'
    return rest


def test_only_lines_that_differ_are_guarded() -> None:
    assert merged("int a;\nint b = cuda();\nint c;\n", ("cuda()", "acl()")) == (
        "int a;\n#if defined(USE_ASCEND)\nint b = acl();\n#else  // CUDA\nint b = cuda();\n"
        "#endif  // USE_ASCEND\nint c;\n"
    )


def test_what_only_one_side_has() -> None:
    assert merged("int a;\n{\n  x();\n", ("{", "{\n  session();")) == (
        "int a;\n{\n#if defined(USE_ASCEND)\n  session();\n#endif  // USE_ASCEND\n  x();\n"
    )
    assert merged("int a;\nint b;\nint c;\n", ("int b;\n", "")) == (
        "int a;\n#if !defined(USE_ASCEND)\nint b;\n#endif  // USE_ASCEND\nint c;\n"
    )


def test_neighbours_share_one_guard() -> None:
    text = merged("int a;\nf(1);\nf(2);\nint b;\n", ("f(1)", "g(1)"), ("f(2)", "g(2)"))
    assert text.count("#if defined") == 1


@pytest.mark.parametrize(
    ("source", "old", "from_line"),
    [
        ("int z;\nCHECK(f(a,\n        cuda));\nint y;\n", "cuda", "CHECK(f(a,"),
        ("int z;\n#define M(x) \\\n    cuda(x)\nint y;\n", "cuda", "#define M(x) \\"),
        ("int z;\nint /* of\n two */ cuda;\nint y;\n", "cuda", "int /* of"),
        ('int z;\nauto s = R"(one\n)" + cuda;\nint y;\n', "cuda", 'auto s = R"(one'),
        ("int z;\n#ifdef A\nint q;\n#endif\nint y;\n", "#ifdef A\n", "#ifdef A"),
    ],
)
def test_guards_stand_where_directives_may(source: str, old: str, from_line: str) -> None:
    text = merged(source, (old, "acl" if old == "cuda" else "#ifdef B\n"))
    assert f"int z;\n#if defined(USE_ASCEND)\n{from_line.replace('A', 'B', 1)}" in text or (
        f"int z;\n#if defined(USE_ASCEND)\n{from_line}" in text
    )
    assert text.endswith("#endif  // USE_ASCEND\nint y;\n")


def test_line_ends_and_marks_of_the_file_stay() -> None:
    text = merged("\ufeffint a;\r\nint b = cuda;\r\nint c;", ("cuda", "acl"))
    assert "\n" not in text.replace("\r\n", "")


def test_the_first_and_the_last_line() -> None:
    assert merged("cuda;\nint b;\nint c", ("cuda", "acl")).endswith("int b;\nint c")
    assert merged("int a;\nint b;\ncuda", ("cuda", "acl")).endswith("cuda\n#endif  // USE_ASCEND\n")


def test_a_file_with_such_a_macro_is_not_guarded() -> None:
    source = b"#ifdef USE_ASCEND\nint a;\n#endif\n"
    assert merge(source, source + b"int b;\n", (), "cuda_or_ascend.h") is None


def test_a_second_version_of_a_source_does_not_take_the_place_of_the_first(tmp_path: Path) -> None:
    source = tmp_path / "k.cu"
    source.write_bytes(b"int a;\ncuda;\n")
    edits = (AppliedEdit(span_of("k.cu", b"int a;\ncuda;\n", 7, 11), 3),)
    files = [
        GeneratedFile(PurePosixPath(f"src/{name}"), b"int a;\nacl;\n", str(source), edits)
        for name in ("k.asc", "k.two.asc")
    ]
    result = hybrid_files(files)
    assert [str(f.path) for f in result.files] == [
        "src/k.cu",
        "src/k.asc",
        "src/k.two.asc",
        "cuda_or_ascend.h",
    ]
    assert result.files[0].content.startswith(b'#include "../cuda_or_ascend.h"\n')
    assert result.files[2] is files[1]
    assert [d.code.id for d in result.diagnostics] == ["CM6006"]


def test_blanked_keeps_lines() -> None:
    text = b'#include "cuda_or_ascend.h"\na\n#if defined(USE_ASCEND)\nb\n#else  // CUDA\nc\n#endif  // USE_ASCEND\nd\n'
    assert blanked(text, Platform.CUDA) == b'#include "cuda_or_ascend.h"\na\n\n\n\nc\n\nd\n'
    assert blanked(text, Platform.ASCEND) == b'#include "cuda_or_ascend.h"\na\n\nb\n\n\n\nd\n'
    assert blanked(text[5:], Platform.CUDA) == text[5:]


def test_stubs_name_their_file() -> None:
    assert stub_target(stub_text("blur.cu")) == "blur.cu"
    assert stub_target(b'#include "blur.cu"\n') is None

"""Byte-exact edits and the scanner of C++ text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrate.core.cpp_text import closing, newline_of, split_commas, tokens
from migrate.core.edits import Edit, OverlappingEdits, apply_edits


def test_edits_replace_and_insert() -> None:
    edited = apply_edits(b"abcdef", [Edit(4, 5, b"XY"), Edit(0, 1, b""), Edit(3, 3, b"-")])
    assert edited.text == b"bc-dXYf"
    assert [at for _, at in edited.placed] == [0, 2, 4]


def test_insertions_at_one_place_keep_their_order() -> None:
    assert apply_edits(b"ab", [Edit(1, 1, b"1"), Edit(1, 1, b"2")]).text == b"a12b"


@pytest.mark.parametrize(
    "edits",
    [
        (Edit(0, 3, b""), Edit(2, 4, b"")),
        (Edit(0, 3, b""), Edit(1, 1, b"x")),
        (Edit(1, 3, b""), Edit(1, 2, b"")),
    ],
)
def test_overlaps_are_errors(edits: tuple[Edit, ...]) -> None:
    with pytest.raises(OverlappingEdits):
        apply_edits(b"abcdef", edits)


def test_a_range_outside_the_source_is_an_error() -> None:
    with pytest.raises(ValueError, match="of 3 bytes"):
        apply_edits(b"abc", [Edit(2, 4, b"")])


@given(st.binary(max_size=200), st.integers(0, 200), st.integers(0, 50), st.binary(max_size=20))
def test_bytes_outside_an_edit_stay(source: bytes, start: int, length: int, text: bytes) -> None:
    start = min(start, len(source))
    end = min(start + length, len(source))
    out = apply_edits(source, [Edit(start, end, text)]).text
    assert out == source[:start] + text + source[end:]


def test_tokens_leave_comments_and_strings_alone() -> None:
    source = b'f(a, /* cudaFree( */ "cudaMalloc(", R"x(cudaFree)x"); // cudaFree\ng();'
    found = tokens(source)
    assert [t.text for t in found if t.kind == "word"] == ["f", "a", "g"]
    assert [t.text for t in found if t.kind == "string"] == ['"cudaMalloc("', 'R"x(cudaFree)x"']


def test_a_directive_is_one_token_with_its_continuation() -> None:
    source = b"#define A(x) \\\r\n  f(x) /* two\n lines */ g\r\nint a;\r\n"
    first, *rest = tokens(source)
    assert first.kind == "directive"
    assert first.text.endswith("g")
    assert [t.text for t in rest] == ["int", "a", ";"]
    assert newline_of(source) == b"\r\n"


@given(st.binary(max_size=300))
def test_tokens_never_overlap_and_show_their_bytes(source: bytes) -> None:
    at = 0
    for t in tokens(source):
        assert t.start >= at
        assert t.end > t.start
        assert t.text.encode("latin-1") == source[t.start : t.end]
        at = t.end


def test_parameters_split_outside_brackets_and_templates() -> None:
    found = tokens(b"f(map<int, float> a, int (*g)(int, int), T b[2])")
    close = closing(found, 1)
    assert close == len(found) - 1
    assert len(split_commas(found, 2, close)) == 3

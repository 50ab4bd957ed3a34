"""Edits touch the bytes that they name and no others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrate.frontend.source_edit import Edit, OverlappingEdits, apply_edits, line_ending


def test_replacements_and_insertions() -> None:
    data = b"\xef\xbb\xbfint a;\r\n\tb\xd6\xd0;\r\n"
    edits = (Edit(7, 8, b"x"), Edit(3, 3, b"/*1*/"), Edit(3, 3, b"/*2*/"))
    assert apply_edits(data, edits) == b"\xef\xbb\xbf/*1*//*2*/int x;\r\n\tb\xd6\xd0;\r\n"


def test_no_edits_give_the_same_bytes() -> None:
    data = bytes(range(256))
    assert apply_edits(data, ()) == data


def test_overlap_is_an_error() -> None:
    with pytest.raises(OverlappingEdits):
        apply_edits(b"abcdef", (Edit(0, 3, b""), Edit(2, 4, b"")))


def test_an_insertion_inside_a_replacement_is_an_error() -> None:
    with pytest.raises(OverlappingEdits):
        apply_edits(b"abcdef", (Edit(0, 3, b""), Edit(1, 1, b"x")))


def test_neighbours_do_not_overlap() -> None:
    assert apply_edits(b"abcd", (Edit(0, 2, b"X"), Edit(2, 4, b"Y"), Edit(2, 2, b"-"))) == b"X-Y"


@pytest.mark.parametrize("edit", [Edit(-1, 2, b""), Edit(2, 1, b""), Edit(0, 9, b"")])
def test_outside_is_an_error(edit: Edit) -> None:
    with pytest.raises(ValueError, match="outside"):
        apply_edits(b"abc", (edit,))


@given(st.binary(max_size=40), st.data())
def test_the_rest_is_untouched(data: bytes, draw: st.DataObject) -> None:
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(data)), max_size=8)))
    edits = tuple(Edit(a, b, b"<>") for a, b in zip(cuts[::2], cuts[1::2], strict=False))
    kept = []
    at = 0
    for e in edits:
        kept.append(data[at : e.start])
        at = e.end
    kept.append(data[at:])
    assert apply_edits(data, edits) == b"<>".join(kept)


def test_line_ending() -> None:
    assert line_ending(b"a\r\nb\r\nc\n") == b"\r\n"
    assert line_ending(b"a\nb\r\n") == b"\n"

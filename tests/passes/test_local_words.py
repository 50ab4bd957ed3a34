"""Words of local values that a copy of memory reads and writes."""

from __future__ import annotations

import pytest
from before_after import check, unchanged

PASS = "local words"
P = "n: i32, q: ptr<global, u16>, r: ptr<global, u32>"
ROWS = """struct Row size 16 align 4 { a: array<f16, 6> @ 0
 b: f32 @ 12 }
struct Flags size 4 align 4 { on: bool @ 0
 at: i16 @ 2 }
union Either size 4 align 4 { u: u32 @ 0
 f: f32 @ 0 }
"""


def word(kind: str, pointee: str, place: str, index: str) -> str:
    """An element behind a cast of a local value's address."""
    return f"cast<ptr<local, {kind}>>(addr<ptr<local, {pointee}>>({place}))[{index}]"


def test_a_word_of_the_size_of_a_scalar_is_that_scalar() -> None:
    check(
        PASS,
        f"var v: int4\n{word('u32', 'int4', 'v', '1:i32')} = r[0:i32]\n"
        f"r[1:i32] = {word('u32', 'int4', 'v', '3:i32')}",
        "var v: int4\nv.y = bits<i32>(r[0:i32])\nr[1:i32] = bits<u32>(v.w)",
        P,
    )


def test_a_shorter_word_is_a_part_of_the_scalars_bits() -> None:
    check(
        PASS,
        f"var v: int4\n{word('u16', 'int4', 'v', '0:i32')} = q[0:i32]\n"
        f"{word('u16', 'int4', 'v', '5:i32')} = q[1:i32]\n"
        f"q[2:i32] = {word('u16', 'int4', 'v', '4:i32')}\n"
        f"q[3:i32] = {word('u16', 'int4', 'v', '7:i32')}",
        """var v: int4
        v.x = bits<i32>(((bits<u32>(v.x) & 4294901760:u32) | cast<u32>(q[0:i32])))
        v.z = bits<i32>(((bits<u32>(v.z) & 65535:u32) | (cast<u32>(q[1:i32]) << 16:u32)))
        q[2:i32] = cast<u16>(bits<u32>(v.z))
        q[3:i32] = cast<u16>((bits<u32>(v.w) >> 16:u32))""",
        P,
    )


def test_the_way_leads_through_members_and_arrays() -> None:
    check(
        PASS,
        f"var w: Row\nq[0:i32] = {word('u16', 'Row', 'w', '3:i32')}\n"
        f"q[1:i32] = {word('u16', 'Row', 'w', '7:i32')}\n"
        f"r[0:i32] = {word('u32', 'Row', 'w', '3:i32')}",
        """var w: Row
        q[0:i32] = bits<u16>(w.a.[3:i32])
        q[1:i32] = cast<u16>((bits<u32>(w.b) >> 16:u32))
        r[0:i32] = bits<u32>(w.b)""",
        P,
        ROWS,
    )


def test_an_index_that_is_not_known_is_one_of_an_array() -> None:
    check(
        PASS,
        f"var w: Row\nq[0:i32] = {word('u16', 'array<f16, 6>', 'w.a', 'n')}",
        "var w: Row\nq[0:i32] = bits<u16>(w.a.[n])",
        P,
        ROWS,
    )


@pytest.mark.parametrize(
    "body",
    [
        f"var w: Row\nr[0:i32] = {word('u32', 'Row', 'w', '0:i32')}",  # two halves
        f"var w: Row\nr[0:i32] = {word('u32', 'Row', 'w', '4:i32')}",  # behind the end
        f"var w: Row\nr[0:i32] = {word('u32', 'Row', 'w', 'n')}",  # one of two kinds
        f"var v: int4\nq[0:i32] = {word('u16', 'int4', 'v', 'n')}",  # a part, and not known which
        f"var w: Flags\nq[0:i32] = {word('u16', 'Flags', 'w', '0:i32')}",  # padding
        f"var w: Either\nq[0:i32] = {word('u16', 'Either', 'w', '0:i32')}",
        f"shared var v: array<i32, 4>\nq[0:i32] = {word('u16', 'array<i32, 4>', 'v', '0:i32')}",
    ],
)
def test_what_is_not_in_one_scalar_stays(body: str) -> None:
    unchanged(PASS, body, P, ROWS)

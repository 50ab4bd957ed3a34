"""Local unions: which become the word that they hold, and which stay."""

from __future__ import annotations

import pytest
from before_after import apply, check, module_of

from migrate.lifting.refusal import Refused

UNIONS = """union Bits size 4 align 4 { f: f32 @ 0
 u: u32 @ 0 }
union Wide size 8 align 8 { d: f64 @ 0
 half: u32 @ 0 }
union Bytes size 4 align 4 { u: u32 @ 0
 b: array<u8, 4> @ 0 }
"""
P = "n: i32, q: ptr<global, f32>, r: ptr<global, u32>"


def test_members_of_one_size_are_one_word() -> None:
    check(
        "scalarise",
        """var w: Bits
        w.f = q[n]
        r[n] = (w.u >> 31:u32)
        w.u = (w.u & 2147483647:u32)
        q[n] = w.f""",
        """var w: u32
        w = bits<u32>(q[n])
        r[n] = (w >> 31:u32)
        w = (w & 2147483647:u32)
        q[n] = bits<f32>(w)""",
        P,
        UNIONS,
    )


def test_an_initialiser_gives_the_first_member() -> None:
    check(
        "scalarise",
        "var w: Bits = make<Bits>(q[n]) r[n] = w.u",
        "var w: u32 = bits<u32>(q[n]) r[n] = w".replace(" r[n]", "\nr[n]"),
        P,
        UNIONS,
    )


@pytest.mark.parametrize(
    "body",
    [
        "var w: Wide w.d = 1.0:f64 r[n] = w.half",  # half of it
        "var w: Bytes w.u = 1:u32 r[n] = cast<u32>(w.b.[n])",  # an array over it
        "var w: Bits var v: Bits w.f = q[n] v = w r[n] = v.u",  # a copy of the whole
    ],
)
def test_what_is_more_than_one_word_stays_and_is_refused(body: str) -> None:
    with pytest.raises(Refused, match="CM3014"):
        apply("scalarise", module_of(body, P, UNIONS))

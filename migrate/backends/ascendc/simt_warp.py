"""Warp operations of CUDA as functions of the 950's SIMT API, which take no mask.

The API's functions work on the lanes of a warp that are active together. CUDA wants every lane that
a mask names to be at the call, so with mask ``M`` the active lanes hold at least ``M``. From this
follows what is legal:

* **Shuffles**: the mask is dropped. A lane of ``M`` gets the value of a lane of ``M`` (CUDA
  leaves the value of any other source undefined), and that lane is active.
* **Votes**: lanes outside ``M`` that are active too must not count, so ``ballot`` is cut by the
  mask and ``any`` and ``all`` are said by it. With the whole warp named, the plain functions do.
* **reduce**: only with the whole warp named. Another mask can differ from lane to lane, and then
  one reduction of all active lanes is not what CUDA computes.

A lane that calls with a mask that does not name it is undefined in CUDA.

Barriers of the block that vote (``__syncthreads_count``, ``_and``, ``_or``) count the threads in a
word of shared memory, between barriers.
"""

from __future__ import annotations

from migrate.backends.clike_dialect import Prec, Spelled, refuse
from migrate.core.codes import lifting, target
from migrate.ir.expr import Cast, Const, Expr
from migrate.ir.simt import Collective
from migrate.ir.types import BOOL, Kind, Scalar, Vector

SHUFFLES = frozenset({"shfl", "shfl_up", "shfl_down", "shfl_xor"})
VOTES = frozenset({"any", "all", "ballot"})
REDUCES = frozenset({"reduce_add", "reduce_max", "reduce_min"})
WORD = frozenset({Kind.I32, Kind.U32})
WIDE = frozenset({Kind.I64, Kind.U64})
SHUFFLED = WORD | WIDE | {Kind.F32, Kind.F16, Kind.BF16}
PAIRS = frozenset({"half2", "bfloat162"})
"""Two halves in one word, which shuffles and atomics take as one value."""
_FULL_MASKS = (0xFFFFFFFF, -1)


BLOCK_VOTES = {"syncthreads_count": "{}", "syncthreads_and": "{} == 0", "syncthreads_or": "{} != 0"}
"""Barriers with a vote as tests of how many threads say yes (for ``and``: no)."""
COUNT = "countThreads"
"""The helper that counts the threads of a block for which a value is not zero."""
COUNT_TEXT = """// A barrier of the block that counts the threads for which a value is not zero.
__aicore__ inline int countThreads(bool counted)
{
    __ubuf__ uint32_t total[1];
    asc_syncthreads(); // the count before has been read
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
        total[0] = 0;
    }
    asc_syncthreads();
    if (counted) {
        asc_atomic_add(&total[0], 1u);
    }
    asc_syncthreads();
    return (int)total[0];
}
"""


WARP_BARRIER = "cooperative_groups::coalesced_threads().sync();"
"""``__syncwarp``: its mask names lanes that are all at the call, so the active ones hold them."""


def is_full_mask(mask: Expr) -> bool:
    """Whether a mask names the whole warp by its value alone."""
    while isinstance(mask, Cast):
        mask = mask.operand
    return isinstance(mask, Const) and mask.value in _FULL_MASKS


def warp_text(s: Collective, args: tuple[Spelled, ...]) -> Spelled:
    """The spelling of one warp operation; ``args`` are the spelled arguments, mask first.

    Raises a refusal: CM3002 for a mask that the operation needs, CM4002 for an operation or a type
    that the API lacks.
    """
    if s.op == "activemask":
        return Spelled("asc_activemask()", Prec.POSTFIX, s.type)
    if s.op not in SHUFFLES | VOTES | REDUCES:
        raise refuse(target.NO_INTRINSIC, f"the warp operation {s.op}", s.span)
    full = is_full_mask(s.args[0])
    if s.op in REDUCES and not full:
        cause = f"{s.op} with a mask that is not the whole warp"
        raise refuse(lifting.HAS_WARP_OPERATION, cause, s.span)
    _check_type(s)
    call = Spelled(f"asc_{s.op}({_listed(args[1:])})", Prec.POSTFIX, s.type)
    if full or s.op not in VOTES:
        return call
    return _vote(s, args)


def block_vote(s: Collective, args: tuple[Spelled, ...]) -> Spelled:
    """A barrier of the block with a vote; the caller brings the helper ``COUNT``."""
    value = args[0]
    no = "!" if s.op == "syncthreads_and" else ""
    test = value.at(Prec.UNARY) if no else f"{value.at(Prec.EQUAL)} != 0"
    if not no and s.args[0].type == BOOL:
        test = value.at(Prec.ASSIGN)
    text = BLOCK_VOTES[s.op].format(f"{COUNT}({no}{test})")
    return Spelled(text, Prec.POSTFIX if s.op == "syncthreads_count" else Prec.EQUAL, s.type)


def _listed(args: tuple[Spelled, ...]) -> str:
    return ", ".join(a.at(Prec.ASSIGN) for a in args)


def _check_type(s: Collective) -> None:
    value = s.args[1].type
    if s.op in SHUFFLES and isinstance(value, Vector) and value.name in PAIRS:
        return
    kind = value.kind if isinstance(value, Scalar) else None
    if s.op in VOTES:
        return
    allowed = SHUFFLED if s.op in SHUFFLES else WORD
    if kind not in allowed:
        raise refuse(target.NO_INTRINSIC, f"{s.op} on {value}", s.span)


def _cut(lanes: Spelled, mask: Spelled) -> Spelled:
    text = f"{lanes.at(Prec.AND)} & {mask.at(Prec.EQUAL)}"
    return Spelled(text, Prec.AND, lanes.type)


def _vote(s: Collective, args: tuple[Spelled, ...]) -> Spelled:
    mask, predicate = args[0], args[1]
    if s.op == "ballot":
        ballot = Spelled(f"asc_ballot({predicate.at(Prec.ASSIGN)})", Prec.POSTFIX, s.type)
        return _cut(ballot, mask)
    if s.op == "any":
        ballot = Spelled(f"asc_ballot({predicate.at(Prec.ASSIGN)})", Prec.POSTFIX, s.type)
        return Spelled(f"({_cut(ballot, mask).text}) != 0", Prec.EQUAL, s.type)
    ballot = Spelled(f"asc_ballot(!{predicate.at(Prec.UNARY)})", Prec.POSTFIX, s.type)
    return Spelled(f"({_cut(ballot, mask).text}) == 0", Prec.EQUAL, s.type)

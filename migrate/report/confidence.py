"""Confidence: a number computed from evidence, with its parts; nobody types it in.

It answers "how sure are we that this kernel is right on inputs that were not run". The parts and
their weights are stated in docs/confidence.md; they are a stated judgement until enough migrated
kernels have run on devices to calibrate them.
"""

from __future__ import annotations

from dataclasses import dataclass

from migrate.core.rung import Rung
from migrate.pipeline.own_check import passes
from migrate.verify.evidence import KernelEvidence, ProgramEvidence, Verdict


@dataclass(frozen=True, slots=True)
class Confidence:
    """``value`` in [0, 1] and one line for each part that went into it."""

    value: float
    parts: tuple[str, ...]


_RUNG_RISK = {
    Rung.SIMT: 0.02,
    Rung.SCALAR: 0.02,
    Rung.LANES: 0.03,
    Rung.TILE: 0.05,
    Rung.REFUSED: 1.0,
}


def _count(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"


def confidence_of(evidence: KernelEvidence, rung: Rung, program: ProgramEvidence) -> Confidence:
    """Start from certainty and take away for each thing that was not shown.

    0 for ``refused`` and ``different``; at most 0.5 for a kernel whose numbers were not compared.
    """
    if evidence.verdict in (Verdict.REFUSED, Verdict.DIFFERENT):
        return Confidence(0.0, (f"verdict {evidence.verdict.value}",))
    if not evidence.verdict.is_equal:
        value = 0.4 if evidence.verdict is Verdict.COMPILED else 0.2
        return Confidence(value, (f"{evidence.verdict.value}: no numbers were compared",))
    risk = _RUNG_RISK[rung]
    parts = [f"rung {rung.value}: -{risk:.2f}"]
    shapes = {(x.grid, x.block) for x in evidence.launches if not x.not_run}
    compared = evidence.compared + evidence.generated
    lack = 0.10 if compared == 1 else 0.05 if len(shapes) == 1 else 0.02
    launches = _count(compared, "launch", "launches")
    parts.append(f"{launches} of {_count(len(shapes), 'shape', 'shapes')} compared: -{lack:.2f}")
    risk += lack
    if not all(b.difference.bit_equal for x in evidence.launches for b in x.buffers if b.written):
        risk += 0.03
        parts.append("equal within tolerance, not bit for bit: -0.03")
    if passes(program.migrated) and program.control == "fail":
        parts.append("the migrated program passes its own check, and fails without its kernels")
    else:
        risk += 0.05
        parts.append("no whole-program check that can fail: -0.05")
    if evidence.verdict is not Verdict.DEVICE_EQUAL:
        risk += 0.03
        parts.append("not run on a device: -0.03")
    return Confidence(round(1.0 - risk, 2), tuple(parts))

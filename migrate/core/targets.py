"""Targets and their facts, from ``rules/targets/*.yaml``."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import yaml

from migrate.core.codes import usage
from migrate.core.diagnostics import Diagnostic, Outcome, UserError
from migrate.core.resources import data_dir


class Target(Enum):
    """What can be generated. ``value`` is the id in rules, reports and file names."""

    TILELANG = "tilelang"
    ASCEND_910B = "ascend910b"
    ASCEND_950 = "ascend950"


@dataclass(frozen=True, slots=True)
class TargetFacts:
    """Numbers of a target that back ends obey. Zero means "no such limit".

    ``cores`` vector cores, ``ub_bytes`` usable unified buffer in bytes, ``max_grid`` blocks a
    launch, ``max_block`` threads a block, ``npu_arch`` the vendor's compiler name.
    """

    target: Target
    title: str
    npu_arch: str
    cores: int
    ub_bytes: int
    ub_align: int
    max_grid: int
    max_block: int
    has_double: bool


def target_facts(target: Target) -> TargetFacts:
    """Load the facts of one target."""
    path = data_dir("rules") / "targets" / f"{target.value}.yaml"
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    return TargetFacts(
        target=target,
        title=str(data["title"]),
        npu_arch=str(data.get("npu_arch", "")),
        cores=int(data.get("cores", 0)),
        ub_bytes=int(data.get("ub_bytes", 0)),
        ub_align=int(data.get("ub_align", 0)),
        max_grid=int(data.get("max_grid", 0)),
        max_block=int(data.get("max_block", 0)),
        has_double=bool(data["has_double"]),
    )


_CHIPS = {"ascend910b": Target.ASCEND_910B, "ascend950": Target.ASCEND_950}


def resolve_target(to: str, chip: str | None) -> Target:
    """The target for ``--to`` and ``--chip``.

    ``ascend`` without a chip means 910B. Raises :class:`UserError` with CM0004 or CM0005.
    """
    if to == "tilelang":
        if chip is not None:
            raise UserError(
                Diagnostic(
                    usage.UNKNOWN_CHIP, Outcome.STOPPED, f"tilelang takes no chip, got {chip!r}"
                )
            )
        return Target.TILELANG
    if to in ("ascend", "ascendc"):
        name = (chip or "ascend910b").lower()
        if name not in _CHIPS:
            known = ", ".join(_CHIPS)
            raise UserError(
                Diagnostic(usage.UNKNOWN_CHIP, Outcome.STOPPED, f"{chip!r} is not one of {known}")
            )
        return _CHIPS[name]
    if to in _CHIPS:
        return _CHIPS[to]
    raise UserError(
        Diagnostic(
            usage.UNKNOWN_TARGET, Outcome.STOPPED, f"{to!r} is neither 'ascend' nor 'tilelang'"
        )
    )

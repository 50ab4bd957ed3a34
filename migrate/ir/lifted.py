"""The result of lifting one kernel for one target."""

from __future__ import annotations

from dataclasses import dataclass

from migrate.core.diagnostics import Diagnostic
from migrate.core.rung import Rung
from migrate.ir.kernel import Kernel, Module
from migrate.ir.lane_code import LaneCode
from migrate.ir.tile import TileKernel
from migrate.ir.tile_code import TileCode


@dataclass(frozen=True, slots=True)
class Lifted:
    """A kernel on its rung.

    ``source`` is the kernel as the front end read it, ``body`` what the back end emits (the same
    kernel in normal form, or ``None`` when refused), ``module`` holds the structs, globals and
    functions that ``body`` still refers to. ``diagnostics`` say why no better rung was taken.
    ``tile`` is the tile program for chips that need one, ``lanes`` the lane program of a kernel
    whose threads work together, ``matrices`` the program of tiles of one that multiplies them;
    ``body`` is then what it was made from.
    """

    source: Kernel
    rung: Rung
    module: Module
    body: Kernel | None
    diagnostics: tuple[Diagnostic, ...] = ()
    tile: TileKernel | None = None
    lanes: LaneCode | None = None
    matrices: TileCode | None = None

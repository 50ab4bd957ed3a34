"""The ladder of lowerings."""

from __future__ import annotations

from enum import Enum


class Rung(Enum):
    """How high a kernel was lifted; the first is the best."""

    TILE = "tile"
    LANES = "lanes"
    SIMT = "simt"
    SCALAR = "scalar"
    REFUSED = "refused"

"""Which functions the catalogue can spell for the SIMD chip, and in which form."""

from __future__ import annotations

from dataclasses import dataclass

from migrate.core.targets import Target
from migrate.ir.expr import Call, Expr
from migrate.ir.types import BOOL, SCALARS, Scalar
from migrate.ir.walk import walk_expr
from migrate.rules.catalogue import Catalogue
from migrate.rules.model import Form

_TARGET = Target.ASCEND_910B.value


@dataclass(frozen=True, slots=True)
class VectorForm:
    """A vector spelling: its form, and the types of its buffers (``None``: like the result)."""

    form: Form
    scratch: tuple[Scalar | None, ...]


class Spellings:
    """Looks functions up for one conversion."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def scalar(self, e: Expr) -> bool:
        """True when every function in ``e`` has an expression for the scalar unit."""
        return all(self._scalar_call(x) for x in walk_expr(e) if isinstance(x, Call))

    def _scalar_call(self, call: Call) -> bool:
        types = tuple(a.type for a in call.args)
        rule = self._catalogue.intrinsic(call.name, types)
        return rule is not None and rule.spelling(_TARGET, Form.SCALAR, types) is not None

    def known(self, call: Call) -> bool:
        """True when the function has any form on this chip."""
        types = tuple(a.type for a in call.args)
        return self._scalar_call(call) or (
            self.vector(call, tuple(True for _ in types)) is not None
        )

    def vector(self, call: Call, tiles: tuple[bool, ...]) -> VectorForm | None:
        """The vector form for operands of which some are tiles, or nothing."""
        types = tuple(a.type for a in call.args)
        rule = self._catalogue.intrinsic(call.name, types)
        if rule is None:
            return None
        form = form_for(tiles)
        if form is None:
            return None
        spelling = rule.spelling(_TARGET, form, types)
        if spelling is None:
            return None
        return VectorForm(form, tuple(_scratch_type(s.type) for s in spelling.scratch))


def form_for(tiles: tuple[bool, ...]) -> Form | None:
    """The form for operands of which these are tiles, or nothing when there is no such form."""
    if all(tiles):
        return Form.VECTOR
    if tiles == (True, False):
        return Form.VECTOR_TS
    if tiles == (False, True):
        return Form.VECTOR_ST
    return None


def _scratch_type(name: str) -> Scalar | None:
    if name == "mask":
        return BOOL
    return SCALARS.get(name)

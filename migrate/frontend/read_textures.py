"""Texture fetches and surface accesses by object, under their CUDA names.

A fetch is a pure call: a kernel must not write what a texture of its launch reads (CUDA C++
Programming Guide, "Texture and Surface Memory"). A surface may be written and read by one kernel,
so a read of it is settled where it stands. Targets without texture units refuse both.
"""

from __future__ import annotations

from abc import abstractmethod

from migrate.core.codes import reading
from migrate.frontend.cursor import Cursor, TypeForm
from migrate.frontend.read_memory import MemoryReader
from migrate.frontend.refusal import Refused
from migrate.ir.expr import Call, Const, Expr
from migrate.ir.simt import Effect
from migrate.ir.textures import is_texture_name
from migrate.ir.types import I32, Scalar, Type, Vector


class TextureReader(MemoryReader):
    """Reads calls of what ``cudamigrate_textures.h`` declares."""

    @abstractmethod
    def arguments(self, c: Cursor, callee: Cursor) -> tuple[Cursor, ...]:
        """Argument cursors with default arguments filled in."""

    @staticmethod
    def is_texture_call(name: str, callee: Cursor) -> bool:
        """Whether the callee is one of CUDA's own texture or surface functions."""
        return is_texture_name(name) and callee.in_system_header and callee.template is not None

    def texture_call(self, name: str, c: Cursor, callee: Cursor) -> Expr | None:
        """Read one; ``None`` when it returns nothing. Raises ``Refused`` with CM1302."""
        declared = callee.arguments
        given = self.values(self.arguments(c, callee))
        if len(given) != len(declared):
            raise Refused(reading.TEXTURE, f"{name} with {len(given)} arguments", c)
        out = None
        if declared[0].type.form is TypeForm.POINTER:
            out, given, declared = given[0], given[1:], declared[1:]
        args = tuple(
            self.convert(v, self.types.read(p.type, c), c)
            for v, p in zip(given, declared, strict=True)
        )
        if name.endswith("write"):
            self._texel(name, args[0].type, c)
            self.emit(Effect(name, args, span=self.span_of(c)))
            return None
        if out is not None:
            place = self.element_of(out, Const(0, I32))
            self._texel(name, place.type, c)
            self.store(place, Call(name, args, place.type, span=self.span_of(c)), c)
            return None
        kind = self._texel(name, self.types.read(callee.result_type, c), c)
        value = Call(name, args, kind, span=self.span_of(c))
        return self.temporary(value, "texel") if name.startswith("surf") else value

    @staticmethod
    def _texel(name: str, kind: Type, c: Cursor) -> Type:
        if not isinstance(kind, Scalar | Vector):
            raise Refused(reading.TEXTURE, f"{name} of {kind}", c)
        return kind

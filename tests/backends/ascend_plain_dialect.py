"""A dialect that is plain C++17, for tests of the C printer alone."""

from __future__ import annotations

from migrate.backends.clike_dialect import Dialect, Prec, Spelled
from migrate.ir.expr import Bitcast, Call, IndexVar
from migrate.ir.simt import Asm, Atomic, Barrier, Collective, Effect, Fence


class PlainDialect(Dialect):
    def index_var(self, v: IndexVar) -> Spelled:
        return Spelled(f"{v.builtin.value}.{v.axis}", Prec.POSTFIX, v.type)

    def call(self, call: Call, args: tuple[Spelled, ...]) -> Spelled:
        inner = ", ".join(a.at(Prec.ASSIGN) for a in args)
        return Spelled(f"{call.name}({inner})", Prec.POSTFIX, call.type)

    def bitcast(self, e: Bitcast, operand: Spelled) -> Spelled:
        return Spelled(
            f"__builtin_bit_cast({self.type(e.type)}, {operand.text})", Prec.POSTFIX, e.type
        )

    def atomic(self, s: Atomic, address: Spelled, operands: tuple[Spelled, ...]) -> str:
        return f"atomic_{s.op.value}({', '.join(x.at(Prec.ASSIGN) for x in (address, *operands))})"

    def barrier(self, s: Barrier) -> tuple[str, ...]:
        return ("barrier();",)

    def fence(self, s: Fence) -> tuple[str, ...]:
        return ("fence();",)

    def collective(self, s: Collective, args: tuple[Spelled, ...]) -> Spelled:
        return Spelled(f"{s.op}({', '.join(a.text for a in args)})", Prec.POSTFIX, s.type)

    def effect(self, s: Effect, args: tuple[Spelled, ...]) -> tuple[str, ...]:
        return (f"{s.name}({', '.join(a.text for a in args)});",)

    def asm(self, s: Asm) -> tuple[str, ...]:
        return ("asm;",)

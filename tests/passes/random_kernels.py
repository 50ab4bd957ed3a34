"""Random kernels as IR text: structured control, calls, structs, pointers, exits everywhere.

Every kernel ends: loops count a fuel variable down. Indices are taken modulo the buffer's length.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import strategies as st

LENGTH = 8
HEAD = """module "random"
struct Pair size 8 align 4 { a: i32 @ 0
 b: i32 @ 4 }
constant var table: array<i32, 8>
function pure pick "pick" (v: i32, w: i32) -> i32 mangled "" {
  if (v < w) { return (v + 1:i32) }
  for { init { var k: i32 = 0:i32 } while (k < 3:i32) step { k = (k + 1:i32) } body {
    if ((v & k) == 2:i32) { return (w - k) }
  } }
  return (v ^ w)
}
function pure swap "swap" (s: Pair) -> Pair mangled "" {
  return make<Pair>(s.b, (s.a + 1:i32))
}
function bump "bump" (at: ptr<local, i32>, by: i32) -> void mangled "" {
  if (by == 3:i32) { return }
  at[0:i32] = ((at[0:i32] * 3:i32) + by)
}
"""
PARAMS = "n: i32, given: Pair, x: ptr<global, i32>, y: ptr<global, int2>"


@dataclass
class Writer:
    """Draws statements; ``names`` are the i32 variables in scope."""

    draw: st.DrawFn
    names: list[str] = field(
        default_factory=lambda: ["n", "given.a", "given.b", "v0", "s.a", "s.b"]
    )
    count: int = 1
    depth: int = 0

    def pick(self, *options: str) -> str:
        return self.draw(st.sampled_from(options))

    def name(self) -> str:
        return self.draw(st.sampled_from(self.names))

    def target(self) -> str:
        mutable = [n for n in self.names if n not in ("n", "given.a", "given.b")]
        return self.draw(st.sampled_from(mutable))

    def index(self) -> str:
        return f"((({self.name()} % 8:i32) + 8:i32) % 8:i32)"

    def value(self, depth: int = 0) -> str:
        kind = self.draw(st.integers(0, 9 if depth < 2 else 3))
        if kind == 0:
            return f"{self.draw(st.integers(-9, 9))}:i32"
        if kind in (1, 2):
            return self.name()
        if kind == 3:
            return self.pick(
                f"x[{self.index()}]", f"y[{self.index()}].x", f"table.[{self.index()}]"
            )
        a, b = self.value(depth + 1), self.value(depth + 1)
        if kind == 4:
            return f"({self.test(depth + 1)} ? {a} : {b})"
        if kind == 5:
            return f"invoke<i32> pick({a}, {b})"
        if kind == 6:
            return f"get<i32>(invoke<Pair> swap(make<Pair>({a}, {b})), {self.pick('a', 'b')})"
        if kind == 7:
            return f"({a} / 3:i32)"
        return f"({a} {self.pick('+', '-', '*', '^', '&', '|')} {b})"

    def test(self, depth: int = 0) -> str:
        compare = f"({self.value(depth + 1)} {self.pick('<', '>=', '==', '!=')} {self.name()})"
        if depth >= 2:
            return compare
        other = f"({self.value(depth + 1)} {self.pick('<', '>')} {self.value(depth + 1)})"
        return self.pick(
            compare, f"(! {compare})", f"({compare} && {other})", f"({compare} || {other})"
        )

    def body(self, in_loop: bool, length: int = 4) -> str:
        before = list(self.names)
        self.depth += 1
        lines = [self.statement(in_loop) for _ in range(self.draw(st.integers(1, length)))]
        self.depth -= 1
        self.names = before
        return "\n".join(lines)

    def statement(self, in_loop: bool) -> str:
        kind = self.draw(st.integers(0, 15 if self.depth < 4 else 7))
        match kind:
            case 0 | 1:
                return f"{self.target()} = {self.value()}"
            case 2:
                return f"x[{self.index()}] = {self.value()}"
            case 3:
                return f"y[{self.index()}].{self.pick('x', 'y')} = {self.value()}"
            case 4:
                name = f"v{self.count}"
                self.count += 1
                line = f"var {name}: i32 = {self.value()}"
                self.names.append(name)
                return line
            case 5:
                return f"s = invoke<Pair> swap(s)\ny[{self.index()}] = make<int2>(s.b, s.a)"
            case 6:
                return f"exec _: void = bump(addr<ptr<local, i32>>(v0), {self.value()})"
            case 7:
                return self.pointer()
            case 8:
                return self.exit(in_loop)
            case 9 | 10:
                return f"if {self.test()} {{\n{self.body(in_loop)}\n}}"
            case 11:
                then, other = self.body(in_loop), self.body(in_loop)
                return f"if {self.test()} {{\n{then}\n}} else {{\n{other}\n}}"
            case 12:
                return f"do {{\nfuel = (fuel - 1:i32)\n{self.body(True)}\n}} while ((fuel > 0:i32) && {self.test()})"
            case 13:
                cond = f"((fuel > 0:i32) && {self.test()})"
                return f"while {cond} {{\nfuel = (fuel - 1:i32)\n{self.body(True)}\n}}"
            case 14:
                k = f"k{self.count}"
                self.count += 1
                return (
                    f"for {{ init {{ var {k}: i32 = 0:i32 }} while (({k} < 3:i32) && (fuel > 0:i32)) "
                    f"step {{ {k} = ({k} + 1:i32) }} body {{\n{self.body(True)}\n}} }}"
                )
            case _:
                arms = [
                    f"case {at}, {at + 4} {{\n{self.body(in_loop)}\n{self.pick('break', '')}\n}}"
                    for at in range(self.draw(st.integers(1, 3)))
                ]
                return f"switch ({self.name()} & 7:i32) {{ {' '.join(arms)} default {{\n{self.body(in_loop)}\n}} }}"

    def exit(self, in_loop: bool) -> str:
        way = self.pick("return", *(("break", "continue") if in_loop else ()))
        return f"if {self.test()} {{ {way} }}"

    def pointer(self) -> str:
        name = f"p{self.count}"
        self.count += 1
        start = f"padd(x, {self.index()})"
        use = f"{name}[0:i32] = ({name}[0:i32] + 1:i32)"
        if self.draw(st.booleans()):
            return f"var {name}: ptr<global, i32> = {start}\n{use}"
        back = f"{name} = padd(x, (pdiff({name}, x) / 2:i64))"
        return f"var {name}: ptr<global, i32> = {start}\n{use}\n{back}\n{use}"


@st.composite
def kernels(draw: st.DrawFn) -> str:
    """The text of a module with one kernel ``k``."""
    writer = Writer(draw)
    body = writer.body(False, 8)
    return (
        f'{HEAD}\nkernel k "k" ({PARAMS}) mangled "" qualified "" bounds 0 {{\n'
        "var fuel: i32 = 12:i32\nvar v0: i32 = (n * 5:i32)\nvar s: Pair = given\n"
        f"{body}\n"
        "x[7:i32] = v0\n}\n"
    )

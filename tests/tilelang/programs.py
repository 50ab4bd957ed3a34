"""Kernels as IR text that hold what TileLang gets wrong when it is written naively.

Each has the arguments of its launches at sizes round the tile: 0, 1, n-1, n, n+1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from migrate.backends.tilelang.emit import emit_tilelang
from migrate.core.artifact import Artifact
from migrate.core.options import Options
from migrate.core.targets import Target
from migrate.ir.kernel import Module
from migrate.ir.parser import parse_module
from migrate.ir.program import SourceFile, SourceUnit
from migrate.lifting.lift import lift

SIZES = (0, 1, 255, 256, 257)
BLOCK = 64
I = "var i: i32 = cast<i32>(((blockIdx.x * blockDim.x) + threadIdx.x))\n"  # noqa: E741
TAIL = 'mangled "{0}" qualified "{0}" bounds 0'


@dataclass(frozen=True)
class Case:
    """A kernel; ``buffers`` gives each pointer parameter a fill, ``scalars`` the other ones
    (``n`` is the size). ``per`` is the number of elements a thread has in a buffer."""

    name: str
    params: str
    body: str
    buffers: dict[str, str]
    scalars: dict[str, object] = field(default_factory=dict)
    before: str = ""
    per: int = 1
    alias: tuple[str, str] | None = None
    block: tuple[int, int, int] = (BLOCK, 1, 1)

    @property
    def text(self) -> str:
        """The module."""
        tail = TAIL.format(self.name)
        return (
            f'module "{self.name}"\n{self.before}\n'
            f'kernel {self.name} "{self.name}" ({self.params}) {tail} {{\n{self.body}\n}}\n'
        )

    @property
    def module(self) -> Module:
        """Parsed."""
        return parse_module(self.text)


def guarded(body: str) -> str:
    """The usual head: global index and guard clause."""
    return f"{I}if (i >= n) {{ return }}\n{body}"


ALL = (
    Case(
        "saxpy",
        "n: i32, a: f32, x: ptr<global const, f32>, y: ptr<global, f32>",
        guarded("y[i] = ((a * x[i]) + y[i])"),
        {"x": "f32", "y": "f32"},
        {"a": 1.7},
    ),
    Case(
        "float_identities",
        "n: i32, x: ptr<global, f32>, y: ptr<global, f32>",
        guarded(
            """var v: f32 = x[i]
            var w: f32 = x[((i * 7:i32) % n)]
            var s: f32 = (v + w)
            var j: i32 = (i * 8:i32)
            y[j] = (v * 0.0:f32)
            y[(j + 1:i32)] = ((v * -1.0:f32) + 0.0:f32)
            y[(j + 2:i32)] = ((v + w) - v)
            y[(j + 3:i32)] = (s - w)
            y[(j + 4:i32)] = (v - v)
            y[(j + 5:i32)] = (0.0:f32 / v)
            y[(j + 6:i32)] = ((! (v < w)) ? 1.0:f32 : ((v != v) ? 2.0:f32 : 3.0:f32))
            y[(j + 7:i32)] = (v - (w + v))"""
        ),
        {"x": "f32 special", "y": "f32"},
        per=8,
    ),
    Case(
        "digits",
        "n: i32, x: ptr<global, f32>, d: ptr<global, f64>",
        guarded(
            """var k: f32 = 0.7978845608028654:f32
            x[i] = ((x[i] * k) + (x[i] / 3.3333332538604736:f32))
            d[i] = ((d[i] * 0.12345678901234568:f64) + (d[i] / 3.0:f64))"""
        ),
        {"x": "f32", "d": "f64"},
    ),
    Case(
        "wraparound",
        "n: i32, seed: u32, x: ptr<global, u32>, s: ptr<global, i32>",
        guarded(
            """var h: u32 = (x[i] ^ seed)
            h = (h * 2654435761:u32)
            h = ((h << 13:i32) | (h >> 19:i32))
            if (h < 4000000000:u32) { h = (h + 4000000000:u32) }
            x[i] = h
            var t: i32 = (s[i] * 1103515245:i32)
            s[i] = ((t / 7:i32) + ((t % 7:i32) * (t >> 3:i32)))"""
        ),
        {"x": "u32", "s": "i32"},
        {"seed": 4294967290},
    ),
    Case(
        "wide",
        "n: i32, m: u64, x: ptr<global, u64>, y: ptr<global, i64>",
        guarded(
            """x[i] = ((x[i] * 6364136223846793005:u64) + m)
            y[i] = ((y[i] / -3:i64) + cast<i64>((x[i] % 1000003:u64)))
            if (x[i] > 9223372036854775808:u64) { y[i] = (- y[i]) }"""
        ),
        {"x": "u64", "y": "i64"},
        {"m": 18446744073709551615},
    ),
    Case(
        "halves",
        "n: i32, a: f16, x: ptr<global, f16>, y: ptr<global, bf16>",
        guarded(
            """x[i] = (((x[i] * a) + x[i]) - (x[i] * x[i]))
            y[i] = ((y[i] * y[i]) + cast<bf16>((cast<f32>(x[i]) * 3.0:f32)))
            if (x[i] > a) { y[i] = (- y[i]) }"""
        ),
        {"x": "f16", "y": "bf16"},
        {"a": 0.333251953125},
    ),
    Case(
        "narrow",
        "n: i32, flip: bool, step: u8, b: ptr<global, bool>, u: ptr<global, u8>, s: ptr<global, i8>, w: ptr<global, u16>",
        guarded(
            """u[i] = cast<u8>((cast<i32>(u[i]) + (cast<i32>(step) * 3:i32)))
            s[i] = cast<i8>((cast<i32>(s[i]) - 100:i32))
            w[i] = cast<u16>((cast<i32>(w[i]) * 5:i32))
            b[i] = ((b[i] == flip) && (u[i] > 90:u8))"""
        ),
        {"b": "bool", "u": "u8", "s": "i8", "w": "u16"},
        {"flip": True, "step": 77},
    ),
    Case(
        "loops",
        "n: i32, x: ptr<global, i32>",
        guarded(
            """var t: i32 = i
            for { init { var k: i32 = 0:i32 } while (k < (i % 9:i32)) step { k = (k + 2:i32) } body {
              if (k == 4:i32) { continue }
              t = (t + k)
              if (t > 300:i32) { break }
            } }
            for { init { var k2: i32 = 5:i32 } while (k2 >= 0:i32) step { k2 = (k2 - 1:i32) } body {
              if ((k2 & 1:i32) == 0:i32) { continue }
              t = (t ^ k2)
            } }
            do { t = (t - 7:i32) if (t == 33:i32) { return } } while (t > 40:i32)
            while true { t = (t + 3:i32) if (t > 50:i32) { break } }
            x[i] = t"""
        ),
        {"x": "i32"},
    ),
    Case(
        "swap_in_place",
        "n: i32, x: ptr<global, f32>, y: ptr<global, f32>",
        guarded(
            """var a: f32 = x[(i * 2:i32)]
            var b: f32 = y[((i * 2:i32) + 1:i32)]
            y[(i * 2:i32)] = b
            x[((i * 2:i32) + 1:i32)] = a"""
        ),
        {"x": "f32", "y": "f32"},
        per=2,
        alias=("x", "y"),
    ),
    Case(
        "lazy_tests",
        "n: i32, x: ptr<global, i32>, y: ptr<global, i32>",
        guarded(
            """if ((x[i] != 0:i32) && ((100:i32 / x[i]) > 3:i32)) { y[i] = 1:i32 }
            if ((x[i] == 0:i32) || (((y[i] > 0:i32) ? (7:i32 % x[i]) : (9:i32 / x[i])) > 1:i32)) {
              y[i] = (y[i] + 2:i32)
            }"""
        ),
        {"x": "small", "y": "i32"},
    ),
    Case(
        "compaction",
        "n: i32, x: ptr<global, i32>, out: ptr<global, i32>, count: ptr<global, u32>",
        guarded(
            """if (x[i] > 0:i32) {
              atomic at = add device count[0:i32](1:u32)
              out[cast<i32>(at)] = x[i]
            }
            atomic _ = max device out[(n - 1:i32)](x[i])"""
        ),
        {"x": "i32", "out": "i32", "count": "zero"},
    ),
    Case(
        "atomics",
        "n: i32, x: ptr<global const, i32>, y: ptr<global, u32>, z: ptr<global, i64>, "
        "f: ptr<global, f32>, h: ptr<global, u64>",
        guarded(
            """atomic _ = xor device y[0:i32](cast<u32>(x[i]))
            atomic _ = max device y[1:i32](cast<u32>(x[i]))
            atomic _ = min device y[2:i32](cast<u32>(x[i]))
            atomic _ = and device y[3:i32](cast<u32>(x[i]))
            var row: i32 = cast<i32>((cast<u32>(i) / cast<u32>(n)))
            atomic own = or device y[(((row * n) * n) + (i + 4:i32))](3:u32)
            atomic less = sub device y[(i + 4:i32)](1:u32)
            if (less == 3:u32) { atomic _ = add device y[(i + 4:i32)](4294967295:u32) }
            atomic _ = inc device y[(i + 4:i32)]((own >> 1:i32))
            atomic _ = dec device y[4:i32](5:u32)
            atomic _ = min device z[0:i32](cast<i64>(x[i]))
            effect assert((own != 4294967295:u32))
            fence device
            atomic left = add device z[(i + 1:i32)](cast<i64>(x[i]))
            atomic _ = exch device z[(i + 1:i32)]((left - 7:i64))
            atomic was = exch device f[i](cast<f32>(x[i]))
            atomic _ = max device h[0:i32](cast<u64>((was * was)))
            atomic _ = xor device h[1:i32](bits<u64>(left))
            var seen: u32 = y[5:i32]
            var done: i32 = 0:i32
            while (done == 0:i32) {
              atomic found = cas device y[5:i32](seen, (seen + cast<u32>((x[i] & 15:i32))))
              if (found == seen) { done = 1:i32 }
              seen = found
            }"""
        ),
        {"x": "i32", "y": "u32", "z": "i64", "f": "f32", "h": "u64"},
    ),
    Case(
        "last_of_all",
        "n: i32, x: ptr<global, i32>, y: ptr<global, u32>",
        guarded(
            """if (threadIdx.x == (blockDim.x - 1:u32)) {
              x[i] = n
            }
            y[(i * 2:i32)] = (blockDim.x - 1:u32)
            if (blockIdx.x < (gridDim.x - 1:u32)) {
              y[((i * 2:i32) + 1:i32)] = ((gridDim.x - 1:u32) - blockIdx.x)
            }"""
        ),
        {"x": "i32", "y": "u32"},
        per=2,
    ),
    Case(
        "sign_words",
        "n: i32, x: ptr<global, i32>, y: ptr<global, u32>",
        guarded(
            """var whole: u64 = cast<u64>(x[i])
            var kind: u32 = 3:u32
            if (whole == 0:u64) { kind = 1:u32 } else {
              var part: i32 = cast<i32>(whole)
              var flip: u32 = cast<u32>((part >> 31:i32))
              if (cast<u32>(((part ^ cast<i32>(flip)) - cast<i32>(flip))) <= 65535:u32) {
                kind = 2:u32
              }
            }
            var none: i32 = ((n + 1:i32) * 0:i32)
            var less: i32 = -1:i32
            y[(((i * 2:i32) + 1:i32) + cast<i32>((cast<u32>(none) * cast<u32>(less))))] = kind
            var low: u32 = cast<u32>(x[i])
            y[(i * 2:i32)] = ((low << 1:i32) ^ cast<u32>((x[i] >> 31:i32)))
            var sign: i32 = (cast<i32>(low) >> 31:i32)
            if (sign < 0:i32) { y[(i * 2:i32)] = (y[(i * 2:i32)] ^ cast<u32>(sign)) }"""
        ),
        {"x": "i32", "y": "u32"},
        per=2,
    ),
    Case(
        "ping_pong",
        "n: i32, x: ptr<global, i32>, y: ptr<global, i32>",
        guarded(
            """var from: ptr<global, i32> = x
            var to: ptr<global, i32> = padd(y, 1:i32)
            if ((i & 1:i32) == 0:i32) { to = padd(x, 1:i32) from = y }
            var k: i32 = 0:i32
            while (k < (i & 3:i32)) {
              to[(i * 2:i32)] = ((from[(i * 2:i32)] * 3:i32) + k)
              var old: ptr<global, i32> = from
              from = padd(to, -1:i32)
              to = padd(old, 1:i32)
              k = (k + 1:i32)
            }
            atomic _ = add device to[(i * 2:i32)](5:i32)"""
        ),
        {"x": "i32", "y": "i32"},
        per=2,
    ),
    Case(
        "members",
        "p: Params, z: ptr<global, float2>, q: ptr<global, Cell>, c: float2",
        f"""{I}if (i >= p.n) {{ return }}
        var v: float2 = z[i]
        z[i] = make<float2>(((v.x * p.gain) + table.[(i % 4:i32)]), ((v.y - v.x) * c.y))
        q[i].id = (q[i].id + p.n)
        q[i].mass = (q[i].mass * c.x)""",
        {"z": "f32", "q": "i32 cells"},
        {"p": (None, 1.25), "c": (0.5, -3.0)},
        """struct Params size 8 align 4 { n: i32 @ 0
         gain: f32 @ 4 }
        struct Cell size 8 align 4 { id: i32 @ 0
         mass: f32 @ 4 }
        constant var table: array<f32, 4>""",
        per=2,
    ),
    Case(
        "local_memory",
        "n: i32, x: ptr<global, i32>, y: ptr<global, i32>",
        guarded(
            """var t: array<i32, 5>
            for { init { var k: i32 = 0:i32 } while (k < 5:i32) step { k = (k + 1:i32) } body {
              t.[k] = ((x[i] >> k) + k)
            } }
            var p: ptr<global, i32> = padd(y, (i * 3:i32))
            var e: ptr<global, i32> = padd(p, 3:i32)
            var k3: i32 = 0:i32
            while (p < e) {
              p[0:i32] = (t.[k3] + t.[(4:i32 - k3)])
              p = padd(p, 1:i32)
              k3 = (k3 + 1:i32)
            }"""
        ),
        {"x": "i32", "y": "i32"},
        per=3,
    ),
    Case(
        "block_and_thread",
        "n: i32, x: ptr<global, i32>",
        """var i: i32 = cast<i32>(((blockIdx.x * blockDim.x) + threadIdx.x))
        if (i < n) {
          x[i] = ((x[i] + cast<i32>((threadIdx.x / 32:u32))) * cast<i32>(blockDim.x))
          if ((threadIdx.x - 1:u32) > 5:u32) { x[i] = (x[i] + cast<i32>(gridDim.x)) }
        }""",
        {"x": "i32"},
    ),
)

CASES = ALL


def convert(case: Case) -> Artifact:
    """The artifact of one case."""
    module = case.module
    options = Options(target=Target.TILELANG)
    lifted = tuple(lift(k, module, Target.TILELANG, options) for k in module.kernels)
    name = f"{case.name}.cu"
    unit = SourceUnit(SourceFile(Path(name), Path(name), b"", False), (), module)
    return emit_tilelang(unit, lifted, options)

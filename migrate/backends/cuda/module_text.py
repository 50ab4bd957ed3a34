"""What a kernel needs, printed before it: structs, device variables and device functions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from migrate.analysis.reach import reached_functions
from migrate.backends.clike import CPrinter, Writer, signature
from migrate.backends.cuda.dialect import HELPERS, CudaDialect
from migrate.ir.expr import Place, VarPlace
from migrate.ir.kernel import Function, GlobalVar, Kernel, Module, StructDef
from migrate.ir.types import Array, Pointer, Struct, Type
from migrate.ir.walk import Rewriter


def global_name(name: str) -> str:
    """The printed name of a device variable: its own would mean the original."""
    return f"global_{name}"


@dataclass(slots=True)
class ModulePrinter:
    """Prints parts of a module into one namespace, each part once.

    ``visible`` are the device variables that can be named where the text will stand; of others
    (members of classes, constants inside of functions) a copy is made from their initialiser.
    """

    module: Module
    namespace: str
    visible: frozenset[str]
    _done: set[str] = field(default_factory=set)

    def kernel(self, kernel: Kernel) -> str:
        """The kernel as a device function, with what it needs and no call before printed.

        Raises :class:`migrate.backends.clike_dialect.Unprintable`, and ``KeyError`` for a device
        variable that can be neither named nor copied.
        """
        w = Writer()
        w.line(f"namespace {self.namespace} {{")
        if "" not in self._done:
            self._done.add("")
            for row in HELPERS.splitlines():
                w.line(row)
        needed = self._needed(kernel)
        items: tuple[Function | Kernel, ...] = (*needed, kernel)
        for s in self.module.structs:
            self._once(w, f"struct {s.name}", self._struct(s))
        for g in self.module.globals:
            if any(g.name in _names(item) for item in items):
                self._once(w, f"global {g.name}", self._global(g))
        for f in needed:
            self._once(w, f"function {f.symbol}", self._function(f))
        self._once(w, f"kernel {kernel.symbol}", self._function(kernel))
        w.line("}")
        return w.text()

    def _once(self, w: Writer, key: str, text: str) -> None:
        if key not in self._done:
            self._done.add(key)
            for row in text.splitlines():
                w.line(row)

    # --- what belongs to a kernel

    def _needed(self, kernel: Kernel) -> tuple[Function, ...]:
        """Device functions that a kernel reaches; the module has callees before their callers."""
        return reached_functions(kernel.body, self.module)

    def _struct(self, s: StructDef) -> str:
        dialect = self._dialect()
        kind = "union" if s.union else "struct"
        lines = [f"struct {n};" for n in sorted(_pointed_at(s, self.module))]
        lines.append(f"{kind} alignas({s.align}) {s.name} {{")
        lines += [f"    {dialect.declare(f.type, f.name)};" for f in s.fields]
        lines.append("};")
        lines.append(f'static_assert(sizeof({s.name}) == {s.size}, "{s.name}");')
        for f in s.fields:
            where = f"__builtin_offsetof({s.name}, {f.name})"
            lines.append(f'static_assert({where} == {f.offset}, "{s.name}");')
        return "\n".join(lines)

    def _global(self, g: GlobalVar) -> str:
        dialect = self._dialect()
        name = global_name(g.name)
        reference = dialect.declare(g.type, f"(&{name})")
        target = dialect.declare(g.type, "(&)")
        if g.name in self.visible:
            return f"static {reference} = ({target}){g.name};"  # the array can be const
        if g.init is None:
            raise KeyError(g.name)
        numbers = ", ".join(str(b) for b in g.init)
        return (
            f"alignas(16) static unsigned char {name}_bytes[] = {{{numbers}}};\n"
            f"static {reference} = reinterpret_cast<{target}>({name}_bytes);"
        )

    def _function(self, item: Function | Kernel) -> str:
        dialect = self._dialect()
        printer = CPrinter(dialect)
        w = Writer()
        start = f"__device__ inline {dialect.type(item.result)} {item.symbol}"
        params = printer.params(item.params)
        body = _with_own_globals(item, self.module)
        printer.function(w, signature(start, params), item.params, body.body, item.span)
        return w.text()

    def _dialect(self) -> CudaDialect:
        return CudaDialect(self.module, self.namespace)


def _names(item: Function | Kernel) -> frozenset[str]:
    """Variables that a body names, as far as they are not its own."""
    found: set[str] = set()

    def place(p: Place) -> Place | None:
        if isinstance(p, VarPlace):
            found.add(p.name)
        return None

    Rewriter(place=place).body(item.body)
    return frozenset(found)


def _with_own_globals(item: Function | Kernel, module: Module) -> Function | Kernel:
    names = {g.name for g in module.globals}

    def place(p: Place) -> Place | None:
        if isinstance(p, VarPlace) and p.name in names:
            return replace(p, name=global_name(p.name))
        return None

    return replace(item, body=Rewriter(place=place).body(item.body))


def _pointed_at(s: StructDef, module: Module) -> frozenset[str]:
    """Structs behind pointers of a struct's members, which are declared ahead."""
    unions = {x.name for x in module.structs if x.union}
    found: set[str] = set()
    for f in s.fields:
        kind: Type = f.type
        behind = False
        while isinstance(kind, Pointer | Array):
            behind = behind or isinstance(kind, Pointer)
            kind = kind.pointee if isinstance(kind, Pointer) else kind.element
        if behind and isinstance(kind, Struct) and kind.name not in unions:
            found.add(kind.name)
    return frozenset(found)

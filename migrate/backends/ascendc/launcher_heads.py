"""Heads of launch functions in the source's words, and launchers of kernels that are refused."""

from __future__ import annotations

from dataclasses import dataclass

from migrate.backends.ascendc.clashes import clash_free, named, without_clash_params
from migrate.backends.ascendc.launchers import (
    LauncherStyle,
    SourceParam,
    launcher_definition,
    renamed,
    source_params,
    substituted,
    template_values,
)
from migrate.backends.clike_dialect import TypeSpelling
from migrate.core.diagnostics import Diagnostic
from migrate.ir.kernel import Kernel
from migrate.ir.program import Definition

_PACK = "<pack>"
"""How the front end writes the argument of a template parameter pack."""


@dataclass(frozen=True, slots=True)
class LauncherHeads:
    """Writes heads for the kernels that ``source`` defines."""

    source: bytes
    style: LauncherStyle

    def params(self, d: Definition, kernel: Kernel) -> tuple[tuple[str, ...], bool]:
        """Parameter texts in the source's words, named as in the IR after renaming clashes.

        Also whether the definition is an explicit specialisation.
        """
        params = without_clash_params(kernel.params)
        written = source_params(self.source, d) or ()
        pack = _pack_at(written)
        texts: list[str] = []
        for i, p in enumerate(params):
            text = None
            if i < pack if pack is not None else len(written) == len(params):
                text = named(written[i].text, written[i].name, p.name)
            if text is None:
                text = TypeSpelling().declare(p.type, p.name)
            text = substituted(text, kernel.template_args)
            texts.append(self._renamed(text))
        head = self.source[d.span.start : d.span.start + 40].replace(b" ", b"")
        return tuple(texts), head.startswith(b"template<>")

    def template_values(self, d: Definition, kernel: Kernel) -> tuple[str, ...]:
        """The template arguments of an instance, those of a pack of parameters one by one."""
        pack = _pack_at(source_params(self.source, d) or ())
        out: list[str] = []
        for value in template_values(kernel, d):
            if value == _PACK and pack is not None:
                out += [TypeSpelling().type(p.type) for p in kernel.params[pack:]]
            else:
                out.append(value)
        return tuple(out)

    def primary(self, d: Definition) -> str:
        """The deleted primary launcher of a kernel template."""
        if not d.template_head or not d.template_params:
            return ""
        head = self.style.head(f"launch_{d.name}", self._written(d))
        return f"{d.template_head}\n{head} = delete;\n"

    def any_closure(self, d: Definition) -> str:
        """The head of a launcher for whatever lambda is given: its type has no name."""
        return f"{d.template_head}\n{self.style.head(f'launch_{d.name}', self._written(d))}"

    def prototype(self, d: Definition, prefix: str) -> str:
        """The launcher's declaration where a kernel is declared."""
        if d.template_head and d.template_params:
            return self.primary(d).rstrip("\n")
        own = prefix if prefix == "static " else ""
        return self.style.head(f"launch_{d.name}", self._written(d), own) + ";"

    def unread_stub(self, d: Definition, prefix: str, fault: Diagnostic) -> str:
        """The launcher of a kernel without IR: it fails loudly."""
        is_template = bool(d.template_head and d.template_params)
        head = self.style.head(f"launch_{d.name}", self._written(d), "" if is_template else prefix)
        return stub(f"{d.template_head}\n{head}" if is_template else head, fault, d.name)

    def _written(self, d: Definition) -> tuple[str, ...]:
        written = source_params(self.source, d) or ()
        return tuple(self._renamed(clash_free(w.text, w.name)) for w in written)

    def _renamed(self, text: str) -> str:
        return renamed(text, self.style.catalogue, self.style.target)


def _pack_at(written: tuple[SourceParam, ...]) -> int | None:
    """The place of a pack in a list of parameters: its members have no words of their own."""
    return len(written) - 1 if written and "..." in written[-1].text else None


def stub(head: str, fault: Diagnostic, name: str) -> str:
    """A launcher that says why there is no kernel and ends the program."""
    message = f"{fault.code.id}: kernel {name} was not migrated: {fault.cause}"
    safe = message.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    lines = (f'std::fprintf(stderr, "{safe}\\n");', "std::abort();")
    text = launcher_definition(head, lines, guard=False)
    return f"// {fault.code.id}: {fault.cause}\n{text}"

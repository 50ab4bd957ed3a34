"""One CMake file of a CUDA tree for Ascend C.

The form is that of the vendor's own projects: ``find_package(ASC)`` in front of ``project(...
LANGUAGES ASC CXX)``, flags under ``$<COMPILE_LANGUAGE:ASC>``, ``LINKER_LANGUAGE ASC`` for programs
that hold device code.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from migrate.backends.ascendc.build_files.cmake_targets import ADD, Targets
from migrate.backends.ascendc.build_files.cmake_text import (
    Argument,
    ArgumentKind,
    CMakeText,
    Command,
)
from migrate.backends.ascendc.build_files.flags import map_words
from migrate.backends.ascendc.build_files.genex import guarded_flags, plain_flags
from migrate.backends.ascendc.build_files.mapping import BuildMapping
from migrate.backends.ascendc.build_files.sheet import Sheet
from migrate.backends.ascendc.build_files.sources import edit_sources
from migrate.backends.ascendc.build_files.world import Chip
from migrate.core.codes import build as codes
from migrate.core.diagnostics import Outcome

_READ = re.compile(r"\$\{(\w+)\}")
_TESTS = frozenset({"if", "elseif", "while", "else", "endif"})
_LINKS = frozenset({"target_link_libraries", "link_libraries"})
_OPTIONS = frozenset({"target_compile_options", "add_compile_options", "add_definitions"})
_SPEECH = frozenset({"message"})
_FEATURE = re.compile(r"cuda_std_(\d+)")
_ASC = "$<$<COMPILE_LANGUAGE:ASC>:{}>"


@dataclass(slots=True)
class CMakeFile:
    """The migration of one file. ``top`` tells that it has the first ``project`` of the tree."""

    sheet: Sheet
    parsed: CMakeText
    folder: PurePosixPath
    targets: Targets
    mapping: BuildMapping
    chip: Chip
    has_package: bool = False
    handlers: dict[str, Callable[[Command], bool]] = field(init=False)

    def __post_init__(self) -> None:
        self.handlers = {
            "project": self._project,
            "enable_language": self._enable_language,
            "check_language": self._check_language,
            "find_package": self._find_package,
            "cuda_add_executable": self._cuda_add,
            "cuda_add_library": self._cuda_add,
            "cuda_include_directories": self._include_directories,
            "cuda_select_nvcc_arch_flags": self._drop,
            "set": self._set,
            "unset": self._set,
            "option": self._set,
            "string": self._append,
            "list": self._append,
            "set_target_properties": self._properties,
            "set_property": self._property,
            "set_source_files_properties": self._file_properties,
            "target_compile_features": self._features,
        }

    def migrate(self) -> None:
        """Put all edits of the file on the sheet."""
        for start, end in self.parsed.comments:
            self.sheet.settle(start, end)
        for command in self.parsed.commands:
            if command.lower in _SPEECH:
                self.sheet.settle(command.start, command.end)
                self._variables(command)
                continue
            handler = self.handlers.get(command.lower)
            if handler is not None and handler(command):
                continue
            self._anything(command)
            if command.lower in ADD:
                self._linker(command)

    # --- languages and packages -------------------------------------------------------------

    def _package(self) -> str:
        """``find_package(ASC)`` where the file has none yet."""
        if self.has_package:
            return ""
        self.has_package = True
        return (
            f'set(CMAKE_ASC_ARCHITECTURES "{self.chip.npu_arch}" CACHE STRING "Ascend chip")\n'
            "find_package(ASC REQUIRED)\n"
        )

    def _options(self) -> str:
        extra = f";{self.chip.extra}" if self.chip.extra else ""
        arch = "--npu-arch=${CMAKE_ASC_ARCHITECTURES}"
        return (
            f"{option_command('', arch + extra)}\n"
            "include_directories($ENV{ASCEND_HOME_PATH}/include)"
        )

    def _project(self, command: Command) -> bool:
        cuda = [a for a in command.args[1:] if a.text == "CUDA"]
        for word in cuda:
            self.sheet.replace(word.start, word.end, "ASC")
        if cuda:
            self.sheet.replace(command.start, command.start, self._package())
            self.sheet.replace(command.end, command.end, "\n" + self._options())
        for word in command.args[:1]:
            self.sheet.settle(word.start, word.end)
        return True

    def _enable_language(self, command: Command) -> bool:
        for word in command.args:
            if word.text == "CUDA":
                lead = self._package()
                self.sheet.replace(command.start, command.start, self._indented(command, lead))
                self.sheet.replace(word.start, word.end, "ASC")
                after = self._indented(command, "\n" + self._options())
                self.sheet.replace(command.end, command.end, after)
        return True

    def _check_language(self, command: Command) -> bool:
        if command.words() == ("CUDA",):
            self.sheet.replace(command.start, command.end, "find_package(ASC)")
        return True

    def _find_package(self, command: Command) -> bool:
        words = command.words()
        if not words or words[0] not in self.mapping.cmake_lists["packages"]:
            return False
        needs_language = words[0] == "CUDA" and "CUDA" not in self.targets.languages
        if self.has_package and not needs_language:
            self.sheet.remove_lines(command.start, command.end)
            return True
        need = "REQUIRED" if "REQUIRED" in words else "QUIET" if "QUIET" in words else ""
        text = f"find_package(ASC{' ' + need if need else ''})"
        if need == "REQUIRED":
            text = self._package().rstrip() or text
        if needs_language:
            text += f"\nenable_language(ASC)\n{self._options()}"
        self.sheet.replace(command.start, command.end, self._indented(command, text))
        return True

    def _indented(self, command: Command, text: str) -> str:
        """Further lines of a text stand below the command's first column."""
        line = self.sheet.text.rfind("\n", 0, command.start) + 1
        lead = self.sheet.text[line : command.start]
        return text.replace("\n", f"\n{lead}") if not lead.strip() else text

    # --- targets ----------------------------------------------------------------------------

    def _cuda_add(self, command: Command) -> bool:
        new = command.lower.removeprefix("cuda_")
        self.sheet.replace(command.start, command.name_end, new)
        at = next((i for i, a in enumerate(command.args) if a.text == "OPTIONS"), None)
        if at is not None:
            options = command.args[at + 1 :]
            flags = map_words(
                self.sheet, " ".join(a.text for a in options), command.start, self.mapping
            )
            last = options[-1].outer_end if options else command.args[at].end
            self.sheet.remove_words(command.args[at].start, last)
            self._device_option(command, command.args[0].text, ";".join(flags.split()))
        for arg in command.args[:at]:
            self._argument(arg, command)
        self._linker(command)
        return True

    def _linker(self, command: Command) -> None:
        name = command.args[0].text if command.args else ""
        plain = not {"ALIAS", "IMPORTED"} & set(command.words())
        if plain and self.targets.needs_linker(name):
            text = f"\nset_target_properties({name} PROPERTIES LINKER_LANGUAGE ASC)"
            self.sheet.replace(command.end, command.end, self._indented(command, text))

    def _device_option(self, command: Command, target: str, flags: str) -> None:
        """Flags for the Ascend C of one target, or of all that follow."""
        if flags:
            text = self._indented(command, "\n" + option_command(target, flags))
            self.sheet.replace(command.end, command.end, text)

    def _include_directories(self, command: Command) -> bool:
        self.sheet.replace(command.start, command.name_end, "include_directories")
        return False

    def _drop(self, command: Command) -> bool:
        """``cuda_select_nvcc_arch_flags(OUT ...)``: what it would set stays empty."""
        self.sheet.remove_lines(command.start, command.end)
        if command.args:
            self.targets.own.add(command.args[0].text)
        return True

    def _features(self, command: Command) -> bool:
        """``cuda_std_17`` is a flag; other features stay."""
        found = [(a, _FEATURE.fullmatch(a.text)) for a in command.args[1:]]
        options = [f"-std=c++{m.group(1)}" for _, m in found if m is not None]
        if not options:
            return False
        target = command.args[0].text
        if all(m is not None or a.text.isupper() for a, m in found):
            text = option_command(target, options[-1])
            self.sheet.replace(command.start, command.end, text)
            return True
        for arg, match in found:
            if match is not None:
                self.sheet.remove_words(arg.start, arg.end)
        self._device_option(command, target, options[-1])
        return True

    # --- variables and properties -----------------------------------------------------------

    def _set(self, command: Command) -> bool:
        name = command.args[0].text if command.args else ""
        lists = self.mapping.cmake_lists
        if name in lists["dropped"]:
            self.sheet.remove_lines(command.start, command.end)
            return True
        option = setting(self.mapping, name, command.args[1].text if len(command.args) > 1 else "")
        if option is not None:
            self._instead(command, [option_command("", option)] if option else [])
            return True
        if self.mapping.cmake["variables"].get(name, "").startswith("CMAKE_ASC_FLAGS"):
            self._flags(command, command.args[0], command.args[1:])
            return True
        return False

    def _append(self, command: Command) -> bool:
        """``string(APPEND FLAGS ...)`` and ``list(APPEND FLAGS ...)``."""
        words = command.words()
        if len(words) < 2 or words[0] not in ("APPEND", "PREPEND"):
            return False
        new = self.mapping.cmake["variables"].get(words[1], "")
        if not new.startswith("CMAKE_ASC_FLAGS"):
            return False
        flags = self._mapped(command, command.args[2:])
        text = f'string({words[0]} {new} " {flags}")' if flags else ""
        if text:
            self.sheet.replace(command.start, command.end, text)
        else:
            self.sheet.remove_lines(command.start, command.end)
        return True

    def _flags(self, command: Command, name: Argument, values: tuple[Argument, ...]) -> None:
        """``set(FLAGS ...)``: a text, whatever it was, with the flags of bisheng."""
        new = self.mapping.cmake["variables"][name.text]
        cached = next(
            (i for i, a in enumerate(values) if a.text in ("CACHE", "PARENT_SCOPE")), None
        )
        rest = () if cached is None else values[cached:]
        flags = self._mapped(command, values[:cached])
        tail = f" {self.sheet.text[rest[0].outer_start : rest[-1].outer_end]}" if rest else ""
        self.sheet.replace(command.start, command.end, f'set({new} "{flags}"{tail})')

    def _mapped(self, command: Command, values: tuple[Argument, ...]) -> str:
        text = " ".join(a.text.replace(";", " ") for a in values)
        table = self.mapping.cmake["variables"]
        text = _READ.sub(lambda m: f"${{{table.get(m.group(1), m.group(1))}}}", text)
        return map_words(self.sheet, text, command.start, self.mapping)

    def _properties(self, command: Command) -> bool:
        """Properties of CUDA are left out, or are flags."""
        words = command.words()
        if "PROPERTIES" not in words:
            return False
        at = words.index("PROPERTIES")
        pairs = list(zip(command.args[at + 1 :: 2], command.args[at + 2 :: 2], strict=False))
        gone = [(k, v) for k, v in pairs if self._is_ours(k.text)]
        found = [setting(self.mapping, k.text, v.text) for k, v in gone]
        lines = [option_command(t, o) for t in words[:at] for o in found if o]
        if gone and len(gone) == len(pairs):
            self._instead(command, lines)
            return True
        for key, value in gone:
            self.sheet.remove_words(key.outer_start, value.outer_end)
        for _, value in (p for p in pairs if p not in gone):
            self._argument(value, command)
        if lines:
            text = self._indented(command, "".join(f"\n{x}" for x in lines))
            self.sheet.replace(command.end, command.end, text)
        return True

    def _is_ours(self, name: str) -> bool:
        lists = self.mapping.cmake_lists
        return any(name in lists[kind] for kind in ("dropped", "standard", "separable"))

    def _instead(self, command: Command, lines: list[str]) -> None:
        """Other commands in the place of one, or nothing."""
        if lines:
            text = self._indented(command, "\n".join(lines))
            self.sheet.replace(command.start, command.end, text)
        else:
            self.sheet.remove_lines(command.start, command.end)

    def _property(self, command: Command) -> bool:
        words = command.words()
        if "PROPERTY" not in words or words[:1] != ("TARGET",):
            return False
        at = words.index("PROPERTY")
        name, value = (*words[at + 1 : at + 3], "", "")[:2]
        if not self._is_ours(name):
            return False
        option = setting(self.mapping, name, value)
        targets = [w for w in words[1:at] if w not in ("APPEND", "APPEND_STRING")]
        self._instead(command, [option_command(t, option) for t in targets if option])
        return True

    def _file_properties(self, command: Command) -> bool:
        for key, value in zip(command.args, command.args[1:], strict=False):
            if key.text == "LANGUAGE" and value.text == "CUDA":
                self.sheet.replace(value.start, value.end, "ASC")
        return False

    # --- arguments of any command -----------------------------------------------------------

    def _anything(self, command: Command) -> None:
        if command.lower in _OPTIONS:
            plain_flags(self.sheet, command, self.mapping)
        for arg in command.args:
            if arg.kind is ArgumentKind.PAREN:
                continue
            if command.lower in _LINKS and arg is not command.args[0]:
                if self._library(arg):
                    continue
            self._argument(arg, command)
        guarded_flags(self.sheet, command, self.mapping)

    def _library(self, arg: Argument) -> bool:
        """A library of CUDA in a link command; true when it was one."""
        read = _READ.fullmatch(arg.text)
        name = arg.text.removeprefix("CUDA::").removeprefix("-l")
        if read is not None:
            name = self.mapping.cmake["libraries"].get(read.group(1), "")
        rule = self.mapping.libraries.get(name)
        if rule is None or arg.text in self.targets.own:
            return False
        new = " ".join(rule.to)
        if rule.note:
            said = f"{name}: {rule.note}; linked instead: {new or 'nothing'}"
            self.sheet.report(
                codes.LIBRARY_REPLACED, Outcome.WEAKER, said, arg.outer_start, arg.outer_end
            )
        if new:
            self.sheet.replace(arg.outer_start, arg.outer_end, new)
        else:
            self.sheet.remove_words(arg.outer_start, arg.outer_end)
        return True

    def _argument(self, arg: Argument, command: Command) -> None:
        """Sources and variables in one argument."""
        edit_sources(self.sheet, arg.start, arg.end, self.targets.renamed, self.folder)
        self._reads(arg.start, arg.end)
        if command.lower in _TESTS:
            table = {**self.mapping.cmake["variables"], **self.mapping.cmake["tests"]}
            if arg.text in table:
                self.sheet.replace(arg.start, arg.end, table[arg.text])
        if command.lower == "option" and arg is not command.args[0]:
            self.sheet.settle(arg.start, arg.end)  # what a user reads

    def _variables(self, command: Command) -> None:
        for arg in command.args:
            self._reads(arg.start, arg.end)

    def _reads(self, start: int, end: int) -> None:
        """``${CUDA_...}`` in a range."""
        names, places = self.mapping.cmake["variables"], self.mapping.cmake["places"]
        for hit in _READ.finditer(self.sheet.text, start, end):
            if hit.group(1) in names:
                self.sheet.replace(hit.start(1), hit.end(1), names[hit.group(1)])
            elif hit.group(1) in places:
                self.sheet.replace(hit.start(), hit.end(), places[hit.group(1)])


def setting(mapping: BuildMapping, name: str, value: str) -> str | None:
    """The flag that a variable or property stands for: empty for none, None for another name."""
    if name in mapping.cmake_lists["standard"]:
        return f"-std=c++{value}" if value else ""
    if name in mapping.cmake_lists["separable"]:
        return "-dc" if value.upper() in ("ON", "TRUE", "YES", "1") else ""
    return None


def option_command(target: str, flags: str) -> str:
    """Flags (``;`` between them) for the Ascend C of a target, or of all that follow."""
    text = f'"{_ASC.format(flags)}"'
    return (
        f"target_compile_options({target} PRIVATE {text})"
        if target
        else f"add_compile_options({text})"
    )

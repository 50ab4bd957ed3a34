"""A file's own settings as clang's arguments, and what they say of the device and the language."""

from __future__ import annotations

from migrate.core.compile_settings import CompileSettings
from migrate.frontend.toolchain import DeviceVersion, hides_a_header, toolchain


def arguments_of(settings: CompileSettings, cxx: str) -> tuple[str, ...]:
    """Clang's arguments for search paths and macros."""
    args: list[str] = []
    # What lies in a late folder counts as a system header, whose kernels nobody reads. A folder
    # that can hide nothing is searched as the user's own.
    # One that is given as an include folder too stays what it is: clang would drop the earlier.
    tools = toolchain(cxx)
    given = {d.resolve() for d in settings.include_dirs}
    guessed = tuple(d for d in settings.late_dirs if d.resolve() not in given)
    late = tuple(d for d in guessed if hides_a_header(d, tools))
    harmless = tuple(d for d in guessed if d not in late)
    for flag, folders in (
        ("-I", (*settings.include_dirs, *harmless)),
        ("-isystem", settings.system_dirs),
        ("-idirafter", late),
        ("-include", settings.forced_includes),
    ):
        for folder in folders:
            args += [flag, str(folder)]
    args += [f"-U{name}" for name in settings.undefines]
    args += [f"-D{d}" for d in settings.defines if d.split("=")[0] not in DeviceVersion.NAMES]
    return tuple(args)


def device_of(settings: CompileSettings) -> DeviceVersion:
    """What the stubs are read for: capability and CUDA's version, by flag or by macro."""
    said = dict(d.partition("=")[::2] for d in settings.defines)
    plain = DeviceVersion()

    def number(name: str, otherwise: int) -> int:
        digits = said.get(name, "").rstrip("uUlL")
        return int(digits) if digits.isdigit() else otherwise

    version = number("CUDA_VERSION", plain.cuda)
    return DeviceVersion(
        arch=number("__CUDA_ARCH__", settings.arch or plain.arch),
        cuda=version,
        runtime=number("CUDART_VERSION", version),
    )


_STANDARDS = {"c++03": "c++11", "c++98": "c++11", "gnu++98": "gnu++11", "gnu++03": "gnu++11"}
"""The stubs are C++11: older sources are read as that."""


def standard_of(said: str) -> str:
    """The C++ standard to parse with."""
    return _STANDARDS.get(said, said)

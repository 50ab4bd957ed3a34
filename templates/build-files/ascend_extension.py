"""Extensions of PyTorch with Ascend C: .asc files go to bisheng, everything else to setuptools."""

import os
import subprocess

from torch.utils.cpp_extension import BuildExtension as _BuildExtension
from torch.utils.cpp_extension import CppExtension

ASC_FLAGS = os.environ.get("ASC_FLAGS", "@FLAGS@").split()
HOME = os.environ.get("ASCEND_HOME_PATH", "")


def AscendExtension(name, sources, *args, **kwargs):
    """Like CUDAExtension; the flags of extra_compile_args["asc"] are for .asc files."""
    compile_args = kwargs.get("extra_compile_args", {})
    own = list(compile_args.pop("asc", [])) if isinstance(compile_args, dict) else []
    asc = [s for s in sources if s.endswith(".asc")]
    if HOME:
        kwargs["include_dirs"] = [*kwargs.get("include_dirs", []), os.path.join(HOME, "include")]
        kwargs["library_dirs"] = [*kwargs.get("library_dirs", []), os.path.join(HOME, "lib64")]
        kwargs["libraries"] = [*kwargs.get("libraries", []), "ascendcl"]
    extension = CppExtension(name, [s for s in sources if s not in asc], *args, **kwargs)
    extension.asc_sources, extension.asc_flags = asc, own
    extension.depends = [*extension.depends, *asc]
    return extension


class BuildExtension(_BuildExtension):
    """Compiles the .asc files of each extension first, and links them with the rest."""

    def build_extension(self, ext):
        for source in getattr(ext, "asc_sources", []):
            made = os.path.join(os.path.abspath(self.build_temp), os.path.splitext(source)[0] + ".o")
            os.makedirs(os.path.dirname(made), exist_ok=True)
            defines = [f"-D{n}" if v is None else f"-D{n}={v}" for n, v in ext.define_macros]
            includes = [f"-I{d}" for d in ext.include_dirs]
            command = ["bisheng", "-c", source, "-o", made, "-fPIC", *ASC_FLAGS, *ext.asc_flags]
            subprocess.check_call([*command, *defines, *includes])
            ext.extra_objects = [*ext.extra_objects, made]
        super().build_extension(ext)

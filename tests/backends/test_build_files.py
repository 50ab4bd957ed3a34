"""CMake files, makefiles and setup.py of CUDA trees as build files for Ascend C."""

from __future__ import annotations

import re
from pathlib import PurePosixPath as Place

import pytest

from migrate.backends.ascendc.build_files.cmake_text import ArgumentKind, parse_cmake
from migrate.backends.ascendc.build_files.flags import find_flags
from migrate.backends.ascendc.build_files.mapping import load_mapping
from migrate.backends.ascendc.build_files.tree import BuildFile, MigratedBuild, migrate_build_files
from migrate.backends.ascendc.build_files.world import Chip

SIMT = Chip("dav-3510", simt=True)
SIMD = Chip("dav-2201", simt=False)


def migrated(
    name: str, text: str, *renamed: str, chip: Chip = SIMT
) -> tuple[str, list[tuple[str, int]]]:
    """The new text, and the code and line of each finding; ``renamed`` are converted sources."""
    result = whole({name: text}, *renamed, chip=chip)
    new = result.files[0].content.decode() if result.files else text
    return new, [(d.code.id, d.span.line) for d in result.diagnostics]


def whole(files: dict[str, str], *renamed: str, chip: Chip = SIMT) -> MigratedBuild:
    inputs = tuple(BuildFile(Place(n), n, t.encode()) for n, t in files.items())
    return migrate_build_files(
        inputs, {Place(r): Place(r).with_suffix(".asc") for r in renamed}, chip
    )


def cmake(body: str, *renamed: str) -> tuple[str, list[tuple[str, int]]]:
    """A CMake file after a project with CUDA; gives what follows the project, lines as given."""
    new, found = migrated("CMakeLists.txt", f"project(p LANGUAGES CUDA)\n{body}", *renamed)
    return new.partition("/include)\n")[2], [(c, line - 1) for c, line in found]


# --- CMake ----------------------------------------------------------------------------------


def test_a_project_with_cuda_becomes_one_with_ascend_c() -> None:
    new, found = migrated("CMakeLists.txt", "project(p VERSION 1 LANGUAGES CXX CUDA) # here\n")
    assert new == (
        'set(CMAKE_ASC_ARCHITECTURES "dav-3510" CACHE STRING "Ascend chip")\n'
        "find_package(ASC REQUIRED)\n"
        "project(p VERSION 1 LANGUAGES CXX ASC)\n"
        'add_compile_options("$<$<COMPILE_LANGUAGE:ASC>:--npu-arch=${CMAKE_ASC_ARCHITECTURES}'
        ';--enable-simt>")\n'
        "include_directories($ENV{ASCEND_HOME_PATH}/include) # here\n"
    )
    assert found == []


def test_only_the_chip_with_threads_gets_simt() -> None:
    new, _ = migrated("CMakeLists.txt", "project(p CUDA)\n", chip=SIMD)
    assert '"dav-2201"' in new
    assert "simt" not in new


def test_a_file_without_cuda_stays_as_it_is() -> None:
    text = "project(p CXX)\r\nadd_executable(a a.cpp) # nothing\r\n"
    result = whole({"CMakeLists.txt": text, "setup.py": "import torch\n", "Makefile": "a: a.o\n"})
    assert result == MigratedBuild((), ())


def test_bytes_outside_of_edits_stay() -> None:
    head, tail = "# caf\xe9\r\n\r\n", "  \t# end \xff\r\n"
    text = f"{head}enable_language( CUDA ){tail}".encode("latin-1")
    build = migrate_build_files((BuildFile(Place("x.cmake"), "x.cmake", text),), {}, SIMT)
    new = build.files[0].content.decode("latin-1")
    assert new.startswith(head)
    assert new.endswith(tail)
    assert "\n" not in new.replace("\r\n", "")
    spans = [(e.span.start, e.span.end) for e in build.files[0].edits]
    assert spans and all(text[a:b] in (b"", b"CUDA") for a, b in spans)


def test_a_folder_below_a_project_looks_for_no_package_again() -> None:
    result = whole({
        "CMakeLists.txt": "project(p CUDA)\nadd_subdirectory(k)\n",
        "k/CMakeLists.txt": "find_package(CUDAToolkit)\nadd_library(k STATIC a.cu ../b.cu)\n",
    }, "k/a.cu", "b.cu")  # fmt: skip
    new = {str(f.path): f.content.decode() for f in result.files}
    assert new["k/CMakeLists.txt"] == "add_library(k STATIC a.asc ../b.asc)\n"


def test_the_old_package_brings_the_language() -> None:
    new, _ = migrated("CMakeLists.txt", "project(p)\nfind_package(CUDA 9 REQUIRED)\n")
    assert new.count("find_package(ASC REQUIRED)\n") == 1
    assert "enable_language(ASC)\nadd_compile_options" in new


def test_optional_cuda_stays_optional() -> None:
    new, found = migrated(
        "CMakeLists.txt",
        "project(p CXX)\ncheck_language(CUDA)\nif(CMAKE_CUDA_COMPILER)\n"
        "  enable_language(CUDA)\nendif()\n",
    )
    assert "find_package(ASC)\nif(ASC_FOUND)\n" in new
    assert "  enable_language(ASC)\n  add_compile_options(" in new
    assert found == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("set(CMAKE_CUDA_ARCHITECTURES 70 80)", ""),
        ("set(CMAKE_CUDA_STANDARD 14)", 'add_compile_options("$<$<COMPILE_LANGUAGE:ASC>:-std=c++14>")'),
        ("set(CMAKE_CUDA_SEPARABLE_COMPILATION ON)", 'add_compile_options("$<$<COMPILE_LANGUAGE:ASC>:-dc>")'),
        ("set(CMAKE_CUDA_SEPARABLE_COMPILATION OFF)", ""),
        ('set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} -O3 -arch=sm_70")', 'set(CMAKE_ASC_FLAGS "${CMAKE_ASC_FLAGS} -O3")'),
        ("string(APPEND CMAKE_CUDA_FLAGS_DEBUG \" -G\")", 'string(APPEND CMAKE_ASC_FLAGS_DEBUG " -g")'),
        ("list(APPEND CUDA_NVCC_FLAGS -Xcompiler -fPIC;-lineinfo)", 'string(APPEND CMAKE_ASC_FLAGS " -fPIC")'),
        ("list(APPEND CUDA_NVCC_FLAGS -lineinfo)", ""),
        ("cuda_select_nvcc_arch_flags(ARCH Auto)", ""),
        ("set_property(TARGET a PROPERTY CUDA_ARCHITECTURES OFF)", ""),
        ("set_property(TARGET a PROPERTY CUDA_STANDARD 17)", 'target_compile_options(a PRIVATE "$<$<COMPILE_LANGUAGE:ASC>:-std=c++17>")'),
        ("set_target_properties(a PROPERTIES CUDA_ARCHITECTURES 80 FOLDER x)", "set_target_properties(a PROPERTIES FOLDER x)"),
        ("target_compile_features(a PUBLIC cuda_std_17)", 'target_compile_options(a PRIVATE "$<$<COMPILE_LANGUAGE:ASC>:-std=c++17>")'),
        ("set_source_files_properties(a.cpp PROPERTIES LANGUAGE CUDA)", "set_source_files_properties(a.cpp PROPERTIES LANGUAGE ASC)"),
        ("target_compile_options(a PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-O2 -Xptxas=-v>)", "target_compile_options(a PRIVATE $<$<COMPILE_LANGUAGE:ASC>:-O2>)"),
        ('target_compile_options(a PRIVATE "$<$<AND:$<CONFIG:Debug>,$<COMPILE_LANGUAGE:CUDA>>:-G>")', 'target_compile_options(a PRIVATE "$<$<AND:$<CONFIG:Debug>,$<COMPILE_LANGUAGE:ASC>>:-g>")'),
        ("add_compile_options($<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-O1>)", "add_compile_options($<$<COMPILE_LANGUAGE:ASC>:-O1>)"),
        ("target_link_libraries(a PRIVATE CUDA::cudart m)", "target_link_libraries(a PRIVATE ascendcl m)"),
        ("target_link_libraries(a ${CUDA_LIBRARIES} -lcudadevrt x)", "target_link_libraries(a ascendcl x)"),
        ("include_directories(${CUDA_INCLUDE_DIRS})", "include_directories($ENV{ASCEND_HOME_PATH}/include)"),
        ("file(GLOB K src/*.cu)", "file(GLOB K src/*.asc)"),
        ("set(S ${CMAKE_CURRENT_SOURCE_DIR}/k.cu main.cpp)", "set(S ${CMAKE_CURRENT_SOURCE_DIR}/k.asc main.cpp)"),
    ],
)  # fmt: skip
def test_cmake_commands(old: str, new: str) -> None:
    assert cmake(f"{old}\n", "k.cu") == (f"{new}\n" if new else "", [])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("cuda_compile_ptx(P k.cu)", "CM6001"),
        ("set(V ${CUDA_VERSION_MAJOR})", "CM6001"),
        ("target_compile_options(a PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--no-such-flag>)", "CM6001"),
        ("set(CMAKE_CUDA_FLAGS --no-such-flag)", "CM6001"),
        ("add_custom_command(OUTPUT o COMMAND nvcc -ptx x)", "CM6001"),
        ("find_package(CUDNN)", "CM6001"),
        ("target_compile_options(a PRIVATE --use_fast_math)", "CM6002"),
        ("target_link_libraries(a CUDA::cublas)", "CM6003"),
        ("add_library(l STATIC gone.cu)", "CM6004"),
    ],
)
def test_what_is_not_the_same_is_reported_with_its_line(text: str, code: str) -> None:
    assert cmake(f"\n{text}\n", "k.cu")[1] == [(code, 2)]


@pytest.mark.parametrize(
    "text",
    [
        'message(STATUS "no CUDA, no nvcc")',
        "# find_package(CUDA)",
        "#[[ nvcc\n]]",
        'option(USE_CUDA "with CUDA" ON)\nif(USE_CUDA)\nendif()',
        "target_compile_options(a PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-march=native -m64>)",
    ],
)
def test_speech_comments_and_own_names_are_no_finding(text: str) -> None:
    assert cmake(f"{text}\n") == (f"{text}\n", [])


def test_programs_that_hold_or_link_device_code_are_linked_by_its_compiler() -> None:
    new, _ = cmake(
        "add_library(k STATIC k.cu)\nadd_library(mid mid.cpp)\nadd_executable(a a.cpp)\n"
        "add_executable(b b.cpp)\ntarget_link_libraries(mid k)\ntarget_link_libraries(a mid)\n",
        "k.cu",
    )
    assert re.findall(r"set_target_properties\((\w+) PROPERTIES LINKER_LANGUAGE ASC\)", new) == [
        "mid",
        "a",
    ]


def test_names_of_converted_files_are_no_finding() -> None:
    new, found = cmake("add_library(l STATIC cuda/cuda_k.cu)\n", "cuda/cuda_k.cu")
    assert new.startswith("add_library(l STATIC cuda/cuda_k.asc)\n")
    assert found == []


def test_cuda_add_executable_with_options() -> None:
    new, _ = cmake("cuda_add_executable(a m.cpp k.cu OPTIONS -rdc=true -O3)\n", "k.cu")
    assert new.splitlines()[:2] == [
        "add_executable(a m.cpp k.asc)",
        'target_compile_options(a PRIVATE "$<$<COMPILE_LANGUAGE:ASC>:-dc;-O3>")',
    ]


def test_a_glob_that_misses_renamed_files_is_reported() -> None:
    _, found = cmake("file(GLOB S src/*.cpp)\n", "src/x.cpp")
    assert found == [("CM6004", 1)]


def test_cmake_grammar() -> None:
    text = 'if((A) AND "b ( # ;\\"") # c\n set(x [==[ ) ]] ]==] y) #[[ z\n ) ]]\nendif()\n'
    parsed = parse_cmake(text)
    assert [c.name for c in parsed.commands] == ["if", "set", "endif"]
    assert parsed.commands[0].words() == ("(", "A", ")", "AND", 'b ( # ;\\"')
    assert parsed.commands[1].args[1].kind is ArgumentKind.BRACKET
    assert [text[a:b] for a, b in parsed.comments] == ["# c", "#[[ z\n ) ]]"]


@pytest.mark.parametrize("text", ["set(x", 'set("x)', "set x)", "set([[x)", "(x)"])
def test_text_that_is_not_cmake_is_copied_and_reported(text: str) -> None:
    assert migrated("CMakeLists.txt", text) == (text, [("CM6005", 1)])


# --- make -----------------------------------------------------------------------------------


def make(body: str, *renamed: str) -> tuple[str, list[tuple[str, int]]]:
    new, found = migrated("Makefile", body, *renamed)
    return new.removeprefix("ASC_FLAGS ?= --npu-arch=dav-3510 --enable-simt\n"), found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("CUDA_PATH ?= /usr/local/cuda-11\n", "ASCEND_HOME_PATH ?= /usr/local/Ascend/ascend-toolkit/latest\n"),
        ("NVCC = $(CUDA_HOME)/bin/nvcc -ccbin g++\n", "BISHENG = bisheng $(ASC_FLAGS)\n"),
        ("CXX := nvcc # the compiler\n", "CXX := bisheng $(ASC_FLAGS) # the compiler\n"),
        ("NVCC := $(shell which nvcc)\n", "BISHENG := bisheng $(ASC_FLAGS)\n"),
        ("NVCCFLAGS += -O3 -arch=sm_$(SM) \\\n  -Xcompiler -Wall\n", "NVCCFLAGS += -O3 \\\n  -Wall\n"),
        ("NVCCFLAGS = -gencode arch=compute_70,code=sm_70 -G -m64\n", "NVCCFLAGS = -g\n"),
        ("ARCH = sm_70\nNVCCFLAGS = -arch=$(ARCH) -O2\n", "ARCH = sm_70\nNVCCFLAGS = -O2\n"),
        ('NVCCFLAGS = -Xcompiler "-Wall -O$(N)" -lineinfo\n', "NVCCFLAGS = -Wall -O$(N)\n"),
        ("LDFLAGS = -arch $(ARCH)\n", "LDFLAGS = -arch $(ARCH)\n"),
        ("$(foreach s,$(SMS),$(eval F += -gencode arch=compute_$(s),code=sm_$(s)))\n", "$(foreach s,$(SMS),$(eval F +=))\n"),
        ("NVCCFLAGS = $(addprefix -Xcompiler ,$(CFLAGS))\n", "NVCCFLAGS = $(addprefix ,$(CFLAGS))\n"),
        ("LIBS = -L$(CUDA_PATH)/lib64 -lcudart -lm\n", "LIBS = -L$(ASCEND_HOME_PATH)/lib64 -lascendcl -lm\n"),
        ("CFLAGS = -m64 -march=native\n", "CFLAGS = -m64 -march=native\n"),
        ("S = $(wildcard src/*.cu)\nO = $(S:.cu=.o)\n", "S = $(wildcard src/*.asc)\nO = $(S:.asc=.o)\n"),
        ("%.o: %.cu\n\t@$(NVCC) -dc $< -o $@\n", "%.o: %.asc\n\t@$(BISHENG) -dc $< -o $@\n"),
        (".SUFFIXES: .cu\n.cu.o:\n\tnvcc -c $<\n", ".SUFFIXES: .asc\n.asc.o:\n\tbisheng $(ASC_FLAGS) -c $<\n"),
        ("a: k.cu\n\tnvcc -o a k.cu\n", "a: k.asc\n\tbisheng $(ASC_FLAGS) -o a k.asc\n"),
        ("ifdef CUDA_HOME\nX=1\nendif\n", "ifdef ASCEND_HOME_PATH\nX=1\nendif\n"),
    ],
)  # fmt: skip
def test_make_lines(old: str, new: str) -> None:
    assert make(old, "k.cu") == (new, [])


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("a:\n\tnvcc -dlink x.o\n", "CM6001", 2),
        ("a:\n\tnvcc --version\n", "CM6001", 2),
        ("X = $(shell cuda-config)\n", "CM6001", 1),
        ("F = $(foreach f,$(C),-Xcompiler $f)\n", "CM6001", 1),
        ("NVCCFLAGS = -use_fast_math\n", "CM6002", 1),
        ("L = -lcufft\n", "CM6003", 1),
        ("S = gone.cu\n", "CM6004", 1),
    ],
)
def test_make_findings(text: str, code: str, line: int) -> None:
    assert make(text)[1] == [(code, line)]


def test_the_chip_is_named_once_above_the_first_line() -> None:
    new, _ = migrated("Makefile", "# top\n\nNVCC = nvcc\nCC = nvcc\n", chip=SIMD)
    assert new.startswith("# top\n\nASC_FLAGS ?= --npu-arch=dav-2201\nBISHENG = ")
    assert new.count("ASC_FLAGS ?=") == 1


def test_a_name_that_is_taken_is_not_given_again() -> None:
    new, _ = make("BISHENG = mine\nNVCC = nvcc\na:\n\t$(NVCC) x\n")
    assert new == "BISHENG = mine\nNVCC = bisheng $(ASC_FLAGS)\na:\n\t$(NVCC) x\n"


# --- setup.py -------------------------------------------------------------------------------

SETUP = """\
from torch.utils.cpp_extension import BuildExtension, CUDAExtension, include_paths
setup(ext_modules=[CUDAExtension("x", ["a.cpp", "b.cu"] + glob("k/*.cu"),
    libraries=["cudart", "z"],
    extra_compile_args={"cxx": ["-O3"], "nvcc": ["-O3", "-Xcompiler", "-fPIC", "-lineinfo"]})])
"""


def test_setup_of_a_cuda_extension() -> None:
    new, found = migrated("setup.py", SETUP, "b.cu")
    assert found == []
    lines = new.splitlines()
    assert lines[0] == "from torch.utils.cpp_extension import include_paths"
    assert lines[3] == "from ascend_extension import BuildExtension, AscendExtension"
    assert lines[4] == (
        'setup(ext_modules=[AscendExtension("x", ["a.cpp", "b.asc"] + glob("k/*.asc"),'
    )
    assert lines[5] == '    libraries=["ascendcl", "z"],'
    assert lines[6].endswith('{"cxx": ["-O3"], "asc": ["-O3", "-fPIC"]})])')
    compile(new, "setup.py", "exec")


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('"b.cu"', '"gone.cu"', "CM6004"),
        ('"-O3", "-X', '"--no-such-flag", "-X', "CM6001"),
        ("include_paths", "CUDA_HOME", "CM6001"),
        ('"cudart"', '"cublas"', "CM6003"),
        ('"-lineinfo"', '"-use_fast_math"', "CM6002"),
    ],
)
def test_setup_findings(old: str, new: str, code: str) -> None:
    _, found = migrated("setup.py", SETUP.replace(old, new), "b.cu")
    assert [c for c, _ in found] == [code]


def test_flags_of_a_setup_in_a_variable() -> None:
    flags = 'nvcc_flags = ["-lineinfo", "-O2"]\nnvcc_flags += ["-arch=sm_80"]\nargs = {}\n'
    use = 'args["nvcc"] = nvcc_flags\nsources = [f"{n}_cuda.cu" for n in names]\n'
    new, found = migrated("setup.py", f"{SETUP}{flags}{use}", "b.cu", "k/one_cuda.cu")
    assert found == []
    assert new.endswith(
        'nvcc_flags = ["-O2"]\nnvcc_flags += []\nargs = {}\nargs["asc"] = nvcc_flags\n'
        'sources = [f"{n}_cuda.asc" for n in names]\n'
    )


def test_items_of_a_list_go_with_their_commas() -> None:
    flags = '"-lineinfo",\n  "-O3",  # fast\n  "-arch=sm_80",\n  '
    new, _ = migrated("setup.py", SETUP.replace('"-O3", "-Xcompiler", "-fPIC", "-lineinfo"', flags))
    compile(new, "setup.py", "exec")
    assert '"asc": ["-O3",  # fast\n' in new
    assert "sm_80" not in new


def test_a_makefile_of_another_folder_gives_no_names() -> None:
    result = whole({
        "cuda/Makefile": "a:\n\tnvcc $(CFLAGS)\n",
        "sycl/Makefile": "CFLAGS = -fsycl --offload=x\n",
        "cuda/sub/Makefile": "CFLAGS = --offload=x\n",
    })  # fmt: skip
    assert [str(d.span).partition(":")[0] for d in result.diagnostics] == ["cuda/sub/Makefile"]


def test_setup_that_is_not_python_is_copied_and_reported() -> None:
    assert migrated("setup.py", "CUDAExtension(") == ("CUDAExtension(", [("CM6005", 1)])


# --- others ---------------------------------------------------------------------------------


def test_build_systems_without_a_reader_are_named() -> None:
    assert migrated("meson.build", "project('x', 'cuda')\n")[1] == [("CM6001", 1)]
    assert migrated("pyproject.toml", 'requires = ["torch"]\n')[1] == []


def test_flags_of_other_compilers_are_read_on_nvcc_lines_alone() -> None:
    table = load_mapping()
    words = ["-G", "-m64", "-march=native", "-O2"]
    assert [h.first for h in find_flags(words, table, nvcc=True)[0]] == [0, 1]
    assert find_flags(words, table, nvcc=False) == ([], [])

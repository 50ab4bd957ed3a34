"""Files that build for CUDA and for Ascend: the guards in them, and each platform's side.

Guards are whole lines of one spelling and never nest, so a side is found without a preprocessor.
"""

from __future__ import annotations

from enum import Enum


class Platform(Enum):
    """Which side of a guarded file."""

    CUDA = "CUDA"
    ASCEND = "Ascend"


MACRO = "USE_ASCEND"
ASCEND_ONLY = b"#if defined(USE_ASCEND)"
CUDA_ONLY = b"#if !defined(USE_ASCEND)"
OTHERWISE = b"#else  // CUDA"
END = b"#endif  // USE_ASCEND"
HEADER = "cuda_or_ascend.h"
"""The dispatch header, which every guarded file includes in its first line."""
_STUB = b"// Builds "


def is_guarded(text: bytes) -> bool:
    """True for a file with guards: it includes the dispatch header and ends each guard."""
    first = text.removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0]
    return first.startswith(b"#include") and HEADER.encode() in first


def stub_text(name: str) -> bytes:
    """The text of ``x.asc`` that stands for the guarded file ``name``."""
    return (
        f"// Builds {name} for Ascend; the code is there.\n"
        f'#ifndef {MACRO}\n#define {MACRO}\n#endif\n#include "{name}"\n'
    ).encode()


def stub_target(text: bytes) -> str | None:
    """The file that a stub stands for; none for other text."""
    if not text.startswith(_STUB) or text.count(b"\n") != 5:
        return None
    return text.rstrip().rpartition(b"\n")[2].partition(b'"')[2].rstrip(b'"').decode()


def blanked(text: bytes, platform: Platform) -> bytes:
    """A guarded file with the other platform's lines and all guards empty; lines keep their place.

    Text that is not guarded is given back as it is.
    """
    return _side(text, platform, keep_lines=True) if is_guarded(text) else text


def side(text: bytes, platform: Platform) -> bytes:
    """What one platform sees: without the dispatch header, guards and the other one's lines."""
    return _side(text, platform, keep_lines=False) if is_guarded(text) else text


def _side(text: bytes, platform: Platform, *, keep_lines: bool) -> bytes:
    out: list[bytes] = []
    wanted = True
    first = True
    mark = b"\xef\xbb\xbf" if text.startswith(b"\xef\xbb\xbf") else b""
    for line in text[len(mark) :].splitlines(keepends=True):
        bare = line.rstrip(b"\r\n")
        end = line[len(bare) :]
        if first:
            first = False
            out.append(line if keep_lines else b"")
            continue
        match bare:
            case b"#if defined(USE_ASCEND)":
                wanted = platform is Platform.ASCEND
            case b"#if !defined(USE_ASCEND)":
                wanted = platform is Platform.CUDA
            case b"#else  // CUDA":
                wanted = platform is Platform.CUDA
            case b"#endif  // USE_ASCEND":
                wanted = True
            case _ if wanted:
                out.append(line)
                continue
            case _:
                pass
        out.append(end if keep_lines else b"")
    return mark + b"".join(out)

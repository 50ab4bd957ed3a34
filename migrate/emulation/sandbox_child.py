"""Runs one command inside a sandbox; started by ``run.py`` as a program of its own.

It needs the standard library only and imports nothing of the package: every run starts with it, so
it must start fast, and it must not share a process with threads. One argument, an object in JSON:
``command``, ``writable`` (folders, or null for no confinement), ``address_space``, ``file_bytes``
and ``cpu_seconds``, ``processes``, ``status`` (a descriptor for the result line).

The result line is ``exit N KIB``, ``signal N KIB`` (most memory in use) or ``failed TEXT``. The
descriptor is closed to the command. Layout of the structures and numbers: Linux's uapi headers
(landlock.h, prctl.h, sched.h).
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import struct
import sys

_SYS_LANDLOCK = (444, 445, 446)  # create_ruleset, add_rule, restrict_self; equal on all machines
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS, _PR_SET_CHILD_SUBREAPER = 1, 38, 36
_NEW_USER, _NEW_PID, _NEW_NET, _NEW_IPC = 0x10000000, 0x20000000, 0x40000000, 0x08000000
_WRITE_FILE, _REFER, _TRUNCATE = 1 << 1, 1 << 13, 1 << 14
_CHANGE_FOLDER = sum(1 << bit for bit in range(4, 13))  # remove and make, of every kind
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty")

_libc = ctypes.CDLL(None, use_errno=True)


def landlock_version() -> int:
    """The kernel's Landlock version, 0 when it has none."""
    return max(0, int(_libc.syscall(_SYS_LANDLOCK[0], None, 0, 1)))


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    rule = struct.pack("=Qi", access, place)
    _libc.syscall(_SYS_LANDLOCK[1], ruleset, 1, rule, 0)
    os.close(place)


def confine_writes(folders: list[str]) -> bool:
    """Lets this process and its children write below ``folders`` only. False: not possible."""
    version = landlock_version()
    if version == 0:
        return False
    access = _WRITE_FILE | _CHANGE_FOLDER
    access |= _REFER if version >= 2 else 0
    access |= _TRUNCATE if version >= 3 else 0
    words = [access]
    if version >= 4:
        words.append(0)
    if version >= 6:
        words.append(3)  # no signals to, and no abstract sockets of, processes outside
    attributes = struct.pack(f"={len(words)}Q", *words)
    ruleset = int(_libc.syscall(_SYS_LANDLOCK[0], attributes, len(attributes), 0))
    if ruleset < 0:
        return False
    for folder in folders:
        _allow(ruleset, folder, access)
    for device in _DEVICES:
        _allow(ruleset, device, access & (_WRITE_FILE | _TRUNCATE))
    done = int(_libc.syscall(_SYS_LANDLOCK[2], ruleset, 0)) == 0
    os.close(ruleset)
    return done


def leave_namespaces() -> bool:
    """Own user, process, network and IPC namespaces, where an ordinary user may have them.

    True when processes are apart: the next child is then the first of its namespace, and all that
    it leaves behind ends with it.
    """
    uid, gid = os.getuid(), os.getgid()
    for flags in (_NEW_USER | _NEW_PID | _NEW_NET | _NEW_IPC, _NEW_USER | _NEW_NET):
        if _libc.unshare(flags) == 0:
            for name, text in (
                ("setgroups", "deny"),
                ("uid_map", f"{uid} {uid} 1"),
                ("gid_map", f"{gid} {gid} 1"),
            ):
                with contextlib.suppress(OSError), open(f"/proc/self/{name}", "w") as file:
                    file.write(text)
            return bool(flags & _NEW_PID)
    return False


def _limit(what: int, value: int) -> None:
    hard = resource.getrlimit(what)[1]
    most = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(what, (most, most))


def _become(settings: dict[str, object]) -> None:
    """Applies the limits and becomes the command."""
    numbers = {key: value for key, value in settings.items() if isinstance(value, int)}
    command, writable = settings["command"], settings["writable"]
    assert isinstance(command, list)
    os.set_inheritable(numbers["status"], False)
    _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if isinstance(writable, list):
        confine_writes([str(folder) for folder in writable])
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, numbers["file_bytes"])
    _limit(resource.RLIMIT_CPU, numbers["cpu_seconds"])
    if settings.get("apart") is True:  # elsewhere the user's other processes would count
        _limit(resource.RLIMIT_NPROC, numbers["processes"])
    _limit(resource.RLIMIT_AS, numbers["address_space"])
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)  # Python ignores them, and that would be inherited
    os.execvpe(command[0], command, os.environ)


def _supervise(settings: dict[str, object]) -> None:
    """Starts the command, tells how it ended, and collects what it orphans until then."""
    status, processes = settings["status"], settings["processes"]
    assert isinstance(status, int)
    assert isinstance(processes, int)
    if settings.get("apart") is True:
        # Since Linux 6.14 each namespace has a limit of its own, which binds root as well; the
        # first 300 numbers are not given out twice.
        with contextlib.suppress(OSError), open("/proc/sys/kernel/pid_max", "w") as file:
            file.write(str(300 + processes))
    program = os.fork()
    if program == 0:
        try:
            _become(settings)
        except (OSError, ValueError) as error:
            os.write(status, f"failed {error}\n".encode())
        os._exit(127)
    while True:
        try:
            ended, how, used = os.wait3(0)
        except InterruptedError:
            continue
        if ended == program:
            break
    word = f"signal {os.WTERMSIG(how)}" if os.WIFSIGNALED(how) else f"exit {os.WEXITSTATUS(how)}"
    os.write(status, f"{word} {used.ru_maxrss}\n".encode())
    os._exit(0)


def _end_children() -> bool:
    """Ends every child and waits for one of them; False when there is none."""
    for task in os.listdir("/proc/self/task"):
        with contextlib.suppress(OSError), open(f"/proc/self/task/{task}/children") as file:
            for word in file.read().split():
                os.kill(int(word), signal.SIGKILL)
    try:
        os.wait()
    except ChildProcessError:
        return False
    return True


def main() -> None:
    """Entry point: the settings are the only argument."""
    settings: dict[str, object] = json.loads(sys.argv[1])
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    settings["apart"] = leave_namespaces()
    first = os.fork()
    if first == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        _supervise(settings)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(first, signal.SIGKILL))
    with contextlib.suppress(ChildProcessError):
        os.waitpid(first, 0)
    # Without a namespace for processes, this one has adopted what was left behind.
    while _end_children():
        pass
    os._exit(0)


if __name__ == "__main__":
    main()

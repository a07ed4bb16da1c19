"""Child processes that are forked from a warm parent, do one task and may be stopped at any moment.

Forking a process that has imported everything costs some milliseconds. The parent must have no
threads: only its children may solve on several threads.
"""

from __future__ import annotations

import faulthandler
import functools
import gc
import importlib
import os
import pkgutil
import signal
import sys
import time
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import warpath
from hunt.program import Finding
from warpath.base.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Callable

#: Modules that need optional packages, or that no solve and no writer needs.
_LEFT_OUT = tuple(f"warpath.{room}" for room in ("cli", "nx", "plot", "csgraph", "engines.cuda"))
#: Seconds after which a child that has not ended is killed and reported as a hang.
_LONGEST = 120
_INTERRUPTED, _TERMINATED, _REFUSED = 130, 143, 3
_STOPPING = {signal.SIGINT, signal.SIGTERM}


@functools.cache
def import_all() -> None:
    """Import all modules that children and threads would import later.

    CPython holds a lock for each module that is being imported. An interrupt or a fork at that
    moment can leave the lock held.
    """
    for module in pkgutil.walk_packages(warpath.__path__, "warpath."):
        if not module.name.startswith(_LEFT_OUT):
            importlib.import_module(module.name)


@dataclass(frozen=True)
class End:
    """How a child ended.

    Attributes
    ----------
    done : whether it completed its work.
    stopped : whether the exception of a signal ended it, after its clean-up.
    killed : whether it was killed, without a clean-up.
    refused : the message of an OutputError; empty if there was none.
    """

    done: bool = False
    stopped: bool = False
    killed: bool = False
    refused: str = ""


class Child:
    """A forked process that calls the function `work` and exits."""

    def __init__(self, work: Callable[[], object]) -> None:
        self._reader, writer = os.pipe()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._reader)
            _be_the_child(work, writer)
        os.close(writer)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def send(self, number: signal.Signals, after: float) -> None:
        """Send a signal after some seconds; nothing happens if the child has ended."""
        end = time.perf_counter() + after
        while (left := end - time.perf_counter()) > 0:
            time.sleep(min(left, 0.0005))
        os.kill(self.pid, number)  # the number is not reused before `end` has waited for it

    def end(self) -> End:
        """Wait for the child and return how it ended.

        Raises
        ------
        Finding
            If it crashed, hung, or raised an exception other than `OutputError`.
        """
        said = b""
        while received := os.read(self._reader, 1 << 16):
            said += received
        os.close(self._reader)
        _, status = os.waitpid(self.pid, 0)
        code = os.waitstatus_to_exitcode(status)
        text = said.decode(errors="replace")
        if code in {0, _INTERRUPTED, _TERMINATED}:
            return End(done=code == 0, stopped=code != 0)
        if code == -signal.SIGKILL:
            return End(killed=True)
        if code == _REFUSED:
            return End(refused=text)
        if code == -signal.SIGALRM:
            raise Finding(f"a child did not end within {2 * _LONGEST} s")
        raise Finding(f"a child ended with {code}\n{text}")


def run(work: Callable[[], object]) -> End:
    """Do some work in a child and wait for it."""
    return Child(work).end()


def _be_the_child(work: Callable[[], object], writer: int) -> NoReturn:
    """Do the work and leave the process, whatever happens."""
    code, text = 1, ""
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(2 * _LONGEST)
        faulthandler.dump_traceback_later(_LONGEST, exit=True, file=writer)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, _leave)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPPING)
        work()
        code = 0
    except KeyboardInterrupt:
        code = _INTERRUPTED
    except SystemExit:
        code = _TERMINATED
    except OutputError as error:
        code, text = _REFUSED, str(error)
    except BaseException:  # the parent reports it
        text = traceback.format_exc()
    while True:
        try:  # repeat if a signal that another thread received interrupts this
            for number in _STOPPING:
                signal.signal(number, signal.SIG_IGN)
            # An interrupt can stop a clean-up before it begins. Freeing the frames of the
            # exception then runs it.
            gc.collect()
            os.write(writer, text.encode()[-4000:])
            os._exit(code)
        except BaseException:  # noqa: S112
            continue


def _leave(*_: object) -> None:
    sys.exit(_TERMINATED)

"""Child processes that are forked from a warm parent, do one thing and are stopped at any moment.

A fork of a process that has imported everything costs some milliseconds. The parent must have no
threads: it leaves every solve on several threads to its children.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import signal
import sys
import time
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from hunt.program import Finding
from warpath.base.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Callable

#: Seconds after which a child that has not ended is killed and reported as one that hangs.
_LONGEST = 120
_INTERRUPTED, _TERMINATED, _REFUSED = 130, 143, 3
_STOPPING = {signal.SIGINT, signal.SIGTERM}


@dataclass(frozen=True)
class End:
    """How a child ended.

    Attributes
    ----------
    done : it did all of its work.
    stopped : it left by the exception of a signal, after its clean-up.
    killed : it was killed and had no clean-up.
    refused : the message of an OutputError; empty if there was none.
    """

    done: bool = False
    stopped: bool = False
    killed: bool = False
    refused: str = ""


class Child:
    """A process that does some work, from `fork` on."""

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
        os.kill(self.pid, number)  # until it is waited for, no other process has its number

    def end(self) -> End:
        """Wait for the child.

        Raises
        ------
        Finding
            If it crashed, hung, or raised what it should not.
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
        try:  # again where a signal interrupts it that another thread has received
            for number in _STOPPING:
                signal.signal(number, signal.SIG_IGN)
            # An interrupt can stop a clean-up before it begins. It is done when the frames of the
            # exception are freed.
            gc.collect()
            os.write(writer, text.encode()[-4000:])
            os._exit(code)
        except BaseException:  # noqa: S112
            continue


def _leave(*_: object) -> None:
    sys.exit(_TERMINATED)

"""Reports the progress of a training run; one file to copy into a container, nothing to install.

    from emit import Progress

    progress = Progress("atlas-7b", run="atlas-t7")     # the run's tags on the bill
    for step, batch in enumerate(batches):
        loss = train(batch)
        progress.log(epoch=step / len(batches), loss=loss)

    Trainer(..., callbacks=[HuggingFace(progress)])     # or lightning.Trainer: Lightning(progress)

Standard library only, Python 3.9 or newer. Lines are CloudWatch's embedded metric format, on
standard output, or to the CloudWatch agent where `AWS_EMF_AGENT_ENDPOINT` (`tcp://host:port` or
`udp://host:port`) or `to` names one. `Workload` and `Run` are the only dimensions: each pair of
them is billed as up to five metrics.

Training comes first. `log` puts a sample into a bounded queue; a thread of its own writes the
newest one every `every` seconds, and once more at exit, on SIGTERM and on `flush`. Counters are
cumulative, so the next line makes up for one that a full pipe or a missing agent held back. A
failure is one warning of the logger `breakeven.emit`, never an exception. Only rank 0 reports,
unless `every_rank` is set.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib
import json
import logging
import math
import os
import queue
import signal
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

NAMESPACE = "Breakeven"
UNITS = {
    "Epoch": "None",
    "Loss": "None",
    "Samples": "Count",
    "Tokens": "Count",
    "SamplesPerEpoch": "Count",
}
COUNTERS = frozenset(UNITS) - {"Loss"}
LARGEST = 1e18
"""The largest counter; a pull refuses a larger one as a mistake.

As a loss it stands for NaN and infinity, which CloudWatch does not accept, so that a run can report
that it diverged.
"""
PORTFOLIO = "(portfolio)"
"""Refused as a workload's name: it means all workloads together."""
LONGEST = 256
"""Most characters of a tag's value on the bill; CloudWatch allows more."""
MOST_RUNS = 100
"""Most runs that one process may report, because CloudWatch bills each name."""
WAITING = 256
"""Most samples that wait to be written; beyond it the oldest are dropped."""
PERIOD = 60.0
"""Seconds between lines."""
PATIENCE = 2.0
"""Seconds to wait until an agent accepts a line, and until a flush has written everything."""
RANKS = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")
RUNS = ("SLURM_JOB_ID", "AWS_BATCH_JOB_ID", "TRAINING_JOB_NAME", "RAY_JOB_ID")
"""Where Slurm, AWS Batch, SageMaker and Ray name the job; the first that is set is the run."""
ENDLESS = 2**31
"""Epochs that Transformers plans, at least, for data of no length, such as a stream.

Its `epoch` is then the share of `max_steps` that is done.
"""
PLAIN = frozenset((float, int, type(None)))
"""Types whose values are read without waiting for a device."""
Sample = tuple[Any, ...]
"""The time and the values, in the order of UNITS; or the values alone."""

_LOG = logging.getLogger("breakeven.emit")
_live: list[Progress] = []
_at_exit = False
_caught = False


class Progress:
    """Reports the progress of one training run, named by the same tag values as on its bill.

    `workload` and `run` are the values of those tags, in ASCII. Without `run` it is the job's id of
    the scheduler (`RUNS`), which allocations name as well. `samples_per_epoch` holds for all
    lines. `to` is `stdout`, `tcp://host:port` or `udp://host:port`. `every` is the number of
    seconds between lines. With `every_rank`, every process reports, not only rank 0.
    """

    def __init__(
        self,
        workload: str,
        run: str | None = None,
        *,
        samples_per_epoch: float | None = None,
        to: str | None = None,
        every: float = PERIOD,
        every_rank: bool = False,
        namespace: str = NAMESPACE,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._warned: set[str] = set()
        self.workload, self.run = self._named(workload), self._named(run or _job())
        self.namespace, self.every, self.every_rank = namespace, self._period(every), every_rank
        self._to = to or os.environ.get("AWS_EMF_AGENT_ENDPOINT") or "stdout"
        self._fixed = self._number("SamplesPerEpoch", samples_per_epoch)
        self._clock = clock
        self._socket: socket.socket | None = None
        self._silent = False
        self._forget()

    def log(
        self,
        epoch: Any = None,
        *unnamed: Any,
        loss: Any = None,
        samples: Any = None,
        tokens: Any = None,
        samples_per_epoch: Any = None,
        **others: Any,
    ) -> None:
        """Reports a run's totals since it first began (epochs, samples, tokens) and its loss.

        Arguments are plain numbers or tensors. A tensor is read at most once a period, because
        reading it waits for the device.
        """
        if self._silent:
            return
        try:
            each = self._fixed if samples_per_epoch is None else samples_per_epoch
            self._writer()._take((epoch, loss, samples, tokens, each))
            if others or unnamed:
                left = ", ".join([*map(repr, unnamed), *sorted(others)])
                self._warn(f"only {', '.join(UNITS)} are reported, by name: {left:.200}")
        except Exception as error:  # noqa: BLE001 - training goes on, whatever happens
            self._warn(f"cannot report progress: {error!r}")

    def flush(self, timeout: float = PATIENCE) -> None:
        """Writes progress that waits to be sent; gives up after `timeout` seconds. Signal-safe."""
        if self._thread is None or self._silent:
            if self._writer() is not self:
                self._writer().flush(timeout)
            return
        answer: queue.SimpleQueue[None] = queue.SimpleQueue()
        try:
            self._read_last()
            self._wake.put(answer)
            answer.get(timeout=timeout)
        except queue.Empty:
            self._warn(f"what waits could not be written within {timeout} s")
        except Exception as error:  # noqa: BLE001 - as above
            self._warn(f"cannot report progress: {error!r}")

    def _forget(self) -> None:
        """Resets the reporter to its initial state, as a forked child must: it has no threads."""
        self._samples: deque[Sample] = deque(maxlen=WAITING)
        self._wake: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._unsent: dict[str, Any] = {}
        self._unread: dict[int, Any] = {}
        self._read_at = -math.inf
        self._thread: threading.Thread | None = None
        self._socket = None

    def _writer(self) -> Progress:
        """Returns the one reporter whose thread writes the progress of this run."""
        if self._thread is not None or self in _live:
            return self
        return next((each for each in _live if each._mark() == self._mark()), self)

    def _mark(self) -> tuple[str, str, str, str]:
        return self.workload, self.run, self.namespace, self._to

    def _take(self, values: Sample) -> None:
        if not PLAIN.issuperset(map(type, values)):
            values = self._read(values)
        self._samples.append((self._clock(), *self._filled(values)))
        if self._thread is None:
            self._begin()
        elif not _caught:
            _catch()  # a thread that logged first could not

    def _filled(self, values: Sample) -> Sample:
        """Fills values that are None from the newest sample not written yet; returns all of them.

        An epoch that was reported alone would be dropped with the oldest samples.
        """
        try:
            _, *newest = self._samples[-1]
        except IndexError:  # the thread has taken them all
            return values
        return tuple(old if new is None else new for new, old in zip(values, newest))

    def _begin(self) -> None:
        """Starts the thread that writes progress, unless this process must not report."""
        self._silent = not self._reports()
        if self._silent:
            self._samples.clear()
            return
        _catch()
        self._thread = threading.Thread(target=self._work, name="breakeven-emit", daemon=True)
        self._thread.start()

    def _reports(self) -> bool:
        if not (self.workload and self.run) or (not self.every_rank and _rank() != 0):
            return False
        if os.environ.get("NEURON_EXTRACT_GRAPHS_ONLY") == "1":
            return False  # neuron_parallel_compile: steps that train nothing, with losses of 0
        if self not in _live:
            others = {(each.workload, each.run) for each in _live} - {(self.workload, self.run)}
            if len(others) >= MOST_RUNS:
                self._warn(f"{self.run} is not reported: this process reports {MOST_RUNS} others")
                return False
            _live.append(self)
        return True

    def _read(self, values: Sample) -> Sample:
        """Converts values to numbers or None; device tensors are read at most once a period."""
        now = time.monotonic()
        due = now - self._read_at >= self.every
        found = []
        for place, value in enumerate(values):
            if type(value) not in PLAIN:
                self._read_at = now if due and _is_held(value) else self._read_at
                value = self._number_of(place, value, due)
            found.append(value)
        return tuple(found)

    def _number_of(self, place: int, value: Any, due: bool) -> Any:
        held = _is_held(value)
        value = value.detach() if hasattr(value, "detach") else value
        if held and not due:
            self._unread[place] = value
            return None
        self._unread.pop(place, None)
        try:
            return float(value)
        except (TypeError, ValueError, RuntimeError) as error:
            self._warn(f"{list(UNITS)[place]} cannot be read: {error}")
            return None

    def _read_last(self) -> None:
        unread, self._unread = self._unread, {}
        if unread:
            read = {place: self._number_of(place, value, True) for place, value in unread.items()}
            values = (read.get(place) for place in range(len(UNITS)))
            self._samples.append((self._clock(), *values))

    def _work(self) -> None:
        """Writes a line of progress each period, and on request; runs in the thread."""
        answer = None
        while True:
            try:
                self._write()
            except Exception as error:  # noqa: BLE001 - the thread stays, the next line may pass
                self._warn(f"cannot report progress: {error!r}; training goes on")
            if answer is not None:
                answer.put(None)
            try:
                answer = self._wake.get(timeout=self.every)
            except queue.Empty:
                answer = None

    def _write(self) -> None:
        """Writes the newest progress as one line; if that fails, the next line contains it."""
        while self._samples:
            at, *values = self._samples.popleft()
            numbers = zip(UNITS, map(self._number, UNITS, values))
            given = {name: number for name, number in numbers if number is not None}
            if given:
                self._unsent.update(given, at=at)
        if not self._unsent:
            return
        line = self.line(**self._unsent)
        if self._to == "stdout":
            _write_to_stdout(line)
        else:
            self._send(line)
        self._unsent = {}

    def line(self, at: float, **values: float) -> str:
        """Returns one line of progress as a CloudWatch EMF document, with values by metric."""
        if self._fixed is not None:
            values.setdefault("SamplesPerEpoch", self._fixed)
        metrics = [{"Name": name, "Unit": UNITS[name]} for name in values]
        directive = {
            "Namespace": self.namespace,
            "Dimensions": [["Workload", "Run"]],
            "Metrics": metrics,
        }
        about: dict[str, Any] = {"Timestamp": int(at * 1000), "CloudWatchMetrics": [directive]}
        if self._to != "stdout":
            about["LogGroupName"] = os.environ.get("AWS_EMF_LOG_GROUP_NAME", "breakeven")
            about["LogStreamName"] = os.environ.get("AWS_EMF_LOG_STREAM_NAME", socket.gethostname())
        named = {"Workload": self.workload, "Run": self.run}
        return json.dumps({"_aws": about, **named, **values}, allow_nan=False)

    def _send(self, line: str) -> None:
        """Sends a line of progress to the CloudWatch agent; reconnects when the agent restarts."""
        if self._socket is not None and _gone(self._socket):
            self._close()
        try:
            if self._socket is None:
                self._socket = _connected(self._to)
            self._socket.sendall(line.encode() + b"\n")
        except OSError:
            self._close()
            raise

    def _close(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = None

    def _number(self, name: str, value: Any) -> Any:
        """Returns a number in range; else warns and returns 1e18 for a NaN loss, or None."""
        if value is None:
            return None
        least, most = (0.0, LARGEST) if name in COUNTERS else (-LARGEST, LARGEST)
        try:
            number = int(value) if isinstance(value, int) else float(value)
            if least <= number <= most:  # nor is what is no number
                return number
            if name not in COUNTERS:
                self._warn(f"{name} is reported as {LARGEST:g}, as it is not finite: {value!r:.80}")
                return LARGEST
        except (TypeError, ValueError, OverflowError):
            pass
        self._warn(f"{name} is left out where it is not a valid number: {value!r:.80}")
        return None

    def _period(self, given: Any) -> float:
        """Returns the seconds between lines, at least 1; warns and returns 60 if not a number."""
        try:
            seconds = float(given)
            if math.isfinite(seconds):
                return max(seconds, 1.0)
        except (TypeError, ValueError, OverflowError):
            pass
        self._warn(f"every is not a number of seconds, {PERIOD} is used: {given!r:.80}")
        return PERIOD

    def _named(self, given: Any) -> str:
        """Converts a name to one that CloudWatch accepts; warns and returns "" if it is empty."""
        name = "" if given is None else str(given).strip()  # an environment variable not set
        plain = name.encode("ascii", "backslashreplace").decode()
        plain = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in plain).lstrip(":")
        if len(plain) > LONGEST:
            plain = plain[: LONGEST - 9] + "-" + hashlib.sha256(name.encode()).hexdigest()[:8]
        if not plain or plain == PORTFOLIO:
            self._warn(f"{given!r} is not a valid name: nothing is reported")
            return ""
        if plain != name:
            self._warn(f"{name!r} is reported as {plain!r}; the tag on the bill must be the same")
        return plain

    def _warn(self, text: str) -> None:
        """Logs a warning, unless one with the same text before its first colon was logged."""
        mark = text.partition(":")[0]
        if mark not in self._warned:
            self._warned.add(mark)
            _LOG.warning("%s", text)


def _is_held(value: Any) -> bool:
    """Whether a value is a tensor, which a device may hold: to read it is to wait."""
    return hasattr(value, "detach") or hasattr(value, "block_until_ready")


def _beneath(own: type, library: str, name: str) -> Any:
    """Builds a callback that also inherits from a training library's callback, if installed."""
    try:
        base = getattr(importlib.import_module(library), name)
    except (ImportError, AttributeError):
        return object.__new__(own)
    return object.__new__(type(own.__name__, (own, base), {}))


class HuggingFace:
    """A callback of `transformers.Trainer`: reports epochs, loss, and tokens if it has them.

    Data of no length has no epochs: such a run counts by its tokens.
    """

    def __new__(cls, progress: Progress) -> Any:
        return _beneath(cls, "transformers", "TrainerCallback")

    def __init__(self, progress: Progress) -> None:
        self.progress = progress

    def on_train_begin(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        self._log(state, epoch=state.epoch or 0)

    def on_step_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        self._log(state, epoch=state.epoch)

    def on_log(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        self._log(state, epoch=state.epoch, loss=(others.get("logs") or {}).get("loss"))

    def on_train_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        self._log(state, epoch=state.epoch)
        self.progress.flush()

    def _log(self, state: Any, epoch: Any, loss: Any = None) -> None:
        if not state.is_world_process_zero:
            return
        tokens = getattr(state, "num_input_tokens_seen", 0) or None
        if (getattr(state, "num_train_epochs", 0) or 0) >= ENDLESS:
            epoch = None
            self.progress._warn("epochs are left out, for the data has no length: report tokens")
        self.progress.log(epoch=epoch, loss=loss, tokens=tokens)


class Lightning:
    """A callback of Lightning's Trainer: reports fractions of epochs, and loss, after batches."""

    def __new__(cls, progress: Progress) -> Any:
        known = "pytorch_lightning" if "pytorch_lightning" in sys.modules else "lightning.pytorch"
        newer = "lightning.pytorch" if "lightning.pytorch" in sys.modules else known
        return _beneath(cls, newer, "Callback")

    def __init__(self, progress: Progress) -> None:
        self.progress = progress

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Reports that training begins, unless it goes on: within which epoch is not known yet."""
        if not trainer.global_step:
            self._log(trainer, epoch=trainer.current_epoch)

    def on_train_batch_end(
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        batches = trainer.num_training_batches
        part = (batch_idx + 1) / batches if batches else 0.0
        loss = outputs.get("loss") if isinstance(outputs, dict) else outputs
        accumulated = getattr(trainer, "accumulate_grad_batches", 1)
        if loss is not None and accumulated != 1:
            loss = loss * accumulated  # Lightning hands over each batch's part of a step
        self._log(trainer, epoch=trainer.current_epoch + part, loss=loss)

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """Reports an epoch as complete, unless `max_steps` ended training before its last batch."""
        if getattr(trainer, "is_last_batch", True):
            self._log(trainer, epoch=trainer.current_epoch + 1)

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        self.progress.flush()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        self.progress.flush()

    def _log(self, trainer: Any, **values: Any) -> None:
        if trainer.is_global_zero:
            self.progress.log(**values)


def _write_to_stdout(line: str) -> None:
    """Writes a line on standard output, even after another writer's unfinished line.

    It writes to the file descriptor itself, because a writer that hangs in Python's buffer would
    abort the exit.
    """
    try:
        target = sys.stdout.fileno()
    except (AttributeError, OSError, ValueError):  # a notebook's, or a test's
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
        return
    left = f"\n{line}\n".encode()
    while left:
        left = left[os.write(target, left) :]


def _connected(endpoint: str) -> socket.socket:
    """Opens a socket to the CloudWatch agent at `tcp://host:port` or `udp://host:port`."""
    parts = urlsplit(endpoint)
    if parts.scheme not in ("tcp", "udp") or not parts.hostname or not parts.port:
        raise ValueError(f"{endpoint!r}: write tcp://host:port or udp://host:port")
    address = (parts.hostname, parts.port)
    if parts.scheme == "tcp":
        return socket.create_connection(address, timeout=PATIENCE)
    family = socket.getaddrinfo(*address, type=socket.SOCK_DGRAM)[0][0]
    made = socket.socket(family, socket.SOCK_DGRAM)
    made.connect(address)
    return made


def _gone(connection: socket.socket) -> bool:
    """Returns whether the CloudWatch agent has closed the connection."""
    if connection.type != socket.SOCK_STREAM:
        return False
    connection.setblocking(False)
    try:
        return connection.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True
    finally:
        connection.settimeout(PATIENCE)


def _rank() -> int:
    """Returns this process's rank in distributed training; 0 where it is alone."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return int(distributed.get_rank())
    rank = next((os.environ[name] for name in RANKS if os.environ.get(name)), "0")
    return int(rank) if rank.isdigit() else 0


def _job() -> str | None:
    """Returns the scheduler's id of this job; None where no scheduler runs it.

    The nodes of a parallel job of AWS Batch (`1a2b#0`, `1a2b#1`) are one run.
    """
    named = next((os.environ[name] for name in RUNS if os.environ.get(name)), None)
    return named and named.partition("#")[0]


def _catch() -> None:
    """Makes the process write last lines at exit and, if in the main thread, on SIGTERM."""
    global _at_exit, _caught
    if not _at_exit:
        _at_exit = True
        atexit.register(_flush_all)
    if _caught or threading.current_thread() is not threading.main_thread():
        return
    _caught = True
    before = signal.getsignal(signal.SIGTERM)
    if before in (signal.SIG_IGN, None):
        return

    def terminated(number: int, frame: Any) -> None:
        _flush_all()
        if callable(before):
            before(number, frame)
        elif signal.getsignal(number) is terminated:  # else another's, who called this one
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    signal.signal(signal.SIGTERM, terminated)


def _flush_all() -> None:
    """Writes the last line of progress of all runs, within two seconds together."""
    until = time.monotonic() + PATIENCE
    for progress in _live:
        progress.flush(max(0.0, until - time.monotonic()))


def _after_fork() -> None:
    """Resets all reporters in a forked child, so that it reports only what it logs itself."""
    for progress in _live:
        progress._forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

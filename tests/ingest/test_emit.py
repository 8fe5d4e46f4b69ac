"""The emitter: what it writes, when, and that training never notices."""

from __future__ import annotations

import ast
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest

from ingest import emit
from tests.support.ingest import emf

FILE = Path(emit.__file__)
Emitted = Callable[[], str]


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No rank, no agent, no run reported before; this process keeps its own signals."""
    for name in (*emit.RANKS, *emit.RUNS, "AWS_EMF_AGENT_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(emit, "_live", [])
    monkeypatch.setattr(emit, "_caught", True)


@pytest.fixture
def emitted(capfd: pytest.CaptureFixture[str]) -> Emitted:
    """What was written to standard output since the last time."""
    return lambda: capfd.readouterr().out


@pytest.fixture
def agent() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(10)
        yield server


def at(server: socket.socket, kind: str = "tcp") -> str:
    return f"{kind}://127.0.0.1:{server.getsockname()[1]}"


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.message for record in caplog.records if record.name == "breakeven.emit"]


def script(folder: Path, text: str, **environment: str) -> subprocess.Popen[str]:
    """A training script beside a copy of the one file, run by a bare Python."""
    shutil.copy(FILE, folder / "emit.py")
    (folder / "train.py").write_text(f"from emit import Progress\n{text}")
    return subprocess.Popen(
        [sys.executable, "-S", "train.py"],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize(
    ("variables", "run"),
    [
        ({"SLURM_JOB_ID": "4711", "RAY_JOB_ID": "02000000"}, "4711"),
        ({"AWS_BATCH_JOB_ID": "1a2b#0"}, "1a2b"),
        ({"AWS_BATCH_JOB_ID": "1a2b:7"}, "1a2b:7"),
        ({"SLURM_JOB_ID": "", "TRAINING_JOB_NAME": "atlas-2026-10"}, "atlas-2026-10"),
        ({"RAY_JOB_ID": "02000000"}, "02000000"),
    ],
)
def test_a_run_that_nobody_names_is_the_job_of_its_scheduler(
    variables: dict[str, str], run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert emit.Progress("atlas-7b").run == run
    assert emit.Progress("atlas-7b", "").run == run
    assert emit.Progress("atlas-7b", "named").run == "named"


def test_without_a_run_and_a_scheduler_nothing_is_reported(
    emitted: Emitted, caplog: pytest.LogCaptureFixture
) -> None:
    progress = emit.Progress("atlas-7b")
    progress.log(epoch=1)
    progress.flush()
    assert emitted() == ""
    assert warnings(caplog) == ["None is not a valid name: nothing is reported"]


def test_a_line_is_the_contract(emitted: Emitted) -> None:
    progress = emit.Progress("atlas-7b", "atlas-t7", samples_per_epoch=1e6, clock=lambda: 1.7e9)
    progress.log(epoch=1.5, loss=2.25, samples=1_500_000, tokens=3_072_000_000)
    progress.flush()
    named = {"namespace": "Breakeven", "dimensions": {"Workload": "atlas-7b", "Run": "atlas-t7"}}
    told = {
        "Epoch": 1.5,
        "Loss": 2.25,
        "Samples": 1_500_000,
        "Tokens": 3_072_000_000,
        "SamplesPerEpoch": 1e6,
    }
    when = "2023-11-14T22:13:20+00:00"
    assert emf.metrics(emitted()) == [
        {**named, "name": name, "points": [[when, value]]} for name, value in told.items()
    ]


def test_a_period_has_one_line_and_the_last_sample_is_not_lost(emitted: Emitted) -> None:
    progress = emit.Progress("w", "r")
    progress.log(epoch=0.0, loss=9.0)
    progress.flush()
    for step in range(1, 5001):
        progress.log(epoch=step / 1000)
    progress.log(loss=1.25)
    progress.flush()
    assert emf.values(emitted()) == [
        {"Epoch": 0.0, "Loss": 9.0},
        {"Epoch": 5.0, "Loss": 1.25},
    ]


@pytest.mark.parametrize(
    "wrong", [float("nan"), float("inf"), -1.0, 1e19, 10**400, "much", object()]
)
def test_what_is_no_number_is_left_out_and_said_once(
    wrong: object, emitted: Emitted, caplog: pytest.LogCaptureFixture
) -> None:
    progress = emit.Progress("w", "r")
    progress.log(epoch=wrong, loss="low", tokens=7)
    progress.log(epoch=wrong)
    progress.flush()
    assert emf.values(emitted()) == [{"Tokens": 7}]
    assert len([said for said in warnings(caplog) if "Epoch" in said]) == 1


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), float("-inf"), 1e19])
def test_a_loss_that_is_no_number_is_reported_as_one_that_no_loss_is(
    wrong: object, emitted: Emitted, caplog: pytest.LogCaptureFixture
) -> None:
    """CloudWatch takes neither NaN nor infinity."""
    progress = emit.Progress("w", "r")
    progress.log(epoch=1, loss=wrong)
    progress.log(loss=wrong)
    progress.flush()
    assert {told["Loss"] for told in emf.values(emitted())} == {1e18}
    assert len(warnings(caplog)) == 1


def test_only_the_five_metrics_are_reported(
    emitted: Emitted, caplog: pytest.LogCaptureFixture
) -> None:
    progress = emit.Progress("w", "r")
    for host in range(3):
        progress.log(epoch=1, host=f"node-{host}", grad_norm=2.0)
    progress.flush()
    assert {tuple(told) for told in emf.values(emitted())} == {("Epoch",)}
    assert len(warnings(caplog)) == 1
    assert "grad_norm, host" in warnings(caplog)[0]


def test_names_are_what_a_dimension_can_hold_and_stay_distinct(
    emitted: Emitted, caplog: pytest.LogCaptureFixture
) -> None:
    names = ["läufer-1", "lüufer-1", "x" * 300, "x" * 299 + "y", ":tab\tbed", " padded "]
    for name in names:
        progress = emit.Progress("w", name)
        progress.log(epoch=1)
        progress.flush()
    runs = [metric["dimensions"]["Run"] for metric in emf.metrics(emitted())]
    assert len(set(runs)) == len(names)
    assert runs[0] == "l\\xe4ufer-1"
    assert {len(runs[2]), len(runs[3])} == {256}
    assert runs[5] == "padded"
    assert len(warnings(caplog)) == 5


@pytest.mark.parametrize("name", ["", "  ", "(portfolio)", None])
def test_what_is_no_name_reports_nothing(
    name: str, emitted: Emitted, caplog: pytest.LogCaptureFixture
) -> None:
    progress = emit.Progress(name, "r")
    progress.log(epoch=1)
    progress.flush()
    assert not emitted()
    assert len(warnings(caplog)) == 1


def test_a_process_reports_a_hundred_runs_and_no_more(
    emitted: Emitted, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(emit, "MOST_RUNS", 3)
    for number in range(5):
        progress = emit.Progress("w", f"trial-{number}")
        progress.log(epoch=1)
        progress.log(epoch=2)
        progress.flush()
    runs = {metric["dimensions"]["Run"] for metric in emf.metrics(emitted())}
    assert runs == {"trial-0", "trial-1", "trial-2"}
    assert len(warnings(caplog)) == 2


@pytest.mark.parametrize(
    ("rank", "every_rank", "lines"), [("0", False, 1), ("3", False, 0), ("3", True, 1)]
)
def test_only_rank_0_reports_unless_told_otherwise(
    rank: str,
    every_rank: bool,
    lines: int,
    emitted: Emitted,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RANK", rank)
    progress = emit.Progress("w", "r", every_rank=every_rank)
    progress.log(epoch=1)
    progress.flush()
    assert len(emf.values(emitted())) == lines


class Tensor:
    """A number on a device: reading it waits for the device, and holds its graph till then."""

    def __init__(self, value: float, read: list[float], graph: bool = True) -> None:
        self.value, self.read, self.graph = value, read, graph

    def detach(self) -> Tensor:
        return Tensor(self.value, self.read, graph=False)

    def __float__(self) -> float:
        assert not self.graph
        self.read.append(self.value)
        return self.value


def test_a_device_is_waited_for_once_a_period_and_for_the_last_value(emitted: Emitted) -> None:
    read: list[float] = []
    progress = emit.Progress("w", "r")
    for step in range(1000):
        progress.log(epoch=step, loss=Tensor(float(step), read))
    assert read == [0.0]
    progress.flush()
    assert read == [0.0, 999.0]
    assert emf.values(emitted())[-1]["Loss"] == 999.0


def test_a_number_of_another_type_leaves_the_turn_to_the_device(emitted: Emitted) -> None:
    """A NumPy number is read at once: nothing is waited for, so a tensor is not put off for it."""
    read: list[float] = []
    progress = emit.Progress("w", "r")
    progress.log(tokens=Fraction(4096))
    progress.log(loss=Tensor(2.5, read))
    assert read == [2.5]


def test_what_was_reported_once_is_not_lost_among_the_samples_after_it(emitted: Emitted) -> None:
    progress = emit.Progress("w", "r", every=3600)
    progress.log(epoch=0)
    progress.flush()
    progress.log(epoch=1)
    for step in range(2 * emit.WAITING):
        progress.log(loss=step)
    progress.flush()
    assert emf.values(emitted())[-1] == {"Epoch": 1, "Loss": 2 * emit.WAITING - 1}


def test_steps_that_only_compile_for_neuron_are_no_training(
    emitted: Emitted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`neuron_parallel_compile` runs the loop on stubs: its loss of 0 would meet any target."""
    monkeypatch.setenv("NEURON_EXTRACT_GRAPHS_ONLY", "1")
    progress = emit.Progress("w", "r")
    progress.log(epoch=0.01, loss=0.0)
    progress.flush()
    assert emitted() == ""


def test_the_agent_gets_lines_and_is_found_again_when_it_comes_back(
    agent: socket.socket, caplog: pytest.LogCaptureFixture
) -> None:
    progress = emit.Progress("w", "r", to=at(agent))
    progress.log(epoch=1)
    progress.flush()
    connection, _ = agent.accept()
    first = connection.makefile().readline()
    assert emf.values(first) == [{"Epoch": 1}]
    assert '"LogGroupName": "breakeven"' in first
    connection.shutdown(socket.SHUT_RDWR)
    connection.close()
    progress.log(epoch=2)
    progress.flush()
    again, _ = agent.accept()
    with again:
        assert emf.values(again.makefile().readline()) == [{"Epoch": 2}]
    assert not warnings(caplog)


def test_an_agent_that_is_gone_is_one_warning_and_costs_no_sample(
    agent: socket.socket, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint = at(agent)
    agent.close()
    progress = emit.Progress("w", "r", to=endpoint)
    for epoch in (1, 2, 3):
        progress.log(epoch=epoch, loss=epoch)
        progress.flush()
    assert len(warnings(caplog)) == 1
    assert "training goes on" in warnings(caplog)[0]
    with socket.create_server(("127.0.0.1", int(endpoint.rpartition(":")[2]))) as back:
        progress.log(tokens=5)
        progress.flush()
        connection, _ = back.accept()
        with connection:
            told = emf.values(connection.makefile().readline())
    assert told == [{"Epoch": 3, "Loss": 3, "Tokens": 5}]


def test_the_agent_is_the_one_of_the_environment_by_udp_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(10)
        monkeypatch.setenv("AWS_EMF_AGENT_ENDPOINT", at(server, "udp"))
        progress = emit.Progress("w", "r")
        progress.log(epoch=1)
        progress.flush()
        assert emf.values(server.recv(65536).decode()) == [{"Epoch": 1}]


@pytest.mark.parametrize(
    "endpoint", ["http://127.0.0.1:1", "tcp://127.0.0.1", "nonsense", "tcp://[::1"]
)
def test_an_endpoint_that_is_none_is_one_warning(
    endpoint: str, caplog: pytest.LogCaptureFixture
) -> None:
    progress = emit.Progress("w", "r", to=endpoint)
    for epoch in range(3):
        progress.log(epoch=epoch)
        progress.flush()
    assert len(warnings(caplog)) == 1


def test_a_bare_python_writes_its_last_sample_at_exit(tmp_path: Path) -> None:
    process = script(
        tmp_path,
        "progress = Progress('w', 'r')\nfor i in range(10): progress.log(epoch=i, loss=10 - i)\n",
    )
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, "")
    assert emf.values(out)[-1] == {"Epoch": 9, "Loss": 1}


def test_a_run_has_one_thread_however_many_objects_report_it(emitted: Emitted) -> None:
    """A new one for each epoch, say; what each has said is in the run's one next line."""
    before = threading.active_count()
    many = [emit.Progress("w", "r", samples_per_epoch=10) for _ in range(150)]
    for number, progress in enumerate(many):
        progress.log(epoch=number / 10)
    other = emit.Progress("w", "other")
    other.log(epoch=1)
    assert threading.active_count() == before + 2
    many[75].log(loss=0.5)
    many[75].flush()
    told = {"Epoch": 14.9, "Loss": 0.5, "SamplesPerEpoch": 10}
    (last,) = (each for each in emf.values(emitted()) if "Loss" in each)
    assert last == told


def test_half_a_line_of_the_scripts_own_spoils_nothing(tmp_path: Path) -> None:
    text = "import sys\nsys.stdout.write('step 1 ... ')\nsys.stdout.flush()\n"
    process = script(tmp_path, f"{text}Progress('w', 'r').log(epoch=1)\n")
    out, _ = process.communicate(timeout=30)
    assert emf.values(out) == [{"Epoch": 1}]


TRAINING = r"""
progress = Progress("w", "r")
progress.log(epoch=1)
progress.flush()
progress.log(epoch=2)
os.write(1, b"\nready\n")
while True: time.sleep(0.01)
"""


def test_sigterm_writes_the_last_sample_and_ends_the_process(tmp_path: Path) -> None:
    process = script(tmp_path, f"import os, time\n{TRAINING}")
    out = until_ready(process)
    process.send_signal(signal.SIGTERM)
    rest, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (-signal.SIGTERM, "")
    assert emf.values(out + rest) == [{"Epoch": 1}, {"Epoch": 2}]


def test_who_listened_to_sigterm_before_still_does(tmp_path: Path) -> None:
    own = "signal.signal(signal.SIGTERM, lambda *_: (os.write(1, b'checkpoint'), sys.exit(3)))"
    process = script(tmp_path, f"import os, signal, sys, time\n{own}\n{TRAINING}")
    out = until_ready(process)
    process.send_signal(signal.SIGTERM)
    rest, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (3, "")
    assert "checkpoint" in rest
    assert emf.values(out + rest) == [{"Epoch": 1}, {"Epoch": 2}]


def test_who_comes_to_listen_later_is_not_killed(tmp_path: Path) -> None:
    """As Lightning does: it calls the handler that it found, then goes on to stop in order."""
    later = """
found = signal.getsignal(signal.SIGTERM)
def both(number, frame):
    found(number, frame)
    os.write(1, b"stopped in order")
    sys.exit(0)
signal.signal(signal.SIGTERM, both)
"""
    begin, wait = TRAINING.split("os.write(")
    process = script(tmp_path, f"import os, signal, sys, time\n{begin}{later}os.write({wait}")
    out = until_ready(process)
    process.send_signal(signal.SIGTERM)
    rest, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "stopped in order" in rest
    assert emf.values(out + rest) == [{"Epoch": 1}, {"Epoch": 2}]


def test_a_thread_may_report_first(tmp_path: Path) -> None:
    text = """
import threading
progress = Progress("w", "r")
thread = threading.Thread(target=lambda: progress.log(epoch=1))
thread.start(); thread.join()
"""
    out, err = script(tmp_path, text).communicate(timeout=30)
    assert (emf.values(out), err) == ([{"Epoch": 1}], "")


def test_sigterm_is_heard_after_a_thread_reported_first(tmp_path: Path) -> None:
    text = """
import os, signal, threading
progress = Progress("w", "r")
thread = threading.Thread(target=lambda: progress.log(epoch=1))
thread.start(); thread.join()
progress.flush()
progress.log(epoch=2)
os.kill(os.getpid(), signal.SIGTERM)
"""
    process = script(tmp_path, text)
    out, err = process.communicate(timeout=30)
    assert (emf.values(out), err) == ([{"Epoch": 1}, {"Epoch": 2}], "")
    assert process.returncode == -signal.SIGTERM


@pytest.mark.parametrize("every", ["60", "soon", float("inf"), float("nan"), None])
def test_a_mistaken_argument_is_one_warning(
    every: float, emitted: Emitted, caplog: pytest.LogCaptureFixture
) -> None:
    progress = emit.Progress("w", "r", every=every, samples_per_epoch="many")  # type: ignore[arg-type]
    progress.log(1.5, 2.25)
    progress.flush()
    assert emf.values(emitted()) == [{"Epoch": 1.5}]
    said = warnings(caplog)
    assert len(said) == 2 + (every != "60")
    assert any("by name: 2.25" in line for line in said)


def test_an_epoch_of_lightning_is_whole_when_it_is_and_a_loss_is_no_part(emitted: Emitted) -> None:
    progress = emit.Progress("w", "r")
    callback = emit.Lightning.__new__(emit.Lightning, progress)
    callback.__init__(progress)
    trainer = SimpleNamespace(
        is_global_zero=True,
        current_epoch=0,
        num_training_batches=10,
        accumulate_grad_batches=4,
        is_last_batch=False,
    )
    callback.on_train_batch_end(trainer, None, {"loss": 0.5}, None, 4)
    callback.on_train_epoch_end(trainer, None)
    callback.on_train_end(trainer, None)
    assert emf.values(emitted()) == [{"Epoch": 0.5, "Loss": 2.0}]


@pytest.mark.parametrize(
    ("step", "epoch", "told"),
    [(0, 0, [{"Epoch": 0}, {"Epoch": 0.5}]), (25, 2, [{"Epoch": 2.5}])],
)
def test_lightning_that_goes_on_from_a_checkpoint_falls_back_by_no_part_of_an_epoch(
    emitted: Emitted, step: int, epoch: int, told: object
) -> None:
    """It goes on with batch 4 of epoch 2: had it reported 2, half an epoch would be repeated."""
    progress = emit.Progress("w", "r")
    callback = emit.Lightning.__new__(emit.Lightning, progress)
    callback.__init__(progress)
    trainer = SimpleNamespace(
        is_global_zero=True,
        current_epoch=epoch,
        global_step=step,
        num_training_batches=10,
        accumulate_grad_batches=1,
    )
    callback.on_train_start(trainer, None)
    progress.flush()
    callback.on_train_batch_end(trainer, None, None, None, 4)
    callback.on_train_end(trainer, None)
    assert emf.values(emitted()) == told


@pytest.mark.parametrize(
    ("planned", "told"),
    [
        (3, [{"Epoch": 0.25, "Loss": 2.5, "Tokens": 4096}]),
        (sys.maxsize, [{"Loss": 2.5, "Tokens": 4096}]),
    ],
)
def test_a_share_of_hugging_faces_max_steps_is_no_epoch(
    emitted: Emitted, caplog: pytest.LogCaptureFixture, planned: int, told: object
) -> None:
    """Of a stream it plans `sys.maxsize` epochs, and an epoch is the share of `max_steps`."""
    progress = emit.Progress("w", "r")
    callback = emit.HuggingFace.__new__(emit.HuggingFace, progress)
    callback.__init__(progress)
    state = SimpleNamespace(
        is_world_process_zero=True,
        epoch=0.25,
        num_train_epochs=planned,
        num_input_tokens_seen=4096,
    )
    callback.on_log(None, state, None, logs={"loss": 2.5})
    progress.flush()
    assert emf.values(emitted()) == told
    assert len(warnings(caplog)) == (planned == sys.maxsize)


def test_a_forked_worker_says_nothing_of_its_parents(tmp_path: Path) -> None:
    text = """
import os, sys
progress = Progress("w", "r")
progress.log(epoch=1)
progress.flush()
progress.log(epoch=2)
child = os.fork()
if not child:
    sys.exit(0)
os.waitpid(child, 0)
"""
    out, err = script(tmp_path, text).communicate(timeout=30)
    assert (emf.values(out), err) == ([{"Epoch": 1}, {"Epoch": 2}], "")


def test_a_full_pipe_stops_neither_training_nor_the_exit(tmp_path: Path) -> None:
    text = """
import os, sys
os.set_blocking(1, False)
try:
    while True: os.write(1, b"x" * 4096)
except BlockingIOError:
    os.set_blocking(1, True)
progress = Progress("w", "r")
for step in range(100_000): progress.log(epoch=step)
sys.stderr.write("trained")
"""
    process = script(tmp_path, text)
    assert process.wait(timeout=60) == 0
    assert process.stderr
    said = process.stderr.read()
    assert said.startswith("trained")
    assert said.count("could not be written") == 1
    process.communicate()


def test_a_closed_pipe_is_one_warning(tmp_path: Path) -> None:
    text = """
import os
os.close(1)
progress = Progress("w", "r")
for step in range(3):
    progress.log(epoch=step)
    progress.flush()
"""
    process = script(tmp_path, text)
    _, err = process.communicate(timeout=30)
    assert process.returncode in (0, 120)
    assert err.count("training goes on") == 1


def test_the_file_needs_nothing_but_python_3_9() -> None:
    tree = ast.parse(FILE.read_text(encoding="utf-8"), feature_version=(3, 9))
    found = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in (
            [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        )
    }
    assert found <= sys.stdlib_module_names | {"__future__"}


def until_ready(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    lines: list[str] = []
    while "ready\n" not in lines:
        lines.append(process.stdout.readline())
        assert lines[-1], process.communicate()[1]
    return "".join(lines)

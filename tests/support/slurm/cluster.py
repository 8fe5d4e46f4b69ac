"""A real Slurm on loopback: munge, MariaDB, slurmdbd, slurmctld, and a slurmd per node.

Nodes are processes of this machine that claim the accelerators of others; jobs really run. Needs
Debian's packages slurmctld, slurmd, slurmdbd, slurm-client, mariadb-server and munge.
"""

from __future__ import annotations

import getpass
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, time

from tests.support.dashboard.server import free_port

PATIENCE = 240.0
NODES = ("p5-st-1", "p5-st-2", "trn1-dy-1", "trn1-dy-2")
DATABASE = """AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
DbdHost=localhost
DbdPort={dbd}
SlurmUser={user}
LogFile={folder}/slurmdbd.log
PidFile={folder}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={sql}
StorageUser=slurm
StoragePass=x
"""
CLUSTER = """ClusterName=atlas
SlurmctldHost=localhost
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmctldPort={ctld}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmdSpoolDir={folder}/spool-%n
StateSaveLocation={folder}/state
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu,neuron
SchedulerParameters=sched_interval=1,bf_interval=1
KillWait=1
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePort={dbd}
AccountingStoragePass={folder}/munge.socket
AccountingStorageTRES=gres/gpu,gres/gpu:h100,gres/neuron
AccountingStoreFlags=job_comment
JobAcctGatherType=jobacct_gather/none
NodeName=DEFAULT RealMemory=1000
NodeName=p5-st-1 NodeHostname=localhost Port={n0} CPUs=192 Gres=gpu:h100:8
NodeName=p5-st-2 NodeHostname=localhost Port={n1} CPUs=192 Gres=gpu:h100:8
NodeName=trn1-dy-1 NodeHostname=localhost Port={n2} CPUs=128 Gres=neuron:16
NodeName=trn1-dy-2 NodeHostname=localhost Port={n3} CPUs=128 Gres=neuron:16
PartitionName=p5 Nodes=p5-st-[1-2] Default=YES
PartitionName=trn1 Nodes=trn1-dy-[1-2]
"""
GRES = """NodeName=p5-st-[1-2] Name=gpu Type=h100 File={folder}/gpu[0-7]
NodeName=trn1-dy-[1-2] Name=neuron Count=16 Flags=CountOnly
"""


@dataclass(frozen=True)
class Cluster:
    """A running Slurm: what its commands answer."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """That of every command: where its configuration is."""
        path = f"{os.environ['PATH']}:/usr/sbin"
        return {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": path}

    def ask(self, *command: str) -> str:
        """What a command of Slurm prints."""
        return subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=True
        ).stdout.strip()

    def submit(self, *options: str) -> str:
        """Submits a batch job that writes nothing, and returns its id."""
        return self.ask("sbatch", "--parsable", "-o", "/dev/null", *options)

    def requeue(self, number: str) -> None:
        """Requeues a job that ran a while, and starts it again: it would wait for minutes.

        Of a job that is requeued as soon as it began, slurmdbd may know the end as its beginning;
        and one that is started in the second in which its node ended it is refused there.
        """
        self.wait_while(number, seconds=4)
        self.ask("scontrol", "requeue", number)
        until(lambda: "REQUEUED" in self.states(number), lambda: f"{self.states(number)}")
        completing = ("squeue", "-h", "-t", "COMPLETING", "-j", number)
        until(lambda: not self.ask(*completing), lambda: f"{number} is completing")
        ended = int(time())
        until(lambda: bool(self.states(number)) and time() >= ended + 1, lambda: "one second")
        self.wait_while(number, "scontrol", "update", f"jobid={number}", "starttime=now")

    def wait_while(self, number: str, *command: str, seconds: int = 1) -> None:
        """Waits until a job ran for some seconds: what ran for none held nothing."""

        def ran() -> bool:
            _works(self, *(command or ("true",)))
            last = self.ask("sacct", "-XPn", "-j", number, "-o", "State,ElapsedRaw")
            state, _, elapsed = last.partition("|")
            return state == "RUNNING" and int(elapsed) >= seconds

        until(ran, lambda: f"{self.states(number)} of {number}")

    def script(self, folder: Path, *options: str) -> None:
        """Runs our script of the head node."""
        path = Path(__file__).parents[3] / "deploy/slurm/breakeven_slurm.py"
        self.ask(sys.executable, str(path), str(folder), *options)

    def states(self, number: str) -> tuple[str, ...]:
        """States of a job's attempts, as accounting has them by now."""
        said = self.ask("sacct", "-XDPn", "-j", number, "-o", "State")
        return tuple(line.split()[0] for line in said.splitlines())

    def wait_for(self, number: str, *states: str) -> None:
        """Waits until accounting has these states of a job's attempts."""
        until(lambda: self.states(number) == states, lambda: f"{self.states(number)} of {number}")


def until(holds: Callable[[], bool], what: Callable[[], str]) -> None:
    """Asks again and again, as each asking takes its time; then says what is the case."""
    end = monotonic() + PATIENCE
    while not holds():
        assert monotonic() < end, what()


@contextmanager
def running(folder: Path) -> Iterator[Cluster]:
    """Starts a cluster in an empty folder, and ends its processes."""
    cluster = Cluster(folder)
    _configure(folder)
    with ExitStack() as processes:

        def start(*command: str) -> None:
            log = processes.enter_context((folder / f"{Path(command[0]).name}.out").open("ab"))
            process = subprocess.Popen(
                command, env=cluster.environment, stdout=log, stderr=log, cwd=folder
            )
            processes.callback(process.wait)
            processes.callback(process.terminate)

        _start_database(cluster, start)
        start("slurmdbd", "-D")
        until(lambda: _works(cluster, "sacctmgr", "-n", "show", "cluster"), lambda: "no slurmdbd")
        _works(cluster, "sacctmgr", "-iQ", "add", "cluster", "atlas")
        start("slurmctld", "-D")
        for node in NODES:
            (folder / f"spool-{node}").mkdir()
            start("slurmd", "-D", "-N", node)
        until(
            lambda: cluster.ask("sinfo", "-hN", "-t", "idle").count("idle") == len(NODES),
            lambda: cluster.ask("sinfo", "-N"),
        )
        yield cluster


def _configure(folder: Path) -> None:
    names = ("sql", "dbd", "ctld", *(f"n{number}" for number in range(len(NODES))))
    ports = {name: free_port() for name in names}
    about = {"folder": folder, "user": getpass.getuser(), **ports}
    for name, text in (("slurmdbd", DATABASE), ("slurm", CLUSTER), ("gres", GRES)):
        path = folder / f"{name}.conf"
        path.write_text(text.format_map(about))
        path.chmod(0o600)
    (folder / "state").mkdir()
    for number in range(8):
        (folder / f"gpu{number}").touch()
    (folder / "munge.key").write_bytes(os.urandom(1024))
    (folder / "munge.key").chmod(0o400)
    (folder / "port").write_text(str(ports["sql"]))


def _start_database(cluster: Cluster, start: Callable[..., None]) -> None:
    folder, user = cluster.folder, getpass.getuser()
    base = "--no-defaults", f"--user={user}", f"--datadir={folder}/db"
    cluster.ask(
        *("mariadb-install-db", *base, "--skip-test-db", "--auth-root-authentication-method=normal")
    )
    socket, port = f"--socket={folder}/db.socket", (folder / "port").read_text()
    start(
        *("mariadbd", *base, socket, f"--port={port}", "--bind-address=127.0.0.1"),
        *(f"--pid-file={folder}/db.pid", "--innodb-buffer-pool-size=64M"),
    )
    files = ("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"), ("seed-file", "seed")
    named = [f"--{option}={folder}/munge.{end}" for option, end in files]
    start("munged", "--foreground", "--force", *named, f"--log-file={folder}/munge.log")
    query = ("mariadb", "--no-defaults", socket, f"-u{user}", "-e")
    until(lambda: _works(cluster, *query, "select 1"), lambda: "no mariadbd")
    for host in ("localhost", "%"):
        cluster.ask(*query, f"create user slurm@'{host}' identified by 'x'")
        cluster.ask(*query, f"grant all on *.* to slurm@'{host}'")


def _works(cluster: Cluster, *command: str) -> bool:
    done = subprocess.run(command, env=cluster.environment, capture_output=True, check=False)
    return done.returncode == 0

"""A training run as it was planned, and how it went: work, restarts, idle time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from generator.timeline import to_step
from generator.workloads import Workload

START_UP = 0.6
"""Hours from launch to the first step: provisioning, compiling, loading data."""
SHUT_DOWN = 0.2
RECOVERY = 0.5
"""Hours lost at a restart, before training goes on from the last checkpoint."""


@dataclass(frozen=True)
class Run:
    """One run. Epochs count from `start_epoch`; a restart falls back by some epochs."""

    name: str
    workload: Workload
    instance_type: str
    start: datetime
    epochs: float
    purpose: str = "production"
    recipe: str = ""
    purchase: str = "on_demand"
    start_epoch: float = 0.0
    declares_start: bool = False
    resumed_from: str = ""
    stops_at: float | None = None
    restarts: tuple[tuple[float, float], ...] = ()
    logs_from: float = 0.0
    loss_offset: float = 0.0
    reserved_before: timedelta = timedelta()
    evaluates_on: str = ""

    @property
    def trainium(self) -> bool:
        """Whether the run is on Trainium."""
        return self.instance_type.startswith("trn")

    @property
    def hours_per_epoch(self) -> float:
        """Wall hours for one epoch on all nodes, with a few percent of luck."""
        luck = Random(f"speed {self.name}").uniform(-0.02, 0.02)
        rate = self.workload.rate(self.instance_type, self.start.date())
        seconds = self.workload.samples_per_epoch / (rate * self.workload.nodes * (1 + luck))
        return seconds / 3600

    @property
    def last_epoch(self) -> float:
        """The epoch at which a run stops: the last one planned, unless it is stopped before."""
        return self.epochs if self.stops_at is None else self.stops_at

    @property
    def end(self) -> datetime:
        """When a run's instances were stopped, rounded up to the step of billing."""
        *_, last = self.stretches()
        return to_step(self.start + timedelta(hours=last.end + SHUT_DOWN))

    def stretches(self) -> Iterator[Stretch]:
        """Yields the spans of training between restarts, in order."""
        clock, epoch = START_UP, self.start_epoch
        for stop, lost in (*self.restarts, (self.last_epoch, 0.0)):
            end = clock + (stop - epoch) * self.hours_per_epoch
            yield Stretch(clock, end, epoch, stop)
            clock, epoch = end + RECOVERY, stop - lost

    def loss(self, epoch: float) -> float:
        """The simulated loss at an epoch: a falling curve with noise, and a sharp last descent."""
        done = min(epoch / self.epochs, 1.0)
        shape = 1 + 0.35 * math.exp(-6 * done) + 0.03 * math.sqrt(1 - done)
        noise = Random(f"loss {self.name} {epoch:.4f}").gauss(0, 0.0004)
        luck = Random(f"quality {self.name}").uniform(-1, 1) * self.workload.loss_spread
        return self.workload.final_loss * (shape + noise + luck + self.loss_offset)


@dataclass(frozen=True)
class Stretch:
    """A span of uninterrupted training: its first and last hour since launch, and epoch."""

    start: float
    end: float
    first_epoch: float
    last_epoch: float

    def epoch_at(self, hours: float) -> float:
        """Returns the epoch that training has reached at some hours after launch."""
        if self.end <= self.start:
            return self.first_epoch
        share = (hours - self.start) / (self.end - self.start)
        return self.first_epoch + share * (self.last_epoch - self.first_epoch)


def spread(first: datetime, last: datetime, count: int, name: str) -> Iterator[datetime]:
    """Yields launch times of `count` runs from first to last, unevenly spaced, on quarter hours."""
    for index in range(count):
        share = index / max(count - 1, 1)
        wobble = Random(f"launch {name} {index}").uniform(-10, 10) if 0 < index < count - 1 else 0.0
        moment = first + share * (last - first) + timedelta(hours=wobble)
        quarter = timedelta(minutes=15)
        yield moment - (moment - datetime(2025, 1, 1)) % quarter

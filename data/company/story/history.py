"""Defines the runs that the demo company has beyond the sample's, from November 2024 on."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta

from generator.history import series
from generator.runs import Run
from generator.timeline import at, next_month
from generator.workloads import A100_40, A100_80, PLATFORM, TRN

from story.workloads import ATLAS_ON_GPU, ATLAS_ON_TRN2, CINDER, EMBER, FLINT, H100, H200, TRN2

TAGGED_FROM = at("2025-02-01T00:00")
"""Before, nobody had activated a tag: `[[tag_rules]]` say whose these machines were."""
FORGE_MONTHS = (date(2026, 1, 1), date(2026, 10, 1))
FORGE_STARTS = (timedelta(days=1, hours=8), timedelta(days=3, hours=14), timedelta(days=6, hours=5))


def ember() -> list[Run]:
    """Returns runs of a workload that stays on GPU: untagged, tagged, as pods, in a block."""
    untagged = series(EMBER, "u", A100_40, 4, "2024-11-06T06:00", "2025-01-20T06:00", 4)
    on_p4d = series(EMBER, "d", A100_40, 4, "2025-02-10T06:00", "2025-04-22T06:00", 4)
    on_p5 = series(EMBER, "h", H100, 4, "2025-06-09T06:00", "2026-07-20T06:00", 19)
    in_block = Run("ember-b01", replace(EMBER, account=PLATFORM), H100, BLOCK_STARTS, 4)
    return [*untagged, *on_p4d, *on_p5, *pods(), replace(in_block, recipe="pretrain")]


BLOCK_STARTS = at("2026-08-12T12:00")


def pods() -> list[Run]:
    """Returns a workload's runs as pods on an EKS cluster, whose machines have no run tag."""
    return list(series(EMBER, "k", H100, 4, "2026-08-05T06:00", "2026-10-20T06:00", 5))


def cinder() -> list[Run]:
    """Returns runs of a workload that stays on GPU: tagged ones in 2025, then Slurm jobs."""
    return [*series(CINDER, "g", A100_40, 2, "2025-06-03T06:00", "2025-12-16T06:00", 8), *jobs()]


def jobs() -> list[Run]:
    """Returns a workload's runs as Slurm jobs: three a month from January to October 2026."""
    return [
        Run(f"cinder-f{number:02}", CINDER, A100_40, start, 2, recipe=CINDER.recipe)
        for number, start in enumerate(_starts(), 1)
    ]


def _starts() -> Iterator[datetime]:
    month, last = FORGE_MONTHS
    while month <= last:
        for after in FORGE_STARTS:
            yield datetime(month.year, month.month, 1) + after
        month = next_month(month)


def flint() -> list[Run]:
    """Returns runs of a workload that moved from p5e to trn1 in March 2026 and broke even.

    No on-demand price of p5e is public.
    """
    gpu = series(FLINT, "g", H200, 4, "2025-10-07T06:00", "2026-02-17T06:00", 6)
    trn = series(FLINT, "t", TRN, 4, "2026-03-10T06:00", "2026-10-19T06:00", 14)
    return [*gpu, *trn]


def benchmarks() -> list[Run]:
    """Returns short benchmark runs of the same work on GPU and Trainium machines."""
    return [
        _benchmark("ember-bench-p5", EMBER, H100, "2026-10-14T09:00", 0.1),
        _benchmark("ember-bench-trn1", EMBER, TRN, "2026-10-14T09:00", 0.04),
        _benchmark("atlas-bench-p4de", ATLAS_ON_GPU, A100_80, "2026-09-14T12:00", 0.04),
        _benchmark("atlas-bench-trn2", ATLAS_ON_TRN2, TRN2, "2026-09-14T12:00", 0.2),
    ]


def _benchmark(name: str, workload: object, machine: str, start: str, epochs: float) -> Run:
    made = Run(name, workload, machine, at(start), epochs, purpose="benchmark")
    return replace(made, recipe=made.workload.recipe)


def further_runs() -> list[Run]:
    """Returns all runs that the demo company has beyond the sample's."""
    return [*ember(), *cinder(), *flint(), *benchmarks()]

"""W&B end to end: a bill, runs of a GPU and of Trainium, and what an epoch cost on each."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from tests.support.some_marts import some_marts
from tests.support.wandb.server import WandBServer
from tests.support.world import World


def test_an_epoch_costs_what_the_bill_charges_for_it(wandb: WandBServer, tmp_path: Path) -> None:
    """10 hours at $30 for 4 epochs are $75 each; 20 hours at $10, resumed, for 5 are $40 each."""
    world = World(tmp_path)
    (tmp_path / "key").write_text(wandb.key)
    hours = (("gpu", "p4d.24xlarge", 10, 30), ("trn", "trn1.32xlarge", 20, 10))
    for name, machine, held, rate in hours:
        tags = {"workload": "atlas-7b", "run": name}
        world.hours("2025-10-20T00:00:00", held, machine, rate, tags)
    gpu = wandb.run("pretrain", "gpu", "2025-10-20T00:00:00", "workload:atlas-7b")
    trn = wandb.run("pretrain", "gifted-crab-7", "2025-10-20T00:00:00", workload="atlas-7b")
    trn.tags.append("run=trn")
    for run, samples in ((gpu, ((1, 0), (10, 4))), (trn, ((1, 0), (8, 3), (9, 2.5), (20, 5)))):
        for hour, epoch in samples:
            run.log(f"2025-10-20T{hour:02}:00:00", **{"train/epoch": epoch, "loss": 2.0})
    source = {"kind": "wandb", "location": wandb.url, "entity": "team", "token_file": "key"}
    metrics = {"epoch": "train/epoch"}
    bill = {"kind": "focus", "location": "bill.csv"}
    settings = world.pulled(sources=[bill, source | {"metrics": metrics}], as_of="2025-10-31")
    found = some_marts(settings, "runs").rows(
        "SELECT run, cost, epochs, cost_per_epoch FROM runs ORDER BY run"
    )
    assert [tuple(row.values()) for row in found] == [
        ("gpu", Decimal(300), Decimal(4), Decimal(75)),
        ("trn", Decimal(200), Decimal(5), Decimal(40)),
    ]

"""W&B's own client is content with the server of these tests, and reads there what we read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC
from math import nan
from pathlib import Path
from typing import Any

import pytest

from tests.ingest.sources.progress.wandb.conftest import Reading
from tests.ingest.sources.progress.wandb.pulls import brought, samples
from tests.support.wandb import client
from tests.support.wandb.pinned import wandb_client
from tests.support.wandb.server import WandBServer

pytestmark = pytest.mark.systems


def read_by_client(wandb: WandBServer, folder: Path, page: int) -> list[dict[str, Any]]:
    places = dict.fromkeys(
        ("HOME", "WANDB_DIR", "WANDB_CACHE_DIR", "WANDB_CONFIG_DIR"), f"{folder}"
    )
    told = {"WANDB_BASE_URL": wandb.url, "WANDB_API_KEY": wandb.key}
    environment = {**os.environ, **places, **told, "PYTHONPATH": f"{wandb_client()}"}
    environment |= {"WANDB_ERROR_REPORTING": "false"}
    command = [sys.executable, client.__file__, wandb.entity, f"{page}"]
    done = subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_the_client_reads_of_this_server_what_we_read(
    wandb: WandBServer, reading: Reading, tmp_path: Path
) -> None:
    for number in range(3):
        about = (f"crab-{number}", f"2025-10-2{number}T00:00:00")
        run = wandb.run("pretrain", *about, f"run=r{number}", workload="w", lr=0.1)
        for hour in range(10):
            loss = nan if hour == 4 else 3 - hour / 10
            run.log(f"2025-10-2{number}T0{hour}:00:00", 3 * hour, loss=loss, epoch=hour)
    told = read_by_client(wandb, tmp_path, 4)
    assert [one["run"] for one in told] == ["crab-0", "crab-1", "crab-2"]
    assert told[0]["config"] == {"workload": "w", "lr": 0.1}
    assert told[0]["sampled"] == 4
    theirs = [
        (f"r{number}", row["_timestamp"], f"{float(row['loss'])}")
        for number, one in enumerate(told)
        for row in one["rows"]
    ]
    config = reading("pretrain")
    brought(config)
    ours = [
        (row["run"], row["observed_at"].replace(tzinfo=UTC).timestamp(), f"{row['loss']}")
        for row in samples(config)
    ]
    assert ours == theirs
    assert len(ours) == 30

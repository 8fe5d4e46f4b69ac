"""The demo company, restored and built by the first of all test processes that asks for it."""

from __future__ import annotations

import os

import pytest
from filelock import FileLock

from breakeven.verbs.demo import COMPANY, restore_company
from models.config.loading import load
from models.config.settings import Settings
from models.engine import build
from models.engine.warehouse.snapshots import Snapshots

TEXT = COMPANY.read_text(encoding="utf-8").replace("../demo/warehouse", "warehouse")
"""Its config, with the warehouse beside it."""


def built(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The settings of its folder, in which a snapshot is published."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    folder = shared / "company"
    with FileLock(folder.with_suffix(".lock")):
        settings = load(COMPANY, {"BREAKEVEN_WAREHOUSE__PATH": f"{folder}/warehouse.duckdb"})
        if Snapshots(settings.data / "snapshots").current() is None:
            folder.mkdir(exist_ok=True)
            restore_company(settings)
            build.build(settings)
    return settings

"""What is said of a warehouse that cannot be opened, and never to delete what is no warehouse."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.contract.errors import StorageError
from models.engine.warehouse import connection


def refused(path: Path) -> str:
    with pytest.raises(StorageError) as error, connection.writer(path):
        pass
    return error.value.remedy


def test_a_damaged_warehouse_is_to_be_deleted_and_a_folder_is_not(tmp_path: Path) -> None:
    damaged = tmp_path / "warehouse.duckdb"
    damaged.write_bytes(b"x" * 20_000)
    assert "delete it" in refused(damaged)
    assert refused(tmp_path) == "set warehouse.path to a file of its own"

"""Tables of what runs logged hold a text once, and are plain columns to who reads their files."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.trackers.run_tables import encoded, read_tables, run_table, write_tables

PLAIN = pa.schema([("run_id", pa.string()), ("Tags", pa.string()), ("step", pa.int64())])
SCHEMA = encoded(PLAIN)
CONFIG = "x" * 5000


def test_a_text_that_many_rows_have_is_held_once(tmp_path: Path) -> None:
    steps = list(range(10_000))
    table = run_table(SCHEMA, {"run_id": "a", "Tags": CONFIG}, {"step": steps})
    assert table.nbytes < 200_000
    path = tmp_path / "a.parquet"
    write_tables([table], SCHEMA, path)
    assert path.stat().st_size < 100_000
    assert pq.read_table(path).schema.equals(PLAIN)
    again = read_tables([path], SCHEMA)
    assert again.nbytes < 200_000
    assert again.equals(table)


def test_rows_of_several_runs_stay_in_their_order(tmp_path: Path) -> None:
    first = run_table(SCHEMA, {"run_id": "a", "Tags": None}, {"step": [3, None]})
    second = run_table(SCHEMA, {"run_id": "b", "Tags": "{}"}, {"step": [1]})
    write_tables([first, second, first], SCHEMA, tmp_path / "a.parquet")
    rows = [
        tuple(row.values()) for row in read_tables([tmp_path / "a.parquet"], SCHEMA).to_pylist()
    ]
    of_first = [("a", None, 3), ("a", None, None)]
    assert rows == [*of_first, ("b", "{}", 1), *of_first]


def test_a_file_without_a_newer_column_has_nothing_in_it(tmp_path: Path) -> None:
    older = pa.table({"run_id": ["a"], "step": [1]})
    pq.write_table(older, tmp_path / "a.parquet")
    assert read_tables([tmp_path / "a.parquet"], SCHEMA).to_pylist() == [
        {"run_id": "a", "Tags": None, "step": 1}
    ]
    assert read_tables([], SCHEMA).num_rows == 0

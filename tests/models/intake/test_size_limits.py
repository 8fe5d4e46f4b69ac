"""A small file that would become an enormous one is refused before it fills memory or disk."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from models.contract.errors import InputError
from models.intake.size_limits import refuse_large_parquet, refuse_packed_bomb
from models.intake.text_to_parquet import csv_to_parquet, jsonl_to_parquet

REMEDY = "(correct what writes it, then deliver it again)"
BOMB = f"bill: the file expands to more than 200 times its size {REMEDY}"


def written(path: Path, **columns: pa.Array) -> Path:
    pq.write_table(pa.table(columns), path, compression="zstd")
    return path


@pytest.mark.parametrize("convert", [csv_to_parquet, jsonl_to_parquet])
def test_a_packed_file_that_expands_200_times_is_refused_and_nothing_is_written(
    tmp_path: Path, convert: type
) -> None:
    name = "a.csv.gz" if convert is csv_to_parquet else "a.jsonl.gz"
    line = b"1,2,3\n" if convert is csv_to_parquet else b'{"a": 1}\n'
    (tmp_path / name).write_bytes(gzip.compress(line * 2_000_000))
    with pytest.raises(InputError) as refused:
        convert(tmp_path / name, tmp_path / "a.parquet", origin="bill")
    assert str(refused.value) == BOMB
    assert not (tmp_path / "a.parquet").exists()


def test_damaged_gzip_data_is_left_to_who_reads_it_next(tmp_path: Path) -> None:
    for content in (b"a,b\n", gzip.compress(b"a,b\n" * 9)[:-9]):
        (tmp_path / "a.csv.gz").write_bytes(content)
        refuse_packed_bomb(tmp_path / "a.csv.gz", "bill")


def test_parquet_that_expands_200_times_is_refused(tmp_path: Path) -> None:
    zeros = pa.array([b"\0" * 100_000 for _ in range(100)])
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": zeros}), path, compression="zstd", use_dictionary=False)
    with pytest.raises(InputError) as refused:
        refuse_large_parquet(path, "bill")
    assert str(refused.value) == BOMB


NOISE = "".join(f"{n * n:x}" for n in range(200_000))


@pytest.mark.parametrize(
    ("length", "refused"), [(1 << 20, False), ((1 << 20) + 1, True)], ids=["1 MiB", "more"]
)
@pytest.mark.parametrize("shape", ["text", "dictionary", "map"])
def test_a_value_over_1_mib_is_refused_wherever_it_stands(
    tmp_path: Path, length: int, refused: bool, shape: str
) -> None:
    texts = ["short", NOISE[:length], None]
    column = {
        "text": lambda: pa.array(texts),
        "dictionary": lambda: pa.array(texts * 3).dictionary_encode(),
        "map": lambda: pa.array(
            [[("k", text)] for text in texts], pa.map_(pa.string(), pa.string())
        ),
    }[shape]()
    path = written(tmp_path / "a.parquet", Tags=column)
    if not refused:
        refuse_large_parquet(path, "bill")
        return
    with pytest.raises(InputError) as caught:
        refuse_large_parquet(path, "bill")
    assert str(caught.value) == f"bill: a value of Tags: longer than 1 MiB {REMEDY}"


def test_a_csv_field_of_many_mib_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"a,b\n1,2\n3,{NOISE * 3}\n")
    with pytest.raises(InputError) as refused:
        csv_to_parquet(tmp_path / "a.csv", tmp_path / "a.parquet", origin="bill")
    assert str(refused.value) == (
        "cannot read bill: line 3 is longer than 2 MiB (correct the file and deliver it again)"
    )

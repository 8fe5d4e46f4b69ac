"""What an earlier version made can be opened, proved and built again by this one.

`tests/fixtures/<version>/MANIFEST.md` says what is kept there and how that version made it. Worlds
are copied before use: nothing is ever written beside what is kept.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from breakeven import main
from models.contract.schema import DELIVERED
from models.records.canonical_json import canonical_sha256
from tests.support.earlier_versions import unpacked
from tests.support.world import one_core


def run(world: Path, verb: str, *arguments: str) -> Result:
    """The verb with the config of a world; it must come to a good end."""
    config = ["--config", str(world / "breakeven.toml")]
    with one_core():
        result = CliRunner().invoke(main, [verb, *config, *arguments])
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture(scope="module")
def closes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two closed months of the sample, with the deliveries that they name and nothing else."""
    return unpacked("closes", tmp_path_factory.mktemp("closes"))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small world as it was left: nothing is built in it."""
    return unpacked("small", tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What was exported of the small world."""
    return unpacked("exports", tmp_path_factory.mktemp("exports"))


def marts(exports: Path) -> list[Path]:
    """The kept rows of each mart, and of what was delivered."""
    found = [path for path in sorted(exports.glob("*.json")) if "statement-" not in path.name]
    assert len(found) == 19
    return found


def alike(told: Path, kept: Path) -> None:
    """The same bytes; of Parquet the same rows, for its bytes are its writer's own."""
    if told.suffix == ".parquet":
        assert pq.read_table(told).equals(pq.read_table(kept)), kept.name
    else:
        assert told.read_bytes() == kept.read_bytes(), kept.name


BY_EDITION = (
    "baselines", "break_even", "cost_per_epoch", "further_baselines", "monthly_summary", "runs",
    "savings_daily",
)  # fmt: skip
"""What the second edition of the method computes otherwise: what was closed of it is as it was."""


def same_rows(world: Path, exports: Path) -> None:
    """What the bill and progress say has the rows that it had, in every column that it had."""
    for path in marts(exports):
        if path.stem in BY_EDITION:
            continue
        told = json.loads(run(world, "export", path.stem, "--format", "json").stdout)
        kept = json.loads(path.read_text(encoding="utf-8"))
        assert len(told) == len(kept), path.stem
        for now, then in zip(told, kept, strict=True):
            assert {name: now.get(name, "gone") for name in then} == then, path.stem


@pytest.mark.parametrize("month", ["2026-01", "2026-02"])
def test_a_month_that_was_closed_is_verified(closes: Path, month: str) -> None:
    said = run(closes, "verify", month).stdout
    assert said.startswith(f"{month} version 1: as closed by J. Doe, Controlling")
    assert "computed by edition 1 of the method, its file and its 20 deliveries are as they" in said


@pytest.mark.parametrize("version", [1, 2])
def test_each_version_of_a_month_is_verified(small: Path, version: int) -> None:
    said = run(small, "verify", "2025-09", "--version", str(version)).stdout
    assert said.startswith(f"2025-09 version {version}: as closed by J. Doe, Controlling")
    assert "computed by edition 1 of the method, its file and its 3 deliveries are as they" in said


def test_a_close_after_the_method_changed_asks_for_consent_once(closes: Path) -> None:
    said = run(closes, "close", "2026-03", "--check").stdout
    assert "edition    NOT MET    closed months are of edition 1 of the method" in said
    assert "--edition 2 acknowledges it" in said
    said = run(closes, "close", "2026-03", "--check", "--edition", "2").stdout
    assert "edition    explained" in said
    assert "(edition 2 is acknowledged)" in said


@pytest.mark.parametrize("version", [1, 2])
def test_the_statement_of_a_closed_month_is_told_as_it_was(
    small: Path, exports: Path, tmp_path: Path, version: int
) -> None:
    told, named = tmp_path / "told.json", ("--version", str(version), "--format", "json")
    run(small, "export", "statement", "--month", "2025-09", *named, "--output", str(told))
    alike(told, exports / f"statement-2025-09-v{version}.json")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_files_of_a_statement_are_told_as_they_were(
    small: Path, exports: Path, tmp_path: Path, kind: str
) -> None:
    files, named = tmp_path / "told.zip", ("--format", kind, "--output", str(tmp_path / "told.zip"))
    run(small, "export", "statement", "--month", "2025-09", *named)
    shutil.unpack_archive(files, tmp_path / "told")
    shutil.unpack_archive(exports / f"statement-2025-09-v2.{kind}", tmp_path / "kept", "zip")
    kept = sorted((tmp_path / "kept").iterdir())
    assert f"summary.{kind}" in {path.name for path in kept}
    for path in kept:
        alike(tmp_path / "told" / path.name, path)


def test_a_snapshot_that_lacks_new_columns_says_what_to_do(small: Path) -> None:
    config = ["--config", str(small / "breakeven.toml")]
    result = CliRunner().invoke(main, ["export", "monthly_summary", *config])
    assert result.exit_code == 1
    assert "the snapshot was published by another version and lacks what this one" in result.output
    assert "(run `breakeven build`)" in result.output


def test_what_was_delivered_is_exported_as_it_was(
    small: Path, exports: Path, tmp_path: Path
) -> None:
    for name in set(DELIVERED) - {"allocations"}:  # which came later
        told = json.loads(run(small, "export", name, "--format", "json").stdout)
        kept = json.loads((exports / f"{name}.json").read_text(encoding="utf-8"))
        assert [{n: now.get(n, "gone") for n in then} for now, then in zip(told, kept)] == kept  # noqa: B905 - the lengths follow
        assert len(told) == len(kept)


@pytest.fixture(scope="module")
def anew(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The small world of what was delivered alone, built, and what the build said."""
    world = unpacked("small", tmp_path_factory.mktemp("anew"))
    shutil.rmtree(world / "data" / "snapshots")
    (world / "data" / "warehouse.duckdb").unlink()
    return world, run(world, "build").stdout


def test_what_was_delivered_gives_the_same_rows_when_it_is_built_again(
    exports: Path, anew: tuple[Path, str]
) -> None:
    same_rows(anew[0], exports)


def test_a_warehouse_is_built_further_and_gives_the_same_rows(
    tmp_path: Path, anew: tuple[Path, str]
) -> None:
    """A snapshot is named by its rows."""
    world = unpacked("small", tmp_path)
    before = {path: path.read_bytes() for path in (world / "data" / "closes").glob("*/*.json")}
    (world / "data" / "snapshots" / "current.json").unlink()
    said = run(world, "build").stdout
    assert re.match(r"snapshot [0-9a-f]{16}: published ", said)
    assert said.partition(":")[0] == anew[1].partition(":")[0]
    newest = max((world / "data" / "snapshots").glob("*.duckdb"))
    assert schemas(world / "data" / "warehouse.duckdb", newest) == [4, 2]
    assert {path: path.read_bytes() for path in before} == before


def schemas(*files: Path) -> list[int]:
    """The schema version in each DuckDB file."""
    found = []
    for file in files:
        with duckdb.connect(str(file), read_only=True) as opened:
            found += opened.execute("SELECT version FROM schema_version").fetchall()
    return [version for (version,) in found]


def of_a_newer_version(world: Path, what: str) -> Path:
    """Makes a file of a world look as one that a later version wrote."""
    data = world / "data"
    if what == "close":
        file = data / "closes" / "2025-09" / "0002.json"
        body = {**json.loads(file.read_bytes()), "schema": 99}
        file.write_text(
            json.dumps(body | {"seal": canonical_sha256({k: body[k] for k in body if k != "seal"})})
        )
        return file
    file = (
        data / "warehouse.duckdb" if what == "warehouse" else max(data.glob("snapshots/*.duckdb"))
    )
    with duckdb.connect(str(file)) as opened:
        opened.execute("CREATE OR REPLACE TABLE schema_version AS SELECT 99 AS version")
    return file


@pytest.mark.parametrize(
    ("what", "verbs"),
    [
        ("warehouse", [("build",), ("ingest",)]),
        ("snapshot", [("build",), ("export", "monthly_summary")]),
        ("close", [("verify", "2025-09"), ("build",), ("send", "2025-09")]),
    ],
)
def test_what_a_newer_version_wrote_is_left_as_it_is_and_said_in_one_line(
    tmp_path: Path, what: str, verbs: list[tuple[str, ...]]
) -> None:
    world = unpacked("small", tmp_path)
    file = of_a_newer_version(world, what)
    before = file.read_bytes()
    called = f"the snapshot {file.name}" if what == "snapshot" else str(file)
    ours = 4 if what == "warehouse" else 2
    for verb, *words in verbs:
        with one_core():
            result = CliRunner().invoke(
                main, [verb, "--config", str(world / "breakeven.toml"), *words]
            )
        assert (result.exit_code, result.stderr) == (
            1,
            f"breakeven: {called} was written by a newer version of breakeven: schema 99, "
            f"this one reads up to {ours} (use that version; nothing was changed)\n",
        )
        assert file.read_bytes() == before


def test_who_was_sent_a_close_is_still_known(small: Path) -> None:
    assert run(small, "send", "2025-09").stdout == (
        "controlling: has it already (2025-09 version 2)\n"
    )

"""The command as a user meets it: exit codes, one line for each failure, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest
from click.testing import CliRunner, Result

from breakeven import main
from breakeven.command import Verbs
from models.engine.warehouse.lock import lock
from tests.support.world import World, one_core, write

Run = Callable[..., Result]


def invoke(*arguments: str, **environ: str) -> Result:
    with one_core():
        return CliRunner().invoke(main, arguments, env=environ)


class Shop(NamedTuple):
    """A folder with a config, a bill and progress, ingested and built; and what was said of it."""

    folder: Path
    ingested: str
    built: str


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    world = World(tmp_path_factory.mktemp("shop"))
    for name, day in (("g1", "2025-05-02"), ("g2", "2025-05-12")):
        world.run(name, "p4d.24xlarge", f"{day}T00:00:00", 100, 25, 10)
    world.run("t1", "trn1.32xlarge", "2025-09-02T00:00:00", 25, 16, 4)
    world.charge("2025-10-30T00:00:00", "1.00")
    write(world.folder / "bill.csv", world.charges)
    write(world.folder / "progress.csv", world.samples)
    (world.folder / "breakeven.toml").write_text(
        'as_of = 2025-10-31\n[[sources]]\nkind = "focus"\nlocation = "bill.csv"\n'
        '[[sources]]\nkind = "progress_file"\nlocation = "progress.csv"\n'
    )
    config = ("--config", str(world.folder / "breakeven.toml"))
    said = [invoke(verb, *config) for verb in ("ingest", "build")]
    assert [result.exit_code for result in said] == [0, 0], [result.output for result in said]
    return Shop(world.folder, *(result.stdout for result in said))


@pytest.fixture(scope="module")
def shop(opened: Shop) -> Path:
    return opened.folder


@pytest.fixture
def run(shop: Path) -> Run:
    """Runs a verb with the shop's config."""

    def with_its_config(verb: str, *arguments: str, **environ: str) -> Result:
        return invoke(verb, "--config", str(shop / "breakeven.toml"), *arguments, **environ)

    return with_its_config


def stated(result: Result, *words: str) -> None:
    """Exit 1, nothing on stdout, one line on stderr that holds `words`."""
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    lines = [line for line in result.stderr.splitlines() if " INFO " not in line]
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("breakeven: ")
    for word in words:
        assert word in lines[0]


def wrong(result: Result, *words: str) -> None:
    """Exit 2, as click says it."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    for word in words:
        assert word in result.stderr


@pytest.mark.parametrize(
    "asked",
    [
        ("build", "--config", "x" * 5000),
        ("doctor", "--config", "x" * 5000),
        ("export", "tie_out", "--output", "x" * 5000),
    ],
)
def test_a_name_that_no_file_may_have_is_one_line(opened: Shop, asked: tuple[str, ...]) -> None:
    done = invoke(*asked, BREAKEVEN_CONFIG=str(opened.folder / "breakeven.toml"))
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert "too long" in done.stderr


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[Path]:
    """A folder of another user's, into which this one may not look."""
    folder = tmp_path / "closed"
    folder.mkdir()
    folder.chmod(0)
    us = os.geteuid()
    if not us:
        os.seteuid(65534)
    yield folder
    os.seteuid(us)
    folder.chmod(0o700)


def test_a_folder_that_this_user_may_not_enter_is_one_line(closed: Path) -> None:
    verb = click.Command("look", callback=lambda: (closed / "file").is_file())
    done = CliRunner().invoke(Verbs(commands={"look": verb}), ["look"])
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("breakeven: no access to /")
    assert ": Permission denied (run it as the user whose file this is" in done.stderr


def test_help_and_version_are_answers() -> None:
    for argument in ("--help", "-h", "--version"):
        result = CliRunner().invoke(main, [argument])
        assert (result.exit_code, result.stderr) == (0, "")
    assert "breakeven ingest && breakeven build" in CliRunner().invoke(main, ["-h"]).stdout


def test_a_verb_that_is_not_there_is_wrong_usage() -> None:
    wrong(CliRunner().invoke(main, ["bild"]), "No such command")


@pytest.mark.parametrize(
    "arguments",
    [
        ("build", "--engine", "polars"),
        ("build", "extra"),
        ("ingest", "--from", "2025-13-01"),
        ("ingest", "--from", "2025-09-02", "--to", "2025-09-01"),
        ("export",),
        ("export", "runs", "--month", "2025-9"),
        ("export", "runs", "--format", "xml"),
        ("export", "runs", "--format", "parquet"),
        ("sql", "runs", "--dialect", "oracle"),
        ("serve", "--port", "0"),
        ("build", "--master", "spark://127.0.0.1:7077"),
        ("what-if",),
        ("what-if", "--gpu-cost-per-run", "900"),
        ("what-if", "--gpu-cost-per-run", "900", "--gpu-cost-per-epoch", "9", "--workload", "a"),
        ("what-if", "--gpu-cost-per-epoch", "9", "--trn-cost-per-epoch", "5"),
        ("what-if", "--workload", "atlas-7b", "--gpu-price-change", "-33"),
        ("what-if", "--workload", "atlas-7b", "--porting-cost", "ten"),
    ],
)
def test_a_wrong_call_is_exit_2(run: Run, arguments: tuple[str, ...]) -> None:
    wrong(run(*arguments), "Usage:")


def test_ingest_and_build_say_what_they_did(opened: Shop, run: Run) -> None:
    assert "focus: 1 new, 0 unchanged, 13 rows" in opened.ingested
    again = run("ingest")
    assert again.exit_code == 0
    assert "focus: 0 new, 1 unchanged, 0 rows, 0 paid requests, $0" in again.stdout
    report = json.loads(run("ingest", "focus", "--json").stdout)
    assert {entry["source"]: entry["new"] for entry in report} == {"focus": 0, "prices": 0}
    built = json.loads(run("build", "--json").stdout)
    assert built["reduced"] == 0
    assert built["snapshot_id"] in opened.built


def test_every_failed_source_has_its_line_and_its_entry(tmp_path: Path) -> None:
    config = tmp_path / "b.toml"
    config.write_text(
        '[[sources]]\nkind = "focus"\nlocation = "bill.csv"\n'
        '[[sources]]\nkind = "progress_file"\nlocation = "epochs.csv"\n'
    )
    result = CliRunner().invoke(main, ["ingest", "--json", "--config", str(config)])
    assert result.exit_code == 1
    prefix = "breakeven: "
    said = [line for line in result.stderr.splitlines() if line.startswith(prefix)]
    bill, epochs = (line.removeprefix(prefix) for line in said)
    assert f"{tmp_path}/bill.csv" in bill
    assert f"{tmp_path}/epochs.csv" in epochs
    assert bill.startswith("focus: ")
    errors = [entry["error"] for entry in json.loads(result.stdout)]
    assert errors == [bill.removeprefix("focus: "), epochs, ""]
    plain = CliRunner().invoke(main, ["ingest", "--config", str(config)]).stdout
    assert "focus: failed, 0 paid requests, $0\nprogress_file: failed, " in plain


def test_json_says_what_ended_a_pull(run: Run, shop: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file where the warehouse's folder should be")
    environ = {"BREAKEVEN_WAREHOUSE__PATH": str(tmp_path / "taken" / "w.duckdb")}
    result = run("ingest", "--json", **environ)
    assert result.exit_code == 1
    (entry,) = json.loads(result.stdout)
    assert (entry["source"], entry["new"]) == ("", 0)
    assert entry["error"].startswith(f"cannot write {tmp_path}/taken")
    assert entry["errors"] == [entry["error"]]
    with lock(shop / "data", purpose="schedule"):
        (entry,) = json.loads(run("ingest", "--json").stdout)
    assert entry["error"].startswith("another process is writing")


def test_a_source_of_no_name_is_stated(run: Run) -> None:
    stated(run("ingest", "fokus"), "fokus", "focus")


def test_settings_come_from_the_environment_too(run: Run) -> None:
    stated(run("build", BREAKEVEN_COST__SETLE_DAYS="3"), "BREAKEVEN_COST__SETTLE_DAYS")
    stated(run("build", BREAKEVEN_COST__SOURCE="cost_explorer"), "cost_explorer", "ingest")


def test_the_config_is_found_by_name_by_variable_and_beside(shop: Path, tmp_path: Path) -> None:
    none = CliRunner().invoke(main, ["build", "--config", str(tmp_path / "none.toml")])
    stated(none, "config not found", "breakeven init")
    environ = {"BREAKEVEN_CONFIG": str(shop / "breakeven.toml")}
    assert CliRunner().invoke(main, ["export", "runs"], env=environ).exit_code == 0


def test_init_writes_a_config_and_never_over_one(tmp_path: Path) -> None:
    path = tmp_path / "breakeven.toml"
    first = CliRunner().invoke(main, ["init", "--config", str(path)])
    assert (first.exit_code, first.stderr.splitlines()) == (
        0,
        [
            "To fill in: where the bill is, `location` of the first [[sources]]",
            "To fill in: where progress is, `location` of the second [[sources]]",
        ],
    )
    text = path.read_text()
    assert "[[sources]]" in text
    path.write_text("# mine\n" + text)
    stated(CliRunner().invoke(main, ["init", "--config", str(path)]), "--force", str(path))
    assert path.read_text().startswith("# mine")
    assert CliRunner().invoke(main, ["init", "--config", str(path), "--force"]).exit_code == 0
    assert path.read_text() == text
    missing = tmp_path / "none" / "breakeven.toml"
    stated(CliRunner().invoke(main, ["init", "--config", str(missing)]), "no such folder")
    assert [file.name for file in tmp_path.iterdir()] == ["breakeven.toml"]


def test_init_writes_the_config_that_the_variable_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The verbs after it read that one: they said that it is not there, and to run `init`."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "etc" / "breakeven.toml"
    path.parent.mkdir()
    result = CliRunner().invoke(main, ["init"], env={"BREAKEVEN_CONFIG": str(path)})
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Wrote {path}. Next: breakeven doctor, then")
    result = CliRunner().invoke(main, ["init", "--force", "--config", str(path)])
    assert result.stdout.startswith(f"Wrote {path}. Next: breakeven doctor --config {path}, then")
    assert [file.name for file in tmp_path.iterdir()] == ["etc"]


def test_the_config_that_init_writes_is_valid(tmp_path: Path) -> None:
    path = tmp_path / "breakeven.toml"
    CliRunner().invoke(main, ["init", "--config", str(path)])
    stated(CliRunner().invoke(main, ["build", "--config", str(path)]), "breakeven ingest")


def test_export_writes_to_stdout_or_to_a_file(run: Run, tmp_path: Path) -> None:
    rows = json.loads(run("export", "break_even", "--format", "json").stdout)
    assert [row["workload"] for row in rows] == ["(portfolio)", "atlas-7b"]
    text = run("export", "monthly_summary", "--month", "2025-09").stdout
    assert text.splitlines()[0].startswith("month,workload,gpu_cost")
    assert len(text.splitlines()) == 3
    file = tmp_path / "runs.csv"
    assert run("export", "runs", "--output", str(file)).stdout == ""
    assert file.read_text() == run("export", "runs").stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("export", "savings"), ("savings", "savings_daily")),
        (
            ("export", "brief", "--workload", "atlas", "--output", "x.pdf"),
            ("no such workload: atlas", "known: atlas-7b"),
        ),
        (("export", "runs", "--month", "2025-09"), ("leave --month out",)),
        (("export", "tie_out", "--month", "2031-01"), ("2031-01", "2025-05 to 2025-10")),
        (("export", "runs", "--output", "/none/at/all.csv"), ("/none/at/all.csv", "create")),
        (("sql", "savings"), ("savings", "did you mean")),
        (("what-if", "--workload", "atlas"), ("atlas", "did you mean atlas-7b")),
        (("sql", "final_losses", "--dialect", "athena"), ("athena", "duckdb")),
    ],
)
def test_what_cannot_be_is_stated_in_one_line(
    run: Run, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    stated(run(*arguments), *words)


def test_sql_shows_the_words_of_each_dialect(run: Run) -> None:
    shown = {d: run("sql", "spend_reduced", "--dialect", d).stdout for d in ("spark", "athena")}
    assert "`EffectiveCost`" in shown["spark"]
    assert '"EffectiveCost"' in shown["athena"]


def test_what_if_needs_no_config_and_can_start_from_a_workload(run: Run) -> None:
    costs = ("--gpu-cost-per-epoch", "175.875", "--trn-cost-per-epoch", "100")
    asked = ("what-if", *costs, "--epochs-per-run", "5", "--porting-cost", "10000")
    result = CliRunner().invoke(main, asked)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "Saving per run                     $379.38" in result.stdout
    assert "Runs to break even                      27" in result.stdout
    told = json.loads(run("what-if", "--workload", "atlas-7b", "--json").stdout)
    assert told["saving_per_run"] == "270.00"  # 4 × (10 h × 16.75 − 100)
    assert told["assumed"]["saved_so_far"] == "270.00"
    changed = json.loads(run(*asked, "--gpu-discount", "0.5", "--json").stdout)
    assert (changed["saving_per_run"], changed["never"]) == ("-60.3125", True)
    assert changed["payback_months"] is changed["runs_to_break_even"] is None


def test_a_config_that_is_a_folder_or_no_toml_is_stated(tmp_path: Path) -> None:
    stated(CliRunner().invoke(main, ["build", "--config", str(tmp_path)]), str(tmp_path))
    (tmp_path / "b.toml").write_text("as_of = ")
    stated(CliRunner().invoke(main, ["build", "--config", str(tmp_path / "b.toml")]), "TOML")


@pytest.mark.parametrize("asked", [("token", "list"), ("sql", "runs")])
def test_a_full_disk_below_standard_output_is_one_line(shop: Path, asked: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "breakeven", *asked, "--config", "breakeven.toml"]
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            command, cwd=shop, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (result.returncode, result.stderr) == (
        1,
        "breakeven: cannot write standard output: No space left on device "
        "(free some space and run again)\n",
    )


def test_a_second_writer_is_told_who_holds_the_warehouse(run: Run, shop: Path) -> None:
    with lock(shop / "data", purpose="schedule"):
        for verb in ("ingest", "build"):
            stated(run(verb), f"process {os.getpid()}", "`breakeven schedule`", "wait until")
        assert run("export", "runs").exit_code == 0


def test_a_second_process_is_told_as_well(shop: Path) -> None:
    with lock(shop / "data", purpose="build"):
        command = [sys.executable, "-m", "breakeven", "build", "--config", "breakeven.toml"]
        result = subprocess.run(command, cwd=shop, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert f"process {os.getpid()}, `breakeven build`" in result.stderr


def test_it_starts_without_what_only_numbers_need() -> None:
    """Else help and refusals would wait for the import of Ibis, or of Arrow."""
    heavy = {"ibis", "duckdb", "pandas", "pyarrow"}
    loaded = f"import breakeven, sys; sys.exit(str({heavy} & {{*sys.modules}}))"
    said = subprocess.run([sys.executable, "-c", loaded], capture_output=True, check=False)
    assert said.stderr == b"set()\n"


def test_a_month_is_checked_closed_and_verified(run: Run) -> None:
    checked = run("close", "2025-09", "--check")
    assert "no invoice is named, and 10 days passed since 2025-09-30" in checked.stdout
    closed = json.loads(run("close", "2025-09", "--by", "C", "--json").stdout)
    assert (closed["version"], closed["closed_by"]) == (1, "C")
    assert {one["met"] for one in closed["conditions"]} == {True}
    assert closed["sha256"] in run("verify", "2025-09").stdout
    stated(run("close", "2025-09"), "2025-09 is closed already", "--reason")
    refused = run("close", "2025-10")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "2025-10 cannot be closed: final: 2025-10 ends on 2025-10-31\n" in refused.stderr
    assert "2025-10 cannot be closed: settled: not every day is settled" in refused.stderr
    stated(run("verify", "2025-09", "--version", "2"), "no such close", "2025-09 version 1")
    wrong(run("close", "2025-9"), "not YYYY-MM")


@pytest.mark.parametrize("kind", ["xlsx", "pdf", "csv", "json", "parquet"])
def test_a_statement_is_written_in_every_form(run: Run, tmp_path: Path, kind: str) -> None:
    starts = {"pdf": b"%PDF-", "json": b"{\n"}.get(kind, b"PK\x03\x04")
    file = tmp_path / "statement"
    asked = ("export", "statement", "--month", "2025-09", "--format", kind, "--output", str(file))
    assert run(*asked).exit_code == 0
    first = file.read_bytes()
    assert first.startswith(starts)
    assert run(*asked).exit_code == 0
    assert file.read_bytes() == first


def test_a_statement_named_as_a_table_is_said_to_be_a_zip_of_tables(
    run: Run, tmp_path: Path
) -> None:
    asked = ("export", "statement", "--month", "2025-09", "--format", "csv", "--output")
    assert "statement.csv.zip would say so" in run(*asked, str(tmp_path / "statement.csv")).stderr
    assert "zip" not in run(*asked, str(tmp_path / "statement.csv.zip")).stderr


def test_a_statement_is_of_a_month_that_there_is(run: Run, tmp_path: Path) -> None:
    file = ("--output", str(tmp_path / "out"))
    stated(run("export", "statement", "--format", "pdf", *file), "--month YYYY-MM")
    month = ("--month", "2031-01", "--format", "xlsx")
    stated(run("export", "monthly_summary", *month, *file), "nothing is known of this month")
    again = ("--month", "2025-05", "--version", "3", "--format", "json")
    stated(run("export", "statement", *again, *file), "no such close: 2025-05 version 3")
    nowhere = ("--output", str(tmp_path / "none" / "out"))
    stated(run("export", "statement", "--month", "2025-05", "--format", "xlsx", *nowhere), "folder")
    wrong(run("export", "runs", "--format", "xlsx", *file), "xlsx is for `statement`")
    wrong(run("export", "statement", "--format", "pdf"), "pdf needs --output")
    assert list(tmp_path.iterdir()) == []

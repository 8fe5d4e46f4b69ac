"""Each verb as it is typed: its help, its conflicting options, its refusals, its two outputs."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from breakeven import main
from breakeven.command import VERBS
from breakeven.output import show

PAIR = ("--gpu-cost-per-run", "100", "--trn-cost-per-run", "60")


@pytest.fixture
def config(tmp_path: Path) -> str:
    """A config without sources: nothing was ingested, nothing is closed."""
    file = tmp_path / "breakeven.toml"
    file.write_text("as_of = 2026-10-31\n")
    return str(file)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def examples(verb: click.Command) -> list[list[str]]:
    """The words of each example command in a verb's docstring, less `PORT=9000` before them."""
    assert verb.help
    lines = verb.help.partition("Example: ")[2].splitlines()
    return [shlex.split(line[line.index("breakeven ") :]) for line in lines if line.strip()]


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: str(verb.name))
def test_the_help_of_a_verb_ends_in_an_example_that_its_options_allow(verb: click.Command) -> None:
    shown = run(str(verb.name), "--help")
    assert "Example: " in shown.output
    assert examples(verb)
    known = {name for option in verb.params for name in option.opts}
    for command, name, *words in examples(verb):
        assert (command, name) == ("breakeven", verb.name)
        assert {word for word in words if word.startswith("--")} <= known


def test_the_help_of_the_command_lists_every_verb_with_a_meaning() -> None:
    listed = run("--help").output.partition("Commands:\n")[2].splitlines()
    meanings = dict(line.split(maxsplit=1) for line in listed if line.strip())
    assert sorted(meanings) == sorted(str(verb.name) for verb in VERBS)
    assert all(meanings.values())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("close", "2026-13"), "Invalid value for 'MONTH': '2026-13' is not YYYY-MM"),
        (("verify", "2026-1"), "Invalid value for 'MONTH': '2026-1' is not YYYY-MM"),
        (("send", "2026"), "Invalid value for 'MONTH': '2026' is not YYYY-MM"),
        (
            ("what-if", *PAIR, "--gpu-cost-per-epoch", "1"),
            "give --gpu-cost-per-run or --gpu-cost-per-epoch, not both",
        ),
        (
            ("what-if", *PAIR, "--gpu-cost-per-epoch", "1", "--trn-cost-per-epoch", "1"),
            "give --gpu-cost-per-run or --gpu-cost-per-epoch and "
            "--trn-cost-per-run or --trn-cost-per-epoch, not both",
        ),
        (
            ("what-if", "--gpu-cost-per-epoch", "9", "--trn-cost-per-run", "5"),
            "give --gpu-cost-per-run (or per epoch, with --epochs-per-run), or --workload",
        ),
        (
            ("what-if", *PAIR, "--gpu-discount", "1.5"),
            "Invalid value for '--gpu-discount': 1.5 is not between 0 and 1",
        ),
        (("build", "--master", "spark://10.0.0.5:7077"), "--master needs --engine spark"),
        (
            ("ingest", "--from", "2026-02-02", "--to", "2026-02-01"),
            "--from 2026-02-02 is after --to 2026-02-01",
        ),
        (
            ("export", "runs", "--month", "2026-1"),
            "Invalid value for '--month': '2026-1' is not YYYY-MM",
        ),
        (("export", "runs", "--month", ""), "Invalid value for '--month': '' is not YYYY-MM"),
        (
            ("export", "runs", "--format", "xlsx"),
            "xlsx is for `statement`; runs can be csv, json, parquet",
        ),
        (("export", "statement"), "csv needs --output FILE"),
        (
            ("export", "brief", "--workload", "a", "--output", "a.csv", "--format", "csv"),
            "a brief can be pdf, not csv; its figures: break_even, cost_per_epoch and "
            "savings_daily can be csv, json, parquet",
        ),
        (("export", "runs", "--format", "parquet"), "parquet needs --output FILE"),
        (
            ("export", "spend_daily", "--workload", "a"),
            "--workload says nothing of spend_daily: leave it out",
        ),
        (("export", "runs", "--version", "2"), "--version says nothing of runs: leave it out"),
        (
            ("export", "brief", "--workload", "a", "--month", "2026-09", "--output", "a.pdf"),
            "--month says nothing of brief: leave it out",
        ),
    ],
)
def test_options_that_cannot_go_together_say_which(
    arguments: tuple[str, ...], message: str
) -> None:
    refused = run(*arguments)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.splitlines()[-1] == f"Error: {message}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("lineage", "brake_even"), "no table of this name: brake_even (did you mean break_even?)"),
        (
            ("sql", "break_even.roi"),
            "no table of this name: break_even.roi "
            "(SQL is of whole marts: breakeven sql break_even)",
        ),
        (("sql", "brake_even"), "no table of this name: brake_even (did you mean break_even?)"),
        (("verify", "2026-10"), "there is no such close: 2026-10 (no month is closed)"),
        (("send", "2026-10"), "there is no such close: 2026-10 (no month is closed)"),
        (
            ("build",),
            "no bill was delivered by cost.source: focus (run `breakeven ingest`, or set "
            "cost.source to a source that brings charges)",
        ),
    ],
)
def test_what_is_not_there_is_one_line_with_the_nearest_or_next(
    config: str, arguments: tuple[str, ...], message: str
) -> None:
    refused = run(arguments[0], "--config", config, *arguments[1:])
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr == f"breakeven: {message}\n"


def test_a_what_if_is_told_to_people_and_to_machines() -> None:
    """$40 a run, 5 runs a month: $1,000 is back after 25 runs or 5 months; 24 months net $3,800."""
    asked = ("what-if", *PAIR, "--runs-per-month", "5", "--porting-cost", "1000")
    lines = [" ".join(line.split()) for line in run(*asked).output.splitlines()]
    assert {"Saving per run $40.00", "Runs to break even 25", "Months to break even 5.0"} <= {
        *lines
    }
    told = json.loads(run(*asked, "--json").output)
    assert (told["runs_to_break_even"], told["payback_months"]) == (25, 5.0)
    assert (told["cumulative_net"], told["roi"]) == ("3800.00", 3.8)


def test_a_result_is_either_lines_or_json(capsys: pytest.CaptureFixture[str]) -> None:
    show(["one", "two"], {"n": None}, as_json=False)
    assert capsys.readouterr().out == "one\ntwo\n"
    show(["one", "two"], {"n": None}, as_json=True)
    assert capsys.readouterr().out == '{\n "n": null\n}\n'


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('kind = "alocations"', "unknown kind: alocations (did you mean allocations?)"),
        ('kind = "focus"', "focus: option missing: location (add `location = …`"),
    ],
)
def test_a_build_refuses_a_mistyped_source_and_publishes_nothing(
    config: str, entry: str, said: str
) -> None:
    with Path(config).open("a") as file:
        file.write(f"[[sources]]\n{entry}\n")
    refused = run("build", "--config", config)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert len(refused.stderr.splitlines()) == 1
    assert said in refused.stderr
    assert not [*Path(config).parent.rglob("*.duckdb")]

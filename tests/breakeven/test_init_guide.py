"""`breakeven init` on a terminal: from a bill with tags of its own to a first number."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner, Result

from breakeven import init_guide, main
from ingest.source import Window
from models.config.loading import load, validated_settings
from models.contract.shipped_data import shipped
from models.records import audit
from tests.support.world import one_core

SAMPLE = shipped("data/sample")
PROGRESS = SAMPLE / "progress"
RENAMED = """
COPY (SELECT * REPLACE (map_from_entries(list_transform(map_entries(Tags), lambda one: {{
    'key': CASE one.key WHEN 'user:workload' THEN 'user:Model'
        WHEN 'user:run' THEN 'user:JobName' ELSE one.key END,
    'value': one.value}})) AS Tags) FROM read_parquet('{source}')) TO '{target}' (FORMAT parquet)"""


def init(home: Path, answers: str, *arguments: str) -> Result:
    config = ["init", "--ask", "--config", str(home / "breakeven.toml")]
    with one_core():
        return CliRunner().invoke(main, [*config, *arguments], input=answers)


@pytest.fixture(scope="module")
def own_bill(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two months of the sample before its cluster, tagged `Model` and `JobName`, and progress."""
    home = tmp_path_factory.mktemp("first_run")
    for month in ("2026-03", "2026-04"):
        folder = SAMPLE / "focus-1-2" / "data" / f"BILLING_PERIOD={month}"
        for source in folder.glob("*.parquet"):
            target = home / "bill" / "data" / folder.name / source.name
            target.parent.mkdir(parents=True, exist_ok=True)
            duckdb.sql(RENAMED.format(source=source, target=target))
    shutil.copytree(PROGRESS, home / "progress")
    return home


PLACES = ("--bill", "bill", "--progress", "progress")


def test_a_bill_with_tags_of_its_own_leads_to_a_first_number(
    own_bill: Path, tmp_path: Path
) -> None:
    """The newest month alone is pulled; of the tags that its machines bear two are chosen."""
    home = shutil.copytree(own_bill, tmp_path / "home")
    result = init(home, "n\nmodel\nModel\n\nn\n", *PLACES)
    assert result.exit_code == 0, result.output
    assert "3 of 4  The bill of 2026-04, and progress\n" in result.output
    assert 'has the tag "workload" or "run". Those they have:\n' in result.output
    assert "model is on no machine: Model, " in result.output
    tags = load(home / "breakeven.toml", {}).tags
    assert (tags.workload, tags.run) == ("Model", "JobName")
    done = [f"{line['what']} {line['outcome']}" for line in audit.lines(home / "data")]
    assert done == ["ingest begins", "ingest done", "build begins", "build done"]
    exported = CliRunner().invoke(
        main, ["export", "spend_daily", "--config", str(home / "breakeven.toml")]
    )
    days = {line.split(",")[0][:7] for line in exported.output.splitlines()[1:]}
    assert days == {"2026-04"}
    (atlas,) = (x for x in result.output.splitlines() if x.startswith("atlas-13b: $"))
    assert atlas.endswith(" an epoch on Trainium")
    assert "In the way of the rest: no GPU run is known to compare with.\n" in result.output
    again = init(home, "\ny\n")  # now with the months before, too
    assert "The bill of 2026-03-" in again.output
    assert "There is " in again.output
    assert "Those they have" not in again.output
    assert atlas in again.output


@pytest.fixture(scope="module")
def mistaken(own_bill: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """Built by a config whose tag of workloads no machine bears; of tags a guide shows one."""
    home = shutil.copytree(own_bill, tmp_path_factory.mktemp("mistaken") / "home")
    (home / "breakeven.toml").write_text(
        'tags.workload = "name"\ntags.run = "JobName"\ncost.source = "focus"\n'
        '[[sources]]\nkind = "focus"\nlocation = "bill"\n'
    )
    with pytest.MonkeyPatch.context() as few:
        few.setattr(init_guide, "MOST_SHOWN", 1)  # of the tags, which may be hundreds
        return home, init(home, "y\n \n")


def test_without_the_right_tag_it_says_what_is_in_the_way(mistaken: tuple[Path, Result]) -> None:
    home, result = mistaken
    assert result.exit_code == 0, result.output
    assert result.output.count("% of dollars, ") == 1
    assert re.search(r"\n  … and \d more\n", result.output)
    assert "In the way of the rest: no charge of a machine has the tag" in result.output
    assert load(home / "breakeven.toml", {}).tags.workload == "name"


def test_a_tag_that_is_corrected_by_hand_does_not_block(
    mistaken: tuple[Path, Result], tmp_path: Path
) -> None:
    """The last build looked for another tag; the delivered bill has the right one."""
    home = shutil.copytree(mistaken[0], tmp_path / "home")
    config = home / "breakeven.toml"
    config.write_text(config.read_text().replace('"name"', '"Model"'))
    again = init(home, "y\n")
    assert again.exit_code == 0, again.output
    assert 'tags.workload = "Model": on the delivered bill; the last build did not look' in (
        again.output
    )
    assert "atlas-13b: $" in again.output


def test_a_bill_that_has_no_column_of_instance_types_shows_its_tags(tmp_path: Path) -> None:
    """FOCUS 1.0 says a machine's type in its usage type alone."""
    for source in (SAMPLE / "focus-1-0" / "data").glob("BILLING_PERIOD=2025-06/*.parquet"):
        target = tmp_path / "bill" / "data" / source.parent.name / source.name
        target.parent.mkdir(parents=True)
        duckdb.sql(RENAMED.format(source=source, target=target))
    result = init(tmp_path, "n\nModel\nJobName\nn\n", *PLACES[:2], "--progress", str(PROGRESS))
    assert result.exit_code == 0, result.output
    assert 'has the tag "workload" or "run". Those they have:\n' in result.output
    assert load(tmp_path / "breakeven.toml", {}).tags.workload == "Model"


def test_a_bill_whose_files_are_not_by_month_is_pulled_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bill").mkdir()
    (tmp_path / "bill" / "bill.csv").write_text("BillingPeriodStart\n2026-05-01T00:00:00Z\n")
    pulled: list[Window] = []
    monkeypatch.setattr(init_guide, "_pull", lambda _, window: pulled.append(window))
    config = {"sources": [{"kind": "focus", "location": "bill"}]}
    assert init_guide._pull_first_month(validated_settings(config, home=tmp_path)) is None
    assert pulled == [Window()]
    assert capsys.readouterr().out == "\n3 of 4  The bill, and progress\n"


def test_without_progress_it_names_that_alone(own_bill: Path, tmp_path: Path) -> None:
    """The cost of each workload is known, and stands there all the same."""
    home = shutil.copytree(own_bill, tmp_path / "home")
    (home / "breakeven.toml").write_text(
        'tags.workload = "Model"\ntags.run = "JobName"\ncost.source = "focus"\n'
        '[[sources]]\nkind = "focus"\nlocation = "bill"\n'
    )
    result = init(home, "y\n")
    assert result.exit_code == 0, result.output
    assert "no epochs of its runs known, so no cost per epoch\n" in result.output
    assert "In the way of the rest: no run has reported progress, so what an epoch" in result.output


def test_what_blocks_stops_it_before_anything_is_pulled(tmp_path: Path) -> None:
    """A script is told by the exit code, as `doctor` tells it; the config stays."""
    result = init(tmp_path, "n\n", "--bill", "nowhere", "--progress", "epochs.csv")
    assert result.exit_code == 1, result.output
    assert (tmp_path / "breakeven.toml").exists()
    assert "blocks   config: focus: no export found: " in result.output
    again = f"breakeven init --config {tmp_path / 'breakeven.toml'}"
    assert f"Mend what blocks. Then run `{again}` again" in result.output
    assert f"breakeven.toml, or let `{again} --force` ask anew" in result.output
    assert not (tmp_path / "data/raw").exists()
    assert not (tmp_path / "data/snapshots").exists()


def test_a_config_that_names_its_tags_otherwise_is_left_as_it_is(
    own_bill: Path, tmp_path: Path
) -> None:
    """A table `[tags]` is the user's own form: it is not edited, and they are told the line."""
    home = shutil.copytree(own_bill, tmp_path / "home")
    own = '[tags]\nworkload = "name"\nrun = "JobName"\n\n[cost]\nsource = "focus"\n\n[[sources]]\n'
    own += 'kind = "focus"\nlocation = "bill"\n'
    (home / "breakeven.toml").write_text(own)
    result = init(home, "y\nModel\n")
    assert result.exit_code == 1
    assert 'has no line `tags.workload = ...` to change (write tags.workload = "Model"' in (
        result.output
    )
    assert (home / "breakeven.toml").read_text() == own


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"# \xff\n", "is not valid TOML: 'utf-8' codec can't decode byte 0xff"),
        (shipped("data/breakeven.toml").read_bytes() + b"\nx = [\n", "is not valid TOML: "),
    ],
)
def test_a_config_that_cannot_be_read_is_refused_before_anything_is_asked(
    content: bytes, why: str, tmp_path: Path
) -> None:
    (tmp_path / "breakeven.toml").write_bytes(content)
    result = init(tmp_path, "y\n")
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1].startswith(f"breakeven: {tmp_path}/breakeven.toml {why}")
    assert (tmp_path / "breakeven.toml").read_bytes() == content

"""`breakeven init`: a config that works, from what is given, seen and answered, or none at all."""

from __future__ import annotations

import json
import os
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from breakeven import main
from ingest.paid_requests import ledger
from ingest.setup.first_config import TEMPLATE, set_tags
from ingest.setup.survey import likely
from ingest.sources import configured as sources_of
from models import formats
from models.config.loading import load
from models.config.settings import Settings
from tests.support.ingest.fake_aws import Fake
from tests.support.ingest.healthy_company import export, healthy, metric, tag

LOCATION = "s3://bills/focus/daily"


def init(folder: Path, *arguments: str, answers: str | None = None) -> Result:
    command = ["init", "--config", str(folder / "b.toml"), *arguments]
    return CliRunner().invoke(main, command, input=answers)


def written(folder: Path) -> Settings:
    settings = load(folder / "b.toml", {})
    sources_of(settings)
    return settings


def test_tags_of_the_bill_replace_those_set_not_a_remark_before_them(tmp_path: Path) -> None:
    config = tmp_path / "b.toml"
    config.write_text('# tags.workload = "old"\ntags.workload = "a \\"b\\""\n# tags.run = "r"\n')
    set_tags(config, workload="model", run="job")
    assert config.read_text() == (
        '# tags.workload = "old"\ntags.workload = "model"\ntags.run = "job"\n'
    )


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_who_may_read_a_config_stays_when_tags_are_written_into_it(
    tmp_path: Path, mode: int
) -> None:
    config = tmp_path / "b.toml"
    config.write_text('tags.workload = "w"\ntags.run = "r"\nsmtp.password = "hidden"\n')
    config.chmod(mode)
    set_tags(config, workload="model", run="job")
    assert stat.S_IMODE(config.stat().st_mode) == mode
    assert 'smtp.password = "hidden"' in config.read_text()


def test_what_is_given_stands_in_the_commented_template(tmp_path: Path) -> None:
    given = [
        "--bill",
        "exports",
        "--kind",
        "cur2",
        "--workload-tag",
        "ml:model",
        "--run-tag",
        "job",
    ]
    assert init(tmp_path, *given, "--progress", "s3://metrics/epochs").exit_code == 0
    settings = written(tmp_path)
    assert (settings.tags.workload, settings.tags.run) == ("ml:model", "job")
    assert settings.cost.source == "cur2"
    assert [(s.kind, s.options) for s in settings.sources] == [
        ("cur2", {"location": "exports"}),
        ("progress_file", {"location": "s3://metrics/epochs"}),
    ]
    kept = [line for line in TEMPLATE.read_text().splitlines() if line.startswith("# ")]
    assert set(kept) <= set((tmp_path / "b.toml").read_text().splitlines())


def test_a_tracking_server_is_one(tmp_path: Path) -> None:
    result = init(tmp_path, "--progress", "https://mlflow.example")
    assert result.stderr == "To fill in: where the bill is, `location` of the first [[sources]]\n"
    (one,) = (s for s in written(tmp_path).sources if s.kind != "focus")
    assert (one.kind, one.options) == ("mlflow", {"location": "https://mlflow.example"})


@pytest.mark.parametrize(
    ("address", "options"),
    [
        ("https://wandb.ai/team/pretrain", {"entity": "team", "projects": ["pretrain"]}),
        ("https://wandb.ai/team/my%20runs/runs/a1b2", {"entity": "team", "projects": ["my runs"]}),
        ("https://forge.coreweave.com/wandb/team", {"entity": "team"}),
        (
            "https://acme.wandb.io/team/pretrain/workspace?nw=x",
            {"entity": "team", "projects": ["pretrain"], "location": "https://acme.wandb.io"},
        ),
    ],
)
def test_a_page_of_wandb_is_a_source_of_its_runs(
    tmp_path: Path, address: str, options: dict[str, object]
) -> None:
    assert init(tmp_path, "--progress", address).exit_code == 0
    (one,) = (s for s in written(tmp_path).sources if s.kind != "focus")
    assert (one.kind, one.options) == ("wandb", options)


def test_sagemaker_is_asked_in_its_region(tmp_path: Path) -> None:
    assert init(tmp_path, "--progress", "sagemaker", "--region", "us-west-2").exit_code == 0
    (one,) = (s for s in written(tmp_path).sources if s.kind != "focus")
    assert (one.kind, one.options) == ("sagemaker", {"region": "us-west-2"})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            ["--bill", "cur2"],
            "location: cur2 (write --kind cur2 --bill s3://bucket/prefix/export, ",
        ),
        (["--bill", "sagemaker"], "--bill: this is a kind of source, not a location: sagemaker"),
        (
            ["--progress", "mlflow"],
            "mlflow (write a file, a folder, MLflow's address such as https:",
        ),
        (
            ["--progress", "https://wandb.ai"],
            "--progress: this address of W&B names no team: https://wandb.ai (write that of a pr",
        ),
        (["--bill", "s3://"], "--bill: no bucket in location: s3:// (s3://bucket/prefix)"),
        (["--progress", "s3:///p"], "--progress: no bucket in location: s3:///p (s3://bucket/"),
        (["--region", "narnia"], "narnia (leave it out, or add --progress cloudwatch or sagemaker"),
    ],
)
def test_a_word_that_is_no_place_writes_nothing(
    tmp_path: Path, given: list[str], said: str
) -> None:
    result = init(tmp_path, *given)
    assert result.exit_code == 1
    assert said in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_aws_shows_is_taken(tmp_path: Path, aws: Fake) -> None:
    aws.shows(
        **healthy(
            exports=[export(name="carbon", query="SELECT * FROM CARBON_EMISSIONS"), export()],
            tag_keys=["Name", "team", "ml:Workload", "Run"],
            allocation_tags=[],
        )
    )
    assert init(tmp_path, "--detect").exit_code == 0
    settings = written(tmp_path)
    assert (settings.tags.workload, settings.tags.run) == ("ml:Workload", "Run")
    assert [(s.kind, s.options) for s in settings.sources] == [
        ("focus", {"location": LOCATION}),
        ("cloudwatch", {"namespace": "Breakeven", "region": "us-east-1"}),
    ]
    assert [one.name for one in settings.workloads] == ["atlas-7b"]


def test_a_tag_that_is_on_the_bill_is_taken_before_one_that_is_not(
    tmp_path: Path, aws: Fake
) -> None:
    """Which are activated costs a cent, and only where a resource has a likely one."""
    keys = ["Workload", "run", "workload"]
    aws.shows(**healthy(tag_keys=keys, allocation_tags=[tag("workload"), tag("run", "Inactive")]))
    result = init(tmp_path, "--detect")
    assert (written(tmp_path).tags.workload, written(tmp_path).tags.run) == ("workload", "run")
    (said,) = (line for line in result.stderr.splitlines() if "not activated" in line)
    assert said.startswith(
        'tags.run = "run" is not activated: console: Billing and Cost Management'
    )
    paid = list(ledger.read_lines(tmp_path / "data" / ledger.FILE))
    assert {line["source"] for line in paid} == {"init"}
    assert [(line["operation"], line["dollars"]) for line in paid] == [
        ("ListMetrics", "0.00001"),
        ("ListCostAllocationTags", "0.01"),
    ]
    aws.forget()
    aws.shows(**healthy(tag_keys=["Name"]))
    result = init(tmp_path, "--detect", "--force", "--progress", "epochs.csv")
    assert "To fill in: where the bill is" not in result.stderr
    assert aws.asked("ListCostAllocationTags") == []


def test_answers_win_over_what_is_seen(tmp_path: Path, aws: Fake) -> None:
    members = [{"id": "999900000001", "name": "payer"}, {"id": "999900000002", "name": "vision"}]
    aws.shows(**healthy(members=members, metrics=[metric(Workload="bard", Run="b1")]))
    answers = "y\ncost_explorer\ncloudwatch\nmodel\njob\ny\n\nagreed\n"
    result = init(tmp_path, "--ask", answers=answers)
    assert "Mend what blocks." in result.output
    settings = written(tmp_path)
    assert settings.cost.source == "cost_explorer"
    assert [s.kind for s in settings.sources] == ["cost_explorer", "cloudwatch"]
    assert settings.sources[1].accounts == ("*",)
    assert settings.organization.payer == "999900000001"
    assert settings.organization.regions == ("us-east-1",)
    roles = {one.name: (one.role_arn, one.external_id) for one in settings.accounts}
    assert roles == {
        "payer": ("", None),
        "vision": ("arn:aws:iam::999900000002:role/breakeven-reader", "agreed"),
    }


def test_what_aws_refuses_stays_a_question(tmp_path: Path, aws: Fake) -> None:
    aws.shows(**healthy(denied=["bcm-data-exports:ListExports", "tag:GetTagKeys"]))
    result = init(tmp_path, "--ask", "--detect", answers="bill\n\nfocus\nepochs.csv\n\n")
    assert "Mend what blocks." in result.output
    assert "Not seen: bcm-data-exports:ListExports was refused" in result.stderr
    assert "Not seen: tag:GetTagKeys was refused" in result.stderr
    assert "Which tag names" not in result.stderr  # the bill will tell, once it is there
    assert written(tmp_path).cost.source == "focus"


def test_what_was_taken_and_what_was_refused_is_said_to_nobody_at_a_terminal_too(
    tmp_path: Path, aws: Fake
) -> None:
    """The first in the alphabet is taken; what is not seen leaves the template's example."""
    other = export(name="weekly", query="SELECT a FROM COST_AND_USAGE_REPORT")
    aws.shows(**healthy(exports=[export(), other], denied=["tag:GetTagKeys"]))
    result = init(tmp_path, "--detect")
    assert result.exit_code == 0, result.output
    said = result.stderr.splitlines()
    assert "An export (focus): s3://bills/focus/daily" in said
    assert "An export (cur2): s3://bills/focus/weekly" in said
    assert any(line.startswith("Not seen: tag:GetTagKeys was refused") for line in said)
    assert "Workloads: atlas-7b" in said
    assert not any(line.startswith("To fill in") for line in said)
    assert "Using s3://bills/focus/weekly (cur2); --bill and --kind choose another." in said
    assert written(tmp_path).sources[0].options == {"location": "s3://bills/focus/weekly"}


def test_workloads_beyond_the_first_page_are_seen(tmp_path: Path, aws: Fake) -> None:
    metrics = [metric(Workload=name, Run="r") for name in ("bard", "cello")]
    aws.shows(**healthy(metrics=metrics, metric_page=1))
    assert "Workloads: bard, cello" in init(tmp_path, "--detect").stderr
    assert [one.name for one in written(tmp_path).workloads] == ["bard", "cello"]
    paid = ledger.read_lines(tmp_path / "data" / ledger.FILE)
    listed = [line for line in paid if line["operation"] == "ListMetrics"]
    assert len(listed) == len(aws.asked("ListMetrics")) == 2


@pytest.mark.parametrize("kind", ["focus", "cur2"])
def test_a_folder_tells_which_export_it_holds(tmp_path: Path, kind: str) -> None:
    """Where there is none, it is asked again; what is there needs no name."""
    columns = ",".join(formats.named(kind).REQUIRED)
    (tmp_path / "exports").mkdir()
    (tmp_path / "exports" / "bill.csv").write_text(columns + "\n")
    result = init(tmp_path, "--ask", answers="n\nexprots\nexports\nepochs.csv\n")
    assert "no export found: " in result.stderr
    assert "Which export is it?" not in result.stderr
    settings = written(tmp_path)
    assert settings.sources[0].kind == settings.cost.source == kind
    assert settings.sources[0].options == {"location": "exports"}


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("kind", ["focus", "cur2"])
def test_a_copy_of_an_export_with_its_manifests_tells_too(
    tmp_path: Path, kind: str, named: bool
) -> None:
    """By its manifest; by its data where that names no columns, as of a script of one's own."""
    for folder in ("data", "metadata"):
        (tmp_path / f"bill/{folder}/BILLING_PERIOD=2026-10").mkdir(parents=True)
    data = tmp_path / "bill/data/BILLING_PERIOD=2026-10/a.csv"
    data.write_text(",".join(formats.named(kind).REQUIRED) + "\n")
    said = manifest(kind) if named else json.dumps({"dataFiles": [str(data)]})
    (tmp_path / "bill/metadata/BILLING_PERIOD=2026-10/a-Manifest.json").write_text(said)
    assert init(tmp_path, "--bill", "bill").exit_code == 0
    assert written(tmp_path).cost.source == kind


FOCUS_MONTH = "focus/daily/metadata/BILLING_PERIOD=2026-10/daily-Manifest.json"


def manifest(kind: str) -> str:
    return json.dumps({"columns": [{"name": name} for name in formats.named(kind).REQUIRED]})


@pytest.mark.parametrize("kind", ["focus", "cur2"])
def test_an_export_in_s3_tells_which_it_is(tmp_path: Path, aws: Fake, kind: str) -> None:
    """Its newest manifest does, which costs a listing and a read, recorded before they are sent."""
    older = FOCUS_MONTH.replace("2026-10", "2026-09")
    aws.shows(objects={f"bills/{FOCUS_MONTH}": manifest(kind), f"bills/{older}": "{}"})
    result = init(tmp_path, "--ask", answers=f"n\n{LOCATION}\nepochs.csv\n")
    assert "Which export is it?" not in result.stderr
    settings = written(tmp_path)
    assert settings.sources[0].kind == settings.cost.source == kind
    asked = [line["operation"] for line in ledger.read_lines(tmp_path / "data" / ledger.FILE)]
    assert asked[:2] == ["ListObjectsV2", "GetObject"]


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        ({"denied": ["s3:ListBucket"]}, "Not seen: s3:ListBucket s3://bills/focus/daily/ was ref"),
        ({"objects": {f"bills/{FOCUS_MONTH}": '{"columns": 5}'}}, "neither FOCUS nor CUR 2.0 by"),
        ({"objects": {"bills/focus/daily/a.csv": ""}}, "an export without a manifest: "),
    ],
)
def test_an_export_in_s3_that_does_not_tell_is_asked_for(
    tmp_path: Path, aws: Fake, shown: dict[str, Any], said: str
) -> None:
    aws.shows(**{"objects": {f"bills/{FOCUS_MONTH}": manifest("focus")}, **shown})
    again = "" if "denied" in shown else "\n"
    answers = f"n\n{LOCATION}\n{again}cur2\nepochs.csv\n"
    result = init(tmp_path, "--ask", answers=answers)
    assert said in result.stderr
    assert "Which export is it?" in result.stderr
    assert written(tmp_path).sources[0].kind == "cur2"


def test_a_bill_that_is_given_tells_its_kind_too(tmp_path: Path) -> None:
    (tmp_path / "bill.csv").write_text(",".join(formats.named("cur2").REQUIRED) + "\n")
    assert init(tmp_path, "--bill", "bill.csv").exit_code == 0
    assert written(tmp_path).cost.source == "cur2"


def test_nobody_at_a_terminal_asks_s3_for_nothing(tmp_path: Path, aws: Fake) -> None:
    aws.shows(objects={f"bills/{FOCUS_MONTH}": manifest("cur2")})
    assert init(tmp_path, "--bill", LOCATION).exit_code == 0
    assert aws.asked("ListObjectsV2") == []
    assert init(tmp_path, "--bill", LOCATION, "--detect", "--force").exit_code == 0
    assert written(tmp_path).cost.source == "cur2"


def test_what_was_left_open_is_asked_again_at_the_next_run(tmp_path: Path) -> None:
    """What has an answer is not, and stays as it is."""
    assert init(tmp_path, "--run-tag", "job").exit_code == 0
    (tmp_path / "bill.csv").write_text(",".join(formats.named("cur2").REQUIRED) + "\n")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "epochs.csv").write_text("")
    result = init(tmp_path, "--ask", answers="\nbill.csv\nruns\n")
    assert "Where is the bill?" in result.stderr
    assert "Where is the progress of runs?" in result.stderr
    settings = written(tmp_path)
    assert (settings.cost.source, settings.tags.run) == ("cur2", "job")
    assert [s.options for s in settings.sources] == [{"location": "bill.csv"}, {"location": "runs"}]
    again = init(tmp_path, "--ask", answers="\n")
    assert "Where is" not in again.stderr
    assert written(tmp_path) == settings


@pytest.mark.parametrize("wrong", ["???", "epochz.csv", "empty"])
def test_where_no_progress_is_it_is_asked_again(tmp_path: Path, wrong: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "runs.jsonl").write_text("")
    answers = f"n\ncost_explorer\n{wrong}\nruns.jsonl\nworkload\nrun\n"
    result = init(tmp_path, "--ask", answers=answers)
    assert f"no progress file found: {tmp_path / wrong}" in result.stderr
    assert result.stderr.count("Where is the progress of runs?") == 2
    assert written(tmp_path).sources[1].options == {"location": "runs.jsonl"}


def test_progress_that_comes_later_may_stay_where_it_will_be(tmp_path: Path) -> None:
    """And is asked for at the next run, with the place as what Enter keeps."""
    answers = "n\ncost_explorer\nruns/*.csv\n\nworkload\nrun\n"
    init(tmp_path, "--ask", answers=answers)
    assert written(tmp_path).sources[1].options == {"location": "runs/*.csv"}
    before = (tmp_path / "b.toml").read_text()
    again = init(tmp_path, "--ask", answers="\n\n")
    assert "Not there yet: runs/*.csv" in again.stderr
    assert "[runs/*.csv]" in again.stderr
    assert (tmp_path / "b.toml").read_text() == before
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a.csv").write_text("")
    assert "Where is" not in init(tmp_path, "--ask", answers="\n").stderr


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ("w/r/events.out.tfevents.1761000000.trn1.1.0", "tensorboard"),
        ("w/r/checkpoint-5/trainer_state.json", "trainer_state"),
        ("w/r.csv", "progress_file"),
    ],
)
@pytest.mark.parametrize("asked", [True, False])
def test_the_files_of_progress_tell_who_wrote_them(
    tmp_path: Path, file: str, kind: str, asked: bool
) -> None:
    path = tmp_path / "logs" / file
    path.parent.mkdir(parents=True)
    path.write_text("")
    if asked:
        init(tmp_path, "--ask", answers="n\ncost_explorer\nlogs\nworkload\nrun\n")
    else:
        init(tmp_path, "--no-ask", "--progress", "logs")
    one = written(tmp_path).sources[1]
    assert (one.kind, one.options) == (kind, {"location": "logs"})


@pytest.mark.usefixtures("at_once")
def test_a_server_or_aws_is_taken_as_progress_without_a_look(tmp_path: Path) -> None:
    answers = "n\ncost_explorer\n???\nhttp://127.0.0.1:9\nworkload\nrun\n"
    result = init(tmp_path, "--ask", answers=answers)
    assert result.stderr.count("Where is the progress of runs?") == 2
    assert written(tmp_path).sources[1].kind == "mlflow"


def test_progress_in_s3_is_looked_for_at_a_recorded_cost(tmp_path: Path, aws: Fake) -> None:
    aws.shows(**healthy(objects={"runs/epochs.csv": ""}))
    answers = "n\ncost_explorer\ns3://runs/none\ns3://runs/epochs.csv\nworkload\nrun\n"
    result = init(tmp_path, "--ask", answers=answers)
    assert "no progress file found: s3://runs/none (" in result.stderr
    assert written(tmp_path).sources[1].options == {"location": "s3://runs/epochs.csv"}
    asked = [line["source"] for line in ledger.read_lines(tmp_path / "data" / ledger.FILE)]
    assert asked[:2] == ["init", "init"]


def test_a_place_that_is_not_there_is_asked_for_again_at_the_next_run(tmp_path: Path) -> None:
    """The bill's and that of progress, whatever export the wrong one was said to be."""
    places = ["--bill", "exprots", "--kind", "focus", "--progress", "???"]
    assert init(tmp_path, *places).exit_code == 0
    (tmp_path / "bill.csv").write_text(",".join(formats.named("cur2").REQUIRED) + "\n")
    (tmp_path / "runs.csv").write_text("")
    result = init(tmp_path, "--ask", answers="\nbill.csv\nruns.csv\n")
    assert "Not there yet: exprots\nNot there yet: ???" in result.stderr
    settings = written(tmp_path)
    assert settings.cost.source == "cur2"
    assert [(s.kind, s.options["location"]) for s in settings.sources] == [
        ("cur2", "bill.csv"),
        ("progress_file", "runs.csv"),
    ]


def test_a_place_with_keys_of_its_own_is_left_to_who_wrote_them(tmp_path: Path) -> None:
    assert init(tmp_path, "--bill", "cost_explorer", "--progress", "later.csv").exit_code == 0
    config = tmp_path / "b.toml"
    own = 'location = "later.csv"\nname = "mine"\n'
    config.write_text(config.read_text().replace('location = "later.csv"\n', own))
    assert "Where is" not in init(tmp_path, "--ask", answers="\n").stderr
    assert own in config.read_text()


def test_a_bill_without_progress_is_asked_for_progress_alone(tmp_path: Path) -> None:
    assert init(tmp_path, "--bill", "cost_explorer").exit_code == 0
    result = init(tmp_path, "--ask", answers="\ncloudwatch\n")
    assert "Where is the bill?" not in result.stderr
    assert [s.kind for s in written(tmp_path).sources] == ["cost_explorer", "cloudwatch"]


def test_a_folder_that_may_not_be_read_is_not_called_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    may = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != closed and may(path, mode))
    (tmp_path / "epochs.csv").write_text("")
    given = ["--bill", "closed", "--progress", "epochs.csv"]
    said = init(tmp_path, "--ask", *given, answers="n\n").output
    assert (
        f"focus: cannot read {closed}: Permission denied -> let this user read the folder" in said
    )


def test_without_a_bill_yet_it_says_what_to_fill_in(tmp_path: Path) -> None:
    result = init(tmp_path, "--ask", answers="n\n\nepochs.csv\n")
    assert result.exit_code == 0, result.output
    assert result.stderr.endswith("location` of the first [[sources]]\n")
    assert "Next: breakeven doctor" in result.stdout


@pytest.mark.parametrize(
    ("name", "keys", "found"),
    [
        ("workload", ["owner", "ml_project"], "ml_project"),
        ("run", ["CostCentre", "TrainingJobName"], "TrainingJobName"),
        ("run", ["batch_job", "JobName"], "JobName"),
        ("run", ["runner", "owner"], ""),
    ],
)
def test_a_tag_is_suggested_by_how_it_ends(name: str, keys: list[str], found: str) -> None:
    assert likely(name, keys) == found


def test_whoever_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    result = init(tmp_path, "--ask", answers="n\nbill\n")
    assert result.exit_code == 1
    assert list(tmp_path.iterdir()) == []


def test_an_answer_that_cannot_be_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "b.toml").write_text("kept = true")
    result = init(tmp_path, "--force", "--bill", "gs://bucket/prefix")
    assert result.exit_code == 1
    assert "unknown location: gs://bucket/prefix" in result.stderr
    assert tomllib.loads((tmp_path / "b.toml").read_text()) == {"kept": True}


def test_a_path_that_is_no_text_is_refused(tmp_path: Path) -> None:
    result = init(tmp_path, "--bill", "bills\udcff")
    assert (result.exit_code, list(tmp_path.iterdir())) == (1, [])
    assert "not UTF-8: 'bills\\udcff'" in result.stderr


@pytest.mark.parametrize("bill", ['a "quoted" folder', "C:\\bills", "täglich", "\U0001f4ca\x7f"])
def test_any_path_can_be_written(tmp_path: Path, bill: str) -> None:
    assert init(tmp_path, "--bill", bill).exit_code == 0
    assert written(tmp_path).sources[0].options == {"location": bill}

"""Each broken state by itself is the one finding, with its remedy; what depends on it is silent."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.config import Config

from ingest.doctor import examine
from ingest.doctor.bill import cost_allocation_tags
from ingest.doctor.examination import Examination
from ingest.paid_requests import ledger
from ingest.pull import pull
from models.config.settings import Settings
from models.formats.bill import cur2
from models.raw.pulls.pull_journal import JOURNAL_FILE
from tests.support.ingest.fake_aws import Configured, Fake
from tests.support.ingest.focus_exports import as_csv, charge
from tests.support.ingest.healthy_company import (
    PAYER,
    SOURCES,
    company,
    delivered,
    export,
    healthy,
    instant,
    metric,
    only,
    tag,
    wrong,
)

BILL, METRICS = SOURCES[0], SOURCES[2]
BILLED = {"kind": "focus", "location": "bill.csv"}
INPLACE = {"kind": "progress_file", "location": "epochs.csv"}
UNHEALTHY = {"StatusCode": "UNHEALTHY", "StatusReason": "INSUFFICIENT_PERMISSION"}
State = tuple[dict[str, Any], str, str, str, str]


@pytest.fixture
def plain(configured: Configured) -> Settings:
    """A bill in S3 and metrics of one account, nothing else."""
    return company(configured, BILL, METRICS)


STATES: dict[str, State] = {
    "expired": (
        {"errors": [{"operation": "GetCallerIdentity", "code": "ExpiredToken", "on": [1]}]},
        *("credentials", "blocks", "ExpiredToken", "sign in again"),
    ),
    "wrong key": (
        {"errors": [{"operation": "GetCallerIdentity", "code": "InvalidClientTokenId", "on": [1]}]},
        *("credentials", "blocks", "InvalidClientTokenId", "check the access key"),
    ),
    "clock refused": (
        {"errors": [{"operation": "GetCallerIdentity", "code": "RequestExpired", "on": [1]}]},
        *("clock", "blocks", "RequestExpired", "timedatectl"),
    ),
    "clock behind": ({"clock": 400}, "clock", "blocks", "s behind AWS", "timedatectl"),
    "clock ahead": ({"clock": -150}, "clock", "warning", "s ahead of AWS", "timedatectl"),
    "region": (
        {"accounts": {"999900000002": {"opted_out": ["us-east-1"]}}},
        *("roles", "blocks", "InvalidClientTokenId", "has opted in to this region"),
    ),
    "bucket": (
        {"objects": {"another/key": "x"}},
        *("permissions", "blocks", "NoSuchBucket", "check the bucket's name"),
    ),
    "nothing there": (
        {"objects": {"bills/elsewhere/key": "x"}},
        *("exports", "blocks", "no export found", "check `location`"),
    ),
    "no export": (
        {"exports": [export(prefix="elsewhere")]},
        *("exports", "warning", "AWS knows no export", "Data Exports"),
    ),
    "unhealthy": (
        {"exports": [export(health=UNHEALTHY)]},
        *("exports", "blocks", "UNHEALTHY, INSUFFICIENT_PERMISSION", "write to the bucket"),
    ),
    "not delivered": (
        {"exports": [export(executions=[delivered(1, "QUERY_IN_PROCESS")])]},
        *("exports", "warning", "has not delivered yet", "Data Exports"),
    ),
    "delivery failed": (
        {"exports": [export(executions=[delivered(9), delivered(1, "DELIVERY_FAILURE")])]},
        *("exports", "warning", "since then DELIVERY_FAILURE", "Data Exports"),
    ),
    "delivery late": (
        {"exports": [export(executions=[delivered(90), delivered(60)])]},
        *("exports", "warning", "it should do so every day", "Data Exports"),
    ),
    "another table": (
        {"exports": [export(query="SELECT a FROM COST_AND_USAGE_REPORT")]},
        *("exports", "blocks", 'not an export for kind = "focus"', 'kind = "cur2"'),
    ),
    "tag inactive": (
        {"allocation_tags": [tag("workload"), tag("run", "Inactive")]},
        *("tags", "blocks", "not activated", "activate it in the payer, console: Billing"),
    ),
    "tag never seen": (
        {"allocation_tags": [tag("workload")]},
        *("tags", "blocks", "on no resource (this check cost $0.01)", "tag the resources"),
    ),
    "tag spelt otherwise": (
        {"allocation_tags": [tag("workload"), tag("Run")]},
        *("tags", "blocks", 'AWS knows it only as "Run"', 'tags.run = "Run"'),
    ),
    "tag with a prefix": (
        {"allocation_tags": [tag("workload"), tag("ml:run")]},
        *("tags", "blocks", 'AWS knows it only as "ml:run"', 'tags.run = "ml:run"'),
    ),
    "tag inactive, and so is another spelling": (
        {"allocation_tags": [tag("workload"), tag("run", "Inactive"), tag("Run", "Inactive")]},
        *("tags", "blocks", "not activated", "activate it in the payer, console: Billing"),
    ),
    "no metrics": (
        {"metrics": []},
        *("metrics", "warning", "exactly the dimensions Workload, Run", "ingest/emit.py"),
    ),
    "other dimensions": (
        {"metrics": [metric(Workload="atlas-7b", Run="t1", Host="h")]},
        *("metrics", "warning", "its metrics have Host, Run, Workload", "ingest/emit.py"),
    ),
    "other metrics": (
        {"metrics": [{**metric(Workload="atlas-7b", Run="t1"), "name": "epochs"}]},
        *("metrics", "warning", "none of Epoch, Samples,", "map the run's own metrics"),
    ),
}


@pytest.mark.parametrize(("newest", "state"), [("2026-10-01", "blocks"), ("2026-03-01", "ok")])
def test_a_tag_that_a_later_bill_does_not_carry_is_not_in_order(
    plain: Settings, aws: Fake, monkeypatch: pytest.MonkeyPatch, newest: str, state: str
) -> None:
    """Both were activated on 2026-03-01: a bill that goes on from there should have them."""
    row = {"workload_first": None, "run_first": None, "newest": date.fromisoformat(newest)}
    monkeypatch.setattr(Examination, "snapshot_rows", lambda *_: [row])
    aws.shows(**healthy())
    found = list(cost_allocation_tags.check_cost_allocation_tags(Examination(plain)))
    assert [one.state for one in found] == [state] * 2
    if state == "blocks":
        said = "activated on 2026-03-01, but on no spend of the bill (this check cost $0.01)"
        assert [(one.found, one.remedy) for one in found] == [
            (said, cost_allocation_tags.TAG_THEM)
        ] * 2


@pytest.mark.parametrize("name", STATES)
def test_a_broken_state_is_the_one_finding(plain: Settings, aws: Fake, name: str) -> None:
    world, check, state, words, remedy = STATES[name]
    found = only(aws, plain, healthy(**world))
    assert (found.check, found.state) == (check, state)
    assert words in found.found
    assert remedy in found.remedy


def test_metrics_beyond_the_first_page_arrive_too(plain: Settings, aws: Fake) -> None:
    runs = [metric(Workload=f"w{number:02}", Run="r") for number in range(13)]
    other = metric(Workload="atlas-7b", Run="t1", Host="h")
    aws.shows(**healthy(metrics=[other, *runs], metric_page=7))
    (found,) = (one for one in examine(plain) if one.check == "metrics")
    reported = "reported in the last two weeks: 13 workloads (13 series)"
    assert (found.state, found.found) == ("ok", reported)


def test_without_credentials_that_is_all(
    plain: Settings, aws: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    found = only(aws, plain, healthy())
    assert (found.check, found.state) == ("credentials", "blocks")
    assert "no AWS credentials" in found.found
    assert "AWS_PROFILE" in found.remedy


def test_a_profile_that_is_not_there_is_named(
    plain: Settings, aws: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "finance")
    found = only(aws, plain, healthy())
    assert (found.check, found.state) == ("credentials", "blocks")
    assert "finance" in found.found


def test_without_a_region_that_is_all(
    plain: Settings, aws: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    found = only(aws, plain, healthy())
    assert (found.check, found.state) == ("credentials", "blocks")
    assert "no AWS region" in found.found
    assert "AWS_DEFAULT_REGION" in found.remedy


@pytest.mark.parametrize("where", ["AWS_DEFAULT_REGION", "region"])
def test_a_region_that_is_none_is_the_one_finding(
    configured: Configured, aws: Fake, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """Where something answers all the same, botocore is older than the region."""
    own = {"region": "us-east1"} if where == "region" else {}
    if not own:
        monkeypatch.setenv(where, "us-east1")
    settings = company(configured, BILL, {"kind": "cloudwatch", **own})
    new = only(aws, settings, healthy())
    assert (new.check, new.state, new.remedy) == ("regions", "warning", "did you mean us-east-1?")
    found = only(aws, settings, healthy(accounts={PAYER: {"opted_out": ["us-east1"]}}))
    assert (found.check, found.state) == ("regions", "blocks")
    assert "AWS has no such region, and nothing answers there" in found.found


def test_a_network_that_is_not_there_is_said_once(plain: Settings) -> None:
    (found,) = wrong(plain)
    assert (found.check, found.state) == ("credentials", "blocks")
    assert "AWS cannot be reached" in found.found


def test_a_throttled_call_is_no_missing_right(
    configured: Configured, aws: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = Config(retries={"mode": "standard", "total_max_attempts": 1})
    monkeypatch.setattr("ingest.aws.sessions.CONFIG", once)
    throttled = {"operation": "GetTags", "code": "LimitExceededException", "on": [1]}
    aws.shows(**healthy(errors=[throttled]))
    settings = company(configured, BILL, SOURCES[1], METRICS)
    assert wrong(settings) == []
    aws.forget()
    (waits,) = (one for one in examine(settings) if "LimitExceeded" in one.found)
    assert (waits.state, waits.remedy) == ("skipped", "AWS throttles: run again later")


def test_credentials_of_another_account_are_named(configured: Configured, aws: Fake) -> None:
    account = {"id": "999900000009", "name": "vision", "role_arn": ""}
    source = {**METRICS, "accounts": ["vision"]}
    found = only(aws, company(configured, BILL, source, accounts=[account]), healthy())
    assert (found.check, found.state) == ("roles", "blocks")
    assert "999900000001, not 999900000009" in found.found


def test_files_need_no_network(configured: Configured) -> None:
    """The environment's AWS is a port that nobody listens on."""
    (configured.home / "bill.csv").write_bytes(as_csv([charge("2026-10-01")]))
    (configured.home / "epochs.csv").write_text("observed_at,workload,run,epoch\n")
    settings = configured({"kind": "focus", "location": "bill.csv"}, INPLACE)
    assert wrong(settings) == []
    said = [one.line() for one in examine(settings)]
    assert "ok       credentials: AWS: no source asks AWS: none are needed" in said
    assert any("bill.csv is there, deliveries: 1" in line for line in said)


@pytest.mark.parametrize(
    ("sources", "about", "words", "remedy"),
    [
        ([{"kind": "focus", "location": "no.csv"}, INPLACE], "focus", "does not exist", "check"),
        ([{"kind": "focus", "location": "bill.csv"}], "progress", "stays unknown", "cloudwatch"),
        (
            [BILLED, {"kind": "neuron_monitor", "location": "busy.json"}],
            *("progress", "no [[sources]] reports progress", "sagemaker, mlflow, "),
        ),
        ([INPLACE], "cost.source", 'no [[sources]] is called "focus"', 'kind = "focus"'),
        (
            [{"kind": "cur2", "location": "cur2.csv"}, INPLACE],
            *("cost.source", 'no [[sources]] is called "focus"', 'cost.source = "cur2"'),
        ),
        ([], "breakeven.toml", "no [[sources]] are configured", "`breakeven init`"),
    ],
)
def test_a_config_that_makes_no_sense_is_named(
    configured: Configured, sources: list[dict[str, Any]], about: str, words: str, remedy: str
) -> None:
    (configured.home / "bill.csv").write_bytes(as_csv([charge("2026-10-01")]))
    (configured.home / "epochs.csv").write_text("observed_at,workload,run,epoch\n")
    (configured.home / "busy.json").write_text("[]")
    (configured.home / "cur2.csv").write_text(",".join(cur2.REQUIRED) + "\n")
    (found,) = wrong(configured(*sources))
    assert (found.check, found.about) == ("config", about)
    assert words in found.found
    assert remedy in found.remedy


def test_one_tag_for_both_is_none(configured: Configured) -> None:
    (configured.home / "bill.csv").write_bytes(as_csv([charge("2026-10-01")]))
    (configured.home / "epochs.csv").write_text("observed_at,workload,run,epoch\n")
    one = configured(BILLED, INPLACE, tags={"workload": "job", "run": "job"})
    (found,) = wrong(one)
    assert (found.check, found.about, found.state) == (
        "config",
        "tags.workload, tags.run",
        "blocks",
    )
    assert 'both are "job"' in found.found


def test_a_table_that_is_none_is_named_before_it_is_pulled(configured: Configured) -> None:
    (configured.home / "bill.csv").write_bytes(as_csv([charge("2026-10-01")]))
    (configured.home / "epochs.csv").write_text("observed_at;workload;run;epoch\n")
    (found,) = wrong(configured({"kind": "focus", "location": "bill.csv"}, INPLACE))
    assert (found.check, found.about, found.state) == ("config", "progress_file", "blocks")
    assert found.found.endswith("epochs.csv: the columns are separated by ';'")
    assert found.remedy == "deliver it with commas"


def test_a_place_whose_files_are_gone_is_not_called_there(configured: Configured) -> None:
    settings = configured({"kind": "progress_file", "location": "runs"})
    runs = settings.home / "runs"
    runs.mkdir()
    (runs / "a.csv").write_text("observed_at,workload,run,epoch\n2026-09-01T00:00:00Z,w,r,1\n")
    pull(settings).raise_failures()
    runs.rename(settings.home / "moved")
    (one,) = (
        one for one in examine(settings) if one.check == "config" and one.about == "progress_file"
    )
    assert (one.state, one.found) == (
        "warning",
        f"no file is at {runs} any more; what it delivered counts on",
    )


def test_what_else_lies_in_the_folder_of_a_run_is_no_fault(configured: Configured) -> None:
    run = configured.home / "runs" / "atlas" / "a"
    run.mkdir(parents=True)
    (run / "trainer_state.json").write_text('{"log_history": [], "global_step": 1}')
    (run / "sales.csv").write_text("a;b\n")
    (configured.home / "bill.csv").write_bytes(as_csv([charge("2026-10-01")]))
    logs = {"kind": "trainer_state", "location": "runs"}
    settings = configured({"kind": "focus", "location": "bill.csv"}, logs)
    assert [one for one in wrong(settings) if one.about == "trainer_state"] == []


def test_files_of_which_none_is_a_run_are_a_warning(configured: Configured, tmp_path: Path) -> None:
    run = tmp_path / "runs" / "atlas" / "t1"
    run.mkdir(parents=True)
    (run / "trainer_state.json").write_text('{"log_history": [], "global_step": 1}')
    logs = {"kind": "trainer_state", "location": "runs", "path": "{workload}/out/{run}"}
    (found,) = [one for one in wrong(configured(logs)) if one.about == "trainer_state"]
    assert found.found.startswith(f"{tmp_path}/runs is there, deliveries: 0: ")
    assert "set `workload` or `path` in the config" in found.found


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("bad.csv", "a,b\n1,2\n", "required column missing"),
        ("bad.parquet", "junk", "this is not a Parquet file"),
    ],
)
def test_a_bill_without_its_columns_is_named_before_it_is_pulled(
    configured: Configured, name: str, text: str, words: str
) -> None:
    (configured.home / name).write_text(text)
    (configured.home / "epochs.csv").write_text("observed_at,workload,run,epoch\n")
    (found,) = wrong(configured({**BILLED, "location": name}, INPLACE))
    assert (found.check, found.about, found.state) == ("config", "focus", "blocks")
    assert words in found.line()


@pytest.mark.parametrize(("free", "state"), [(5 << 20, "blocks"), (600 << 20, "warning")])
def test_a_disk_that_is_nearly_full_is_named(
    configured: Configured, monkeypatch: pytest.MonkeyPatch, free: int, state: str
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    (configured.home / "bill.csv").write_bytes(as_csv([charge("2026-10-01")]))
    (configured.home / "epochs.csv").write_text("observed_at,workload,run,epoch\n")
    (found,) = wrong(configured({"kind": "focus", "location": "bill.csv"}, INPLACE))
    assert (found.check, found.state) == ("disk", state)
    assert "GiB free, and a build may need 1.0" in found.found


def test_a_place_that_cannot_be_written_to_is_named(configured: Configured) -> None:
    (configured.home / "bill.csv").write_bytes(as_csv([charge("2026-10-01")]))
    (configured.home / "epochs.csv").write_text("observed_at,workload,run,epoch\n")
    (configured.home / "data").write_text("a file")
    settings = configured({"kind": "focus", "location": "bill.csv"}, INPLACE)
    (found,) = wrong(settings)
    assert (found.check, found.state) == ("disk", "blocks")
    assert "warehouse.path" in found.remedy


def test_a_feed_that_failed_says_why(configured: Configured) -> None:
    (configured.home / "bill.csv").write_bytes(as_csv([charge("2026-10-01")]))
    (configured.home / "epochs.csv").write_text("observed_at,workload,run,epoch\n")
    settings = configured({"kind": "focus", "location": "bill.csv"}, INPLACE)
    pulled(settings.data, source="focus", error="the file is cut off")
    (never,) = wrong(settings)
    assert (never.check, never.state) == ("feeds", "blocks")
    assert never.found == "its last pull failed: the file is cut off"
    pulled(settings.data, source="focus", error="", fresh_until=instant(-3))
    pulled(settings.data, source="focus", error="the file is cut off")
    pulled(settings.data, source="progress_file", error="", fresh_until=instant(3))
    failed, stale = wrong(settings)
    assert (failed.check, failed.state) == ("feeds", "warning")
    assert failed.found == "its last pull failed: the file is cut off"
    assert "is `breakeven schedule` running?" in stale.found


def test_one_cause_is_one_finding_also_after_a_pull(configured: Configured) -> None:
    (configured.home / "epochs.csv").write_text("observed_at,workload,run,epoch\n")
    settings = configured(BILLED, INPLACE)
    location = f"{configured.home / 'bill.csv'}"
    pulled(settings.data, source="focus", error="which does not exist", location=location)
    (found,) = wrong(settings)
    assert (found.check, found.about, found.state) == ("config", "focus", "blocks")
    assert found.found == f"no export found: {location}, which does not exist"


def pulled(folder: Path, **told: str) -> None:
    """A line of the journal."""
    line = {"at": instant(5).replace("Z", "+00:00"), "location": "", "window": "", **told}
    ledger.append(folder / JOURNAL_FILE, line)


def test_a_prometheus_that_does_not_answer_is_a_server_and_no_missing_file(
    configured: Configured, tmp_path: Path
) -> None:
    (tmp_path / "bill.csv").write_bytes(as_csv([charge("2026-10-01")]))
    pods = {"kind": "kubernetes", "cluster": "prod", "location": "http://127.0.0.1:9/prom"}
    settings = company(configured, BILLED, pods)
    (one,) = [each for each in wrong(settings) if each.about == "kubernetes"]
    assert (one.check, one.state) == ("servers", "blocks")
    assert one.found == (
        "Prometheus at http://127.0.0.1:9/prom cannot be reached: [Errno 111] Connection refused"
    )

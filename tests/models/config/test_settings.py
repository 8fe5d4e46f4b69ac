"""The config and the environment: closed to what they do not know, one line for each mistake."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from models.config.feeds import Raw
from models.config.loading import load
from models.config.settings import Settings
from models.contract.errors import ConfigError

A, B = "999900000001", "999900000002"


def loaded(folder: Path, text: str, **environ: str) -> Settings:
    file = folder / "breakeven.toml"
    file.write_text(text, encoding="utf-8")
    return load(file, environ)


def refused(folder: Path, text: str, **environ: str) -> str:
    with pytest.raises(ConfigError) as caught:
        loaded(folder, text, **environ)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_the_defaults_are_those_of_the_manual(tmp_path: Path) -> None:
    given = loaded(tmp_path, "")
    assert given.warehouse_file == tmp_path / "data" / "warehouse.duckdb"
    assert (given.tags.workload, given.tags.run, given.tags.extra) == ("workload", "run", ())
    assert (given.cost.source, given.cost.basis) == ("focus", "effective")
    assert given.cost.settle_days == 3
    assert (given.baseline.method, given.baseline.min_runs) == ("conservative", 2)
    assert (given.baseline.window_days, given.raw.keep_days) == (365, 30)
    assert given.cost.api_budget_usd_per_day == Decimal("1.00")
    assert given.schedule.cost == "0 6 * * *"


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    given = loaded(
        tmp_path,
        'as_of = 2026-10-31\ncost.settle_days = 5\ntags.extra = ["team"]\n',
        BREAKEVEN_COST__SETTLE_DAYS="7",
        BREAKEVEN_AS_OF="2026-09-30",
        BREAKEVEN_TAGS__EXTRA="a,b",
        BREAKEVEN_WAREHOUSE__PATH="/elsewhere/w.duckdb",
        UNRELATED="1",
    )
    assert given.cost.settle_days == 7
    assert given.today == date(2026, 9, 30)
    assert given.last_settled == date(2026, 9, 23)
    assert given.tags.extra == ("a", "b")
    assert given.data == Path("/elsewhere")


def test_money_in_the_file_is_exact(tmp_path: Path) -> None:
    text = '[[investments]]\ndate = 2025-08-15\nkind = "tooling"\namount = 0.1\n'
    assert loaded(tmp_path, text).investments[0].one_time == Decimal("0.1")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bassline.method = 'fixed'", "bassline (did you mean baseline?)"),
        ("baseline.metod = 'fixed'", "baseline.metod (did you mean baseline.method?)"),
        ("baseline.method = 'guess'", "baseline.method = 'guess'"),
        ("cost.settle_days = 'three'", "cost.settle_days = 'three'"),
        ("cost.settle_days = -1", "cost.settle_days = -1"),
        ("baseline.min_runs = 0", "baseline.min_runs = 0"),
        (f"baseline.latest = {'9' * 20}", "Input should be less than or equal to 10000"),
        ("as_of = 'yesterday'", "as_of = 'yesterday'"),
        ("as_of = 2005-12-31", "as_of = 2005-12-31: Input should be greater than or equal to 2006"),
        ("as_of = 9999-12-31", "as_of = 9999-12-31: Input should be less than or equal to 2100-12"),
        ("home = '/'", "unknown key: home"),
        ("cost = [", "is not valid TOML"),
        ("a = " + "[" * 3000 + "]" * 3000, "is not valid TOML: maximum recursion depth"),
        (f"clusters.gap_minutes = {'9' * 5000}", "is not valid TOML: Exceeds the limit"),
        ("clusters.gap_minutes = true", "clusters.gap_minutes = True: Input should be a number"),
        ("[[sources]]\nkind = 'focus'\nlocation = \"a\\u0000\"", "no. 1: location has a NUL"),
        ("[[workloads]]\ntarget_loss = 1.0", "[[workloads]] no. 1: name"),
        ("[[workloads]]\nname = 'a'\n[[workloads]]\nname = 'a'", "is given more than once"),
        ("[[workloads]]\nname = 'a'\ntarget_loss = nan", "finite"),
        ("[[runs]]\nrun = 'r'\n[[runs]]\nrun = 'r'\nworkload = 'a'", "'r' is given more than once"),
        (
            "invoices = [{account = '1', month = '2026-01', amount = 1}, "
            "{account = '1', month = '2026-01', amount = 2}]",
            "'1 of 2026-01' is given more than once",
        ),
        (
            "capacity_blocks = [{instance_type = 'p5.48xlarge', instances = 1, fee = 1, "
            "start = 2025-09-02, end = 2025-09-01T00:00:00Z}]",
            "is not after start",
        ),
        ("[[workloads]]\nname = 'a'\ntarget = 1.0", "did you mean workloads.target_loss?"),
        ("[[investments]]\ndate = 2025-01-01\nkind = 'engineering'\namount = 1", "day_rate"),
        ("[[investments]]\ndate = 2025-01-01\nkind = 'tooling'\namount = -1", "amount = -1"),
        ("[[invoices]]\naccount = '1'\nmonth = '2026-13'\namount = 1", "month = '2026-13'"),
        ("[[runs]]\nrun = 'a'\npurpose = 'prod'", "purpose = 'prod'"),
        ("[[tag_rules]]\nmatch = {a = 'b'}", "a rule names a workload, a run, or both"),
        ("[[tag_rules]]\nmatch = {}\nrun = 'r'", "match"),
        ("tags.extra = 'team'", "tags.extra = 'team'"),
        ("schedule.prices = '61 * * * *'", "schedule.prices = '61 * * * *': not a cron expr"),
        ("[[workloads]]\nname = '(portfolio)'", "all workloads together are called so"),
        (
            "[[runs]]\nrun = 'a'\nworkload = '(portfolio)'",
            "[[runs]] no. 1: workload = '(portfolio)'",
        ),
        ("[[tag_rules]]\nmatch = {a = 'b'}\nworkload = '(portfolio)'", "choose another name"),
        ("tags.extra = ['team', 'team']", "tags.extra"),
        (
            "[[accounts]]\nid = '12'",
            "[[accounts]] no. 1: id = '12': an account id is twelve digits",
        ),
        (f"[[accounts]]\nid = '{A}'\n[[accounts]]\nid = '{A}'", f"'{A}' is given more than once"),
        (
            f"accounts = [{{id = '{A}', name = 'x'}}, {{id = '{B}', name = 'x'}}]",
            "'x' is given more",
        ),
        (f"accounts = [{{id = '{A}', name = '{B}'}}, {{id = '{B}'}}]", f"'{B}' is given more"),
        (f"[[accounts]]\nid = '{A}'\nname = '*'", "'*' means all of them"),
        (f"[[accounts]]\nid = '{A}'\nexternal_id = 'abc'", f"external_id of {A} needs role_arn"),
        (
            f"accounts = [{{id = '{A}', role_arn = 'arn:aws:iam::{B}:role/r'}}]",
            f"accounts: arn:aws:iam::{B}:role/r is not a role of {A}",
        ),
        ("organization.external_id = 'abc'", "external_id needs role_arn"),
        ("organization.role_arn = 'admin'", "organization.role_arn = 'admin'"),
        (f"organization.role_arn = 'arn:aws:iam::{A}:role/r'", "write {account} for its id"),
        ("organization.regions = ['mars']", "organization.regions, no. 1 = 'mars'"),
        ("organization.payers = '1'", "did you mean organization.payer?"),
        ("sources = [{kind = 'focus', name = '..'}]", "no. 1: name = '..': deliveries are kept in"),
        ('sources = [{kind = "focus", name = "a\\u001b"}]', "deliveries are kept in a folder of"),
        (f"sources = [{{kind = 'focus', name = '{'n' * 101}'}}]", "at most 100"),
        (
            "sources = [{kind = 'focus', regions = ['eu-west-1', 'eu-west-1']}]",
            "'eu-west-1' is given",
        ),
    ],
)
def test_a_mistake_is_one_line_with_the_key_and_the_value(
    tmp_path: Path, text: str, said: str
) -> None:
    assert said in refused(tmp_path, text)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("BREAKEVEN_COST__SETLE_DAYS", "did you mean BREAKEVEN_COST__SETTLE_DAYS?"),
        ("BREAKEVEN_BASELINE_METHOD", "did you mean BREAKEVEN_BASELINE__METHOD?"),
        ("BREAKEVEN_CONFG", "did you mean BREAKEVEN_CONFIG?"),
        ("BREAKEVEN_SOURCES", "unknown environment variable"),
    ],
)
def test_an_unknown_variable_is_refused_with_the_nearest_name(
    tmp_path: Path, name: str, said: str
) -> None:
    assert said in refused(tmp_path, "", **{name: "1"})


def test_a_bad_value_in_the_environment_is_named(tmp_path: Path) -> None:
    said = refused(tmp_path, "", BREAKEVEN_COST__SETTLE_DAYS="x")
    assert said.startswith("BREAKEVEN_COST__SETTLE_DAYS = 'x': ")
    said = refused(tmp_path, "", BREAKEVEN_TAGS__EXTRA="a,a")
    assert said == "BREAKEVEN_TAGS__EXTRA = ['a', 'a']: 'a' is given more than once"
    said = refused(tmp_path, "", BREAKEVEN_SCHEDULE__COST="banana")
    assert said.startswith("BREAKEVEN_SCHEDULE__COST = 'banana': not a cron expression, ")


def test_every_plain_key_has_a_variable_and_an_empty_one_says_nothing(tmp_path: Path) -> None:
    file = 'as_of = 2026-10-31\nnotice = "ours"\ntags.extra = ["team"]\n'
    assert loaded(tmp_path, file, BREAKEVEN_NOTICE="hello").notice == "hello"
    empty = {"AS_OF": "", "NOTICE": "", "TAGS__EXTRA": "", "COST__SETTLE_DAYS": " ", "CONFIG": ""}
    given = loaded(tmp_path, file, **{f"BREAKEVEN_{name}": text for name, text in empty.items()})
    assert (given.today, given.notice, given.tags.extra) == (date(2026, 10, 31), "ours", ("team",))
    assert given.cost.settle_days == 3
    assert "BREAKEVEN_NOTISE" in refused(tmp_path, file, BREAKEVEN_NOTISE="")


def test_a_config_that_an_editor_began_with_its_mark_is_read(tmp_path: Path) -> None:
    assert loaded(tmp_path, "\ufeffnotice = 'ours'\n").notice == "ours"


def test_a_config_that_is_not_there_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="breakeven init"):
        load(tmp_path / "none.toml", {})
    with pytest.raises(ConfigError, match="breakeven init"):
        load(None, {"BREAKEVEN_CONFIG": str(tmp_path / "none.toml")})


def test_a_config_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b"as_of = '\xe9'")
    with pytest.raises(ConfigError, match="is not valid TOML"):
        load(tmp_path / "latin.toml", {})


def test_two_workloads_may_name_a_run_alike(tmp_path: Path) -> None:
    text = "runs = [{run = 'r', workload = 'a'}, {run = 'r', workload = 'b'}]"
    assert [entry.workload for entry in loaded(tmp_path, text).runs] == ["a", "b"]


def test_settings_cannot_be_changed(tmp_path: Path) -> None:
    given = loaded(tmp_path, "")
    with pytest.raises(ValueError, match="frozen"):
        given.cost.settle_days = 9  # type: ignore[misc]  # that is the point


def test_an_account_says_itself_what_differs(tmp_path: Path) -> None:
    text = f"""organization.role_arn = "arn:aws-us-gov:iam::{{account}}:role/reader"
organization.external_id = "agreed"
organization.regions = ["us-gov-west-1"]
accounts = [
  {{ id = "{A}" }},
  {{ id = "{B}", name = "own", role_arn = "", regions = ["us-gov-east-1"], closed = 2026-03-31 }},
]"""
    first, second = loaded(tmp_path, text).accounts
    assert first.role_arn == f"arn:aws-us-gov:iam::{A}:role/reader"
    assert (first.external_id, first.regions) == ("agreed", ("us-gov-west-1",))
    assert first.display_name == A
    assert (second.role_arn, second.external_id) == ("", None)
    assert second.display_name == f"own ({B})"
    assert (second.regions, second.closed) == (("us-gov-east-1",), date(2026, 3, 31))
    over = loaded(tmp_path, text, BREAKEVEN_ORGANIZATION__REGIONS="us-gov-east-1,us-gov-west-1")
    assert over.accounts[0].regions == ("us-gov-east-1", "us-gov-west-1")


def test_a_bill_may_have_ten_times_the_rows_of_others_unless_the_config_says_how_many() -> None:
    assert [Raw().most_rows(bill=bill) for bill in (True, False)] == [200_000_000, 20_000_000]
    assert [Raw(max_rows=7).most_rows(bill=bill) for bill in (True, False)] == [7, 7]


@pytest.mark.parametrize(("tolerance", "said"), [("1", "less than 1"), ("-0.01", "or equal to 0")])
def test_a_tolerance_that_is_no_share_is_refused(tmp_path: Path, tolerance: str, said: str) -> None:
    message = refused(tmp_path, f"quality.tolerance = {tolerance}\n")
    assert f"quality.tolerance = {tolerance}" in message
    assert said in message


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ('unit = "epochs"', "unit = 'epochs': Input should be 'epoch', 'billion_tokens' or"),
        ("tokens_per_step = 0", "tokens_per_step = 0: Input should be greater than 0"),
        ("samples_per_step = -512", "samples_per_step = -512: Input should be greater than 0"),
        ("planned_epochs = 0", "planned_epochs = 0: Input should be greater than 0"),
        ('ends = "soon"', "ends = 'soon': write a day as 2026-10-31"),
    ],
)
def test_what_cannot_be_of_a_workload_is_refused_with_its_value(
    tmp_path: Path, option: str, said: str
) -> None:
    message = refused(tmp_path, f'[[workloads]]\nname = "a"\n{option}\n')
    assert f"[[workloads]] no. 1: {said}" in message
    assert "\n" not in message


def test_a_path_of_no_user_and_one_that_links_to_itself_are_one_line(tmp_path: Path) -> None:
    """Every verb asks where the warehouse is: it was a traceback of each."""
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for path in ("~nobody-of-this-name/w.duckdb", "loop/w.duckdb"):
        settings = loaded(tmp_path, f'warehouse.path = "{path}"\n')
        with pytest.raises(ConfigError) as caught:
            assert settings.data
        assert f"{caught.value}" == (
            f"a path begins with ~ and no user, or links to itself: {path} (write its whole path)"
        )

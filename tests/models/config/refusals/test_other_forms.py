"""A config value of a wrong form is refused in words of TOML, with the form that it must have."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.sources import configured
from models.config.loading import load
from models.contract.errors import ConfigError

BLOCK = '[[capacity_blocks]]\ninstance_type = "p5.48xlarge"\ninstances = 2\nfee = 3000\n'
PARTNER = '[[investments]]\nkind = "partner"\namount = 10\n'
DAY, TIME = "write a day as 2026-10-31", "write a time as 2026-03-01T11:30:00Z"
ADDRESS = "an address that begins with http:// or https://, without user and password"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[workloads]\nname = 'a'", "{name = 'a'}: write [[workloads]], with two brackets, before"),
        ("[[cost]]\nsource = 'focus'", "cost: write [cost], with one bracket, once"),
        ("cost = 5", "cost = 5: Input should be a table"),
        ("workloads = ['a']", "[[workloads]] no. 1 = 'a': Input should be a table"),
        ("serve.hosts = 'x.example'", "serve.hosts = 'x.example': Input should be a list: [ … ]"),
        ("warehouse.path = 5", "warehouse.path = 5: Input should be text, in quotes"),
        ("cost.api_budget_usd_per_day = '$1'", "= '$1': Input should be a number"),
        ("smtp.port = 2.5", "smtp.port = 2.5: Input should be a whole number"),
        ("smtp.starttls = 'maybe'", "smtp.starttls = 'maybe': Input should be true or false"),
        (f"{PARTNER}date = '15.08.2025'", f"date = '15.08.2025': {DAY}"),
        (f"{PARTNER}date = 1755216000", f"date = 1755216000: {DAY}"),
        (f"{PARTNER}date = '1755216000'", f"date = '1755216000': {DAY}"),
        (f"{BLOCK}start = 20260301\nend = 20260302", f"start = 20260301: {TIME}"),
        (f"{BLOCK}start = '2026-03-01 at noon'\nend = 2026-03-02", f"at noon': {TIME}"),
        ("organization.regions = ['mars']", "'mars': a region, such as us-east-1"),
        ("organization.role_arn = 'admin'", "'admin': the ARN of a role, such as arn:aws:iam::"),
        (
            "[[invoices]]\naccount = '1'\nmonth = '2026-13'\namount = 1",
            "month = '2026-13': a month, such as 2026-09",
        ),
        (
            "[[sources]]\nkind = 'mlflow'\nlocation = 'tracking.example:5000'",
            f"mlflow: location = 'tracking.example:5000': {ADDRESS}",
        ),
        ("schedule.cost = '0 6 31 2 *'", "'0 6 31 2 *': never fires: its months have no such day"),
        (
            "[[access]]\ngroup = 'a'\nrole = 'viewer'\nworkloads = []",
            "workloads = []: Input should not be empty",
        ),
        (f"{PARTNER}date = 2025-08-15\nworkload = ''", "workload = '': a name is missing: write"),
    ],
)
def test_a_value_of_another_form_is_told_which_it_must_have(
    tmp_path: Path, text: str, said: str
) -> None:
    file = tmp_path / "breakeven.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        configured(load(file, {}))
    assert said in str(refused.value)

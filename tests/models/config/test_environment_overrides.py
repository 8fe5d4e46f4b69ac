"""`BREAKEVEN_*` variables: which there are, and how they nest over the file."""

from __future__ import annotations

from typing import get_origin

import pytest

from models.config.environment_overrides import LISTS, merged, overrides, variables
from models.config.section import Section
from models.config.settings import Settings
from models.contract.errors import ConfigError


def test_a_variable_is_nested_as_its_setting_is() -> None:
    found = overrides(
        {
            "BREAKEVEN_COST__SETTLE_DAYS": "5",
            "BREAKEVEN_COST__BASIS": "list",
            "BREAKEVEN_NOTICE": "ours",
            "BREAKEVEN_CONFIG": "elsewhere.toml",
            "PATH": "/bin",
            "XBREAKEVEN_NOTICE": "theirs",
        }
    )
    assert found == {"cost": {"basis": "list", "settle_days": "5"}, "notice": "ours"}


def test_only_lists_are_split_at_commas() -> None:
    found = overrides(
        {
            "BREAKEVEN_TAGS__EXTRA": "team,app",
            "BREAKEVEN_TAGS__WORKLOAD": "a,b",
            "BREAKEVEN_ORGANIZATION__REGIONS": "us-east-1",
        }
    )
    assert found == {
        "tags": {"extra": ["team", "app"], "workload": "a,b"},
        "organization": {"regions": ["us-east-1"]},
    }


def test_every_setting_that_is_a_list_is_split() -> None:
    tables = [field.annotation for field in Settings.model_fields.values()]
    lists = {
        name
        for table in tables
        if isinstance(table, type) and issubclass(table, Section)
        for name, field in table.model_fields.items()
        if get_origin(field.annotation) is tuple
    }
    assert lists == set(LISTS)


def test_settings_that_are_lists_of_tables_have_no_variable_and_neither_has_the_home() -> None:
    names = {name for name, _ in variables()}
    assert {"BREAKEVEN_AS_OF", "BREAKEVEN_SMTP__PASSWORD", "BREAKEVEN_RAW__KEEP_DAYS"} <= names
    assert not names & {"BREAKEVEN_SOURCES", "BREAKEVEN_WORKLOADS", "BREAKEVEN_HOME"}


def test_variables_are_case_sensitive_and_the_first_unknown_one_is_named() -> None:
    with pytest.raises(ConfigError) as caught:
        overrides({"BREAKEVEN_notice": "x", "BREAKEVEN_BASELINE__MIN_RUN": "3"})
    assert str(caught.value) == (
        "unknown environment variable: BREAKEVEN_BASELINE__MIN_RUN "
        "(did you mean BREAKEVEN_BASELINE__MIN_RUNS?)"
    )


def test_tables_are_merged_key_by_key_and_other_values_replaced() -> None:
    file = {"cost": {"basis": "billed", "settle_days": 2}, "as_of": "2026-01-01", "runs": [1]}
    over = {"cost": {"settle_days": "5"}, "as_of": "2026-02-02", "raw": {"keep_days": "1"}}
    assert merged(file, over) == {
        "cost": {"basis": "billed", "settle_days": "5"},
        "as_of": "2026-02-02",
        "runs": [1],
        "raw": {"keep_days": "1"},
    }
    assert file["cost"] == {"basis": "billed", "settle_days": 2}

"""Who has which role by `[[access]]`: deny by default, and several entries add up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from models.access.people import person
from models.access.person import Grant, Person
from models.access.scope import EVERYTHING, Scope
from models.config.loading import validated_settings
from models.contract.errors import ConfigError

ENTRIES: list[dict[str, Any]] = [
    {"group": "everybody", "role": "viewer"},
    {"group": "controllers", "role": "finance"},
    {"user": "ada", "role": "admin"},
]


def test_nobody_reads_whom_no_entry_names(tmp_path: Path) -> None:
    access = validated_settings({"access": ENTRIES}, home=tmp_path).access
    assert person("eve", ["strangers", "ada"], access) is None
    assert person("eve", [], ()) is None


def test_entries_of_a_name_and_of_its_groups_add_up(tmp_path: Path) -> None:
    access = validated_settings({"access": ENTRIES}, home=tmp_path).access
    found = person("ada", ["everybody"], access)
    assert found == Person("ada", (Grant("viewer"), Grant("admin")))
    assert [found.may(role) for role in ("viewer", "finance", "admin")] == [True, True, True]
    assert found.role == "admin"


def test_scopes_add_up_and_an_unscoped_entry_is_everything(tmp_path: Path) -> None:
    table = {
        "tags": {"extra": ["team"]},
        "access": [
            {"group": "nlp", "role": "viewer", "tag": {"team": "nlp"}},
            {"group": "atlas", "role": "viewer", "workloads": ["atlas-*", "lyra"]},
            {"user": "ada", "role": "viewer"},
        ],
    }
    access = validated_settings(table, home=tmp_path).access
    bob = person("bob", ["atlas", "nlp"], access)
    assert bob is not None
    assert bob.scope == Scope(patterns=("atlas-*", "lyra"), tags=((("team", "nlp"),),))
    ada = person("ada", ["atlas"], access)
    assert ada is not None
    assert ada.scope == EVERYTHING
    assert Person("nobody", ()).scope == Scope()


def test_a_star_is_any_text_and_nothing_else_is_special() -> None:
    names = ["atlas-7b", "atlas", "my-atlas-7b", "atlas-7b\nx", "a.las-7b", "atlas-[7b]"]
    assert Scope(patterns=("atlas-*",)).names(names) == {"atlas-7b", "atlas-7b\nx", "atlas-[7b]"}
    assert Scope(patterns=("a.las-7b", "atlas-[7b]")).names(names) == {"a.las-7b", "atlas-[7b]"}
    assert Scope().names(names) == set()


@pytest.mark.parametrize(
    ("grants", "role"),
    [
        ((Grant("viewer"),), "viewer"),
        ((Grant("finance"), Grant("viewer")), "finance"),
        # what finance and admin do is the company's
        ((Grant("admin", ("atlas-*",)),), "viewer"),
        ((Grant("admin", tag={"team": "nlp"}), Grant("finance")), "finance"),
    ],
)
def test_acts_of_the_company_need_an_unscoped_grant(grants: tuple[Grant, ...], role: str) -> None:
    assert Person("ada", grants).role == role


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            {"group": "nlp", "role": "reader"},
            "[[access]] no. 1: role = 'reader': Input should be 'viewer', 'finance' or 'admin'",
        ),
        ({"role": "viewer"}, "an entry names a group or a user: one of them"),
        (
            {"group": "nlp", "user": "ada", "role": "viewer"},
            "an entry names a group or a user: one of them",
        ),
        ({"group": "", "role": "viewer"}, "[[access]] no. 1: group = ''"),
        (
            {"group": "nlp", "role": "viewer", "workloads": []},
            "[[access]] no. 1: workloads = []",
        ),
        ({"group": "nlp", "role": "viewer", "tag": {}}, "[[access]] no. 1: tag = {}"),
        (
            {"group": "nlp", "role": "viewer", "workloads": ["a"], "tag": {"team": "nlp"}},
            "workloads or tag, not both: two entries add up",
        ),
        (
            {"group": "nlp", "role": "finance", "workloads": ["atlas-*"]},
            "role 'finance' has no scope: what it does is the company's",
        ),
        (
            {"group": "nlp", "role": "viewer", "tag": {"team": "nlp"}},
            "tag 'team' is none of tags.extra: empty",
        ),
    ],
)
def test_a_wrong_entry_is_refused_in_one_line(
    entry: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError) as refusal:
        validated_settings({"access": [entry]}, home=tmp_path)
    assert message in str(refusal.value)

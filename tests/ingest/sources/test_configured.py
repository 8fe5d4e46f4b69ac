"""`[[sources]]` entries become sources, or one line that says why not."""

from __future__ import annotations

import pytest

from ingest import sources
from models import formats
from models.contract.errors import ConfigError
from tests.support.ingest.fake_aws import Configured


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"kind": "focuss"}, "unknown kind: focuss (did you mean focus?)"),
        ({"kind": "focus"}, "focus: option missing: location (add `location = …` to that"),
        (
            {"kind": "focus", "locaton": "x", "location": "y"},
            "focus: unknown option: locaton (did you mean location?)",
        ),
        ({"kind": "focus", "location": ""}, "focus: location = ''"),
        (
            {"kind": "focus", "location": "x", "role_arn": "admin"},
            "focus: role_arn = 'admin'",
        ),
        (
            {"kind": "cost_explorer", "external_id": "abc"},
            "[[sources]] cost_explorer: external_id needs role_arn",
        ),
    ],
)
def test_a_mistaken_entry_is_refused_in_one_line(
    configured: Configured, entry: dict[str, str], said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        sources.configured(configured(entry))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_entries_that_read_the_same_are_refused(configured: Configured) -> None:
    entries = [{"kind": "focus", "location": name} for name in ("bills", "./bills/")]
    with pytest.raises(ConfigError, match=r"read the same: .*/bills"):
        sources.configured(configured(*entries))
    with pytest.raises(ConfigError, match="cost_explorer and again read the same"):
        sources.configured(
            configured({"kind": "cost_explorer"}, {"kind": "cost_explorer", "name": "again"})
        )


def test_two_kinds_of_one_name_are_refused(configured: Configured) -> None:
    entries = [{"kind": kind, "name": "x", "location": kind} for kind in ("focus", "prices")]
    with pytest.raises(ConfigError, match="focus and prices have the same name: x"):
        sources.configured(configured(*entries))


def test_the_shipped_prices_come_along(configured: Configured) -> None:
    found = sources.named_sources(configured({"kind": "focus", "location": "x"}), ["focus"])
    assert [source.name for source in found] == ["focus", "prices"]


def test_an_unknown_name_is_refused_with_the_nearest(configured: Configured) -> None:
    settings = configured({"kind": "focus", "location": "x"})
    with pytest.raises(ConfigError, match=r"unknown source: fokus \(did you mean focus\?\)"):
        sources.named_sources(settings, ["fokus"])


def test_every_kind_has_a_format_and_a_group() -> None:
    for source in sources.SOURCES:
        assert source.format == formats.named(source.format).NAME
        assert source.group in ("cost", "progress", "prices")


def test_a_location_that_holds_the_warehouse_is_refused(configured: Configured) -> None:
    with pytest.raises(ConfigError, match=r"holds the warehouse itself: \. "):
        sources.configured(configured({"kind": "focus", "location": "."}))

"""Which deliveries count: the newest of each key; of appending formats each content once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from models.raw.delivery import Delivery, File, fingerprint
from models.raw.delivery_key import Key
from models.raw.live_deliveries import live_deliveries, superseded_deliveries

START = datetime(2026, 9, 1, tzinfo=UTC)


def delivery(minute: int, unit: str, content: str, *, append: bool = False) -> Delivery:
    return Delivery(
        key=Key("focus", unit, "2026-09"),
        id=f"{minute}",
        format="focus",
        pulled_at=START + timedelta(minutes=minute),
        files=(File("00000.parquet", content, rows=2, size=10),),
        append=append,
    )


def ids(deliveries: list[Delivery]) -> list[str]:
    return [each.id for each in deliveries]


def test_the_newest_of_each_key_counts_in_order_of_key() -> None:
    given = [delivery(1, "b", "x"), delivery(2, "a", "x"), delivery(3, "b", "y")]
    assert ids(live_deliveries(given)) == ["2", "3"]


def test_content_that_returns_counts_again_from_its_newest_delivery() -> None:
    given = [delivery(minute, "a", content) for minute, content in enumerate("xyx")]
    assert ids(live_deliveries(given)) == ["2"]
    pairs = [(old.id, new.id) for old, new in superseded_deliveries(given)]
    assert pairs == [("0", "1"), ("1", "2")]


def test_appended_contents_count_once_each_until_something_replaces_them() -> None:
    appended = [delivery(n, "a", content, append=True) for n, content in enumerate("xyx")]
    assert ids(live_deliveries(appended)) == ["1", "2"]
    replaced = [*appended, delivery(3, "a", "z")]
    assert ids(live_deliveries(replaced)) == ["3"]
    assert ids(live_deliveries([*replaced, delivery(4, "a", "y", append=True)])) == ["3", "4"]
    assert list(superseded_deliveries(replaced)) == []


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.booleans())))
def test_what_counts_is_decided_by_the_live_ones_alone(
    drawn: list[tuple[str, str, bool]],
) -> None:
    given = [
        delivery(n, unit, content, append=append) for n, (unit, content, append) in enumerate(drawn)
    ]
    live = live_deliveries(given)
    by_age = sorted(live, key=lambda each: each.pulled_at)
    assert live_deliveries(by_age) == live
    assert {each.key for each in live} == {each.key for each in given}
    assert not {old.id for old, _ in superseded_deliveries(given)} & set(ids(live))


def test_the_fingerprint_is_of_the_bytes_not_of_names_or_order() -> None:
    one, two = File("a", "11", 1, 1), File("b", "22", 1, 1)
    again = File("c", "11", 1, 1, origin="s3://b/x", etag="e")
    assert fingerprint([one, two]) == fingerprint([two, again])
    assert fingerprint([one]) != fingerprint([one, one])
    assert fingerprint([one]) != fingerprint([two])


def test_a_delivery_of_another_month_holds_none_of_this_one() -> None:
    september = delivery(1, "a", "x")
    assert september.may_hold(["2026-08", "2026-09"])
    assert not september.may_hold(["2026-08"])
    whole = Delivery(Key("progress", "p", "all"), "1", "progress", START, ())
    assert whole.may_hold(["2026-08"])


def test_rows_and_paths_are_those_of_all_files() -> None:
    files = (File("0.parquet", "11", 2, 1), File("1.parquet", "22", 3, 1))
    both = Delivery(Key("f", "u", "p"), "1", "focus", START, files, folder=Path("raw/x"))
    assert both.rows == 5
    assert both.paths == [Path("raw/x/0.parquet"), Path("raw/x/1.parquet")]

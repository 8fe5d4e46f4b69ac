"""Extra tags become columns of their own, exactly where the schema has its placeholder."""

from __future__ import annotations

from models.contract.schema import CHARGES, expanded, with_tags


def test_tags_take_the_place_and_the_type_of_the_placeholder_in_the_order_given() -> None:
    found = expanded({"run": "string", "tag_*": "int64", "cost": "float64"}, ["team", "app"])
    assert list(found.items()) == [
        ("run", "string"),
        ("tag_team", "int64"),
        ("tag_app", "int64"),
        ("cost", "float64"),
    ]


def test_without_extra_tags_the_placeholder_is_gone() -> None:
    assert expanded({"run": "string", "tag_*": "string"}, []) == {"run": "string"}


def test_a_table_without_placeholder_has_no_tags() -> None:
    assert expanded({"run": "string"}, ["team"]) == {"run": "string"}


def test_a_charges_tags_stand_between_its_run_and_its_costs() -> None:
    names = with_tags(CHARGES, ("cost-center",)).names
    place = names.index("tag_cost-center")
    assert (names[place - 1], names[place + 1]) == ("run", "ListCost")
    assert len(names) == len(CHARGES)

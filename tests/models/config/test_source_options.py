"""Options of a source are checked by its kind, and a misspelt one is reported first."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, Field

from models.config.feeds import SourceEntry
from models.config.metrics.cloudwatch_metrics import CloudWatchMapping
from models.config.section import Section
from models.config.source_options import accepted
from models.contract.errors import ConfigError


class Folder(Section):
    """A kind of source with one required option."""

    path: str
    depth: int = Field(1, ge=0)


def refused(kind: type[BaseModel], **options: object) -> str:
    entry = SourceEntry.model_validate({"kind": "folder", "name": "ours", **options})
    with pytest.raises(ConfigError) as caught:
        accepted(entry, kind)
    return str(caught.value)


def test_accepted_options_are_typed_and_names_common_to_all_sources_are_none() -> None:
    entry = SourceEntry.model_validate(
        {"kind": "folder", "regions": ["us-east-1"], "path": " in ", "depth": "2"}
    )
    assert entry.options == {"path": " in ", "depth": "2"}
    assert accepted(entry, Folder) == Folder(path="in", depth=2)
    assert accepted(entry, Folder, {"path": "out"}) == Folder(path="out", depth=1)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"path": "a", "dept": 2}, "unknown option: dept (did you mean depth?)"),
        ({"path": "a", "nam": "x"}, "unknown option: nam (did you mean name?)"),
        ({"path": "a", "acounts": []}, "unknown option: acounts (did you mean accounts?)"),
        (
            {"path": "a", "zzz": 2},
            "unknown option: zzz (known: kind, name, accounts, regions, path, depth)",
        ),
        ({}, "option missing: path (add `path = …` to that [[sources]])"),
        ({"pth": "a"}, "unknown option: pth (did you mean path?)"),
        (
            {"path": "a", "depth": -1},
            "depth = -1: Input should be greater than or equal to 0",
        ),
    ],
)
def test_a_refused_option_is_one_line_with_the_label_of_the_source(
    options: dict[str, object], text: str
) -> None:
    assert refused(Folder, **options) == f"[[sources]] ours: {text}"


def test_an_option_in_an_inner_table_is_named_by_its_path() -> None:
    assert refused(CloudWatchMapping, metrics={"epoch": "E", "los": "L"}) == (
        "[[sources]] ours: unknown option: metrics.los (did you mean metrics.loss?)"
    )


def test_the_label_of_a_source_without_a_name_is_its_kind() -> None:
    assert SourceEntry(kind="focus").label == "focus"
    assert SourceEntry(kind="focus", name="payer").label == "payer"

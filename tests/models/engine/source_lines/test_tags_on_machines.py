"""Which tags the accelerators of a bill bear, for whoever chooses two of them."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from models.engine.source_lines.tags_on_machines import tags_on_machines
from tests.support.world import World


def test_a_tag_is_found_however_many_others_come_before_it_by_name(tmp_path: Path) -> None:
    world = World(tmp_path)
    others = {f"cost{number:03}": "x" for number in range(60)}
    tags = {"workload": "atlas", **others}
    world.hours("2025-10-01", 10, "trn1.32xlarge", 20, tags)
    world.hours("2025-10-02", 10, "trn1.32xlarge", 20, {"workload": "titan"})
    world.charge("2025-10-02", "900", tags={"on_no_machine": "x"})
    found = tags_on_machines(world.pulled())
    assert found[0] == ("workload", Decimal(400), Decimal(1), 2, ("atlas", "titan"))
    assert [tag.key for tag in found[1:]] == sorted(others)
    assert {tag.share for tag in found[1:]} == {Decimal("0.5")}

"""The shipped catalogue names each instance type once, with its platform and accelerators."""

from __future__ import annotations

import pytest

from models.contract.catalogue import accelerators

TYPES = {entry.instance_type: entry for entry in accelerators()}


def test_no_instance_type_stands_twice() -> None:
    assert len(TYPES) == len(accelerators())


@pytest.mark.parametrize(
    ("instance_type", "hardware", "count"),
    [
        ("trn1.2xlarge", "trainium", 1),
        ("trn1.32xlarge", "trainium", 16),
        ("trn2.48xlarge", "trainium", 16),
        ("p4d.24xlarge", "gpu", 8),
        ("p5.48xlarge", "gpu", 8),
        ("g5.12xlarge", "gpu", 4),
    ],
)
def test_an_instance_has_as_many_accelerators_as_aws_lists(
    instance_type: str, hardware: str, count: int
) -> None:
    assert (TYPES[instance_type].hardware, TYPES[instance_type].accelerators) == (hardware, count)


def test_the_platform_is_the_family_of_the_instance_type_and_trn_is_trainium() -> None:
    for entry in accelerators():
        assert entry.instance_type.split(".")[0] == entry.platform, entry
        assert entry.platform.startswith("trn") == (entry.hardware == "trainium"), entry
        assert entry.accelerators >= 1, entry

"""Tells which AWS regions exist, from the installed botocore; asks AWS nothing."""

from __future__ import annotations

from functools import cache

import botocore.session


@cache
def known_regions() -> frozenset[str]:
    """Returns the AWS regions of every partition that the installed botocore knows."""
    session = botocore.session.get_session()
    partitions = session.get_available_partitions()
    return frozenset(r for p in partitions for r in session.get_available_regions("ec2", p))


def is_unknown(region: str | None) -> bool:
    """Whether a region is given that the installed botocore does not know."""
    return bool(region) and region not in known_regions()

"""The regions there are, as the installed botocore knows them; nothing is asked."""

from __future__ import annotations

from functools import cache

import botocore.session


@cache
def regions() -> frozenset[str]:
    """Of every partition."""
    session = botocore.session.get_session()
    partitions = session.get_available_partitions()
    return frozenset(r for p in partitions for r in session.get_available_regions("ec2", p))


def strange(region: str | None) -> bool:
    """Whether a region is named that is none, or is newer than botocore."""
    return bool(region) and region not in regions()

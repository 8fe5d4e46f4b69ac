"""Lists the AWS regions that the installed botocore knows, without a request to AWS."""

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
    """Returns whether a region is given and the installed botocore does not know it."""
    return bool(region) and region not in known_regions()

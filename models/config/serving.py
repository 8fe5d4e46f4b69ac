"""Defines `[serve]`: under which names the dashboard is reached, and who keeps strangers out."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator

from models.config.section import Section

HOST = re.compile(r"\.?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")


def _host(name: str) -> str:
    if not HOST.fullmatch(name):
        raise ValueError("a name or an IPv4 address without scheme or port, .name for all below it")
    return name.lower()


Host = Annotated[str, AfterValidator(_host)]


class Serve(Section):
    """The table `[serve]`: under which names the dashboard is reached, besides loopback's.

    `insecure_no_auth` lets it listen where others reach it although nobody signs in.
    """

    hosts: tuple[Host, ...] = ()
    insecure_no_auth: bool = False

"""Defines the botocore configuration of every AWS client, and creates botocore sessions.

Profiles, environment, instance roles, regions and `AWS_ENDPOINT_URL*` are read by boto3 itself. The
retry mode is set here because only `standard` retries Cost Explorer's throttling code.
"""

from __future__ import annotations

import copy
from functools import cache
from typing import cast

import botocore.session
from botocore.config import Config
from botocore.hooks import HierarchicalEmitter
from botocore.loaders import Loader

CONFIG = Config(
    retries={"mode": "standard", "total_max_attempts": 4},
    connect_timeout=10,
    read_timeout=60,
    user_agent_extra="breakeven",
)


def new_session() -> botocore.session.Session:
    """Creates a botocore session with cached service models and only botocore's own event handlers.

    Loading EC2's model alone takes half a second, and registering botocore's own event handlers
    takes longer than everything else in a session.
    """
    handlers = copy.copy(_builtin_handlers())
    session = botocore.session.Session(event_hooks=handlers, include_builtin_handlers=False)
    session.register_component("data_loader", _service_models())
    return session


@cache
def _builtin_handlers() -> HierarchicalEmitter:
    handlers = HierarchicalEmitter()
    botocore.session.Session(event_hooks=handlers)
    return handlers


@cache
def _service_models() -> Loader:
    return cast(Loader, botocore.session.get_session().get_component("data_loader"))

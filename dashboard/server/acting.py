"""Names, for the audit trail, who asks and from where, for the length of each request."""

from __future__ import annotations

from flask import Flask, request

from models.records.audit import Actor, act_as, system_user


def add_acting(server: Flask) -> None:
    """Names who acts before each request is answered: nobody signs in, so the server's own user."""

    def name_actor() -> None:
        act_as(Actor(system_user(), "admin", request.remote_addr or "unknown"))

    def forget_actor(_: BaseException | None) -> None:
        act_as(None)

    server.before_request(name_actor)
    server.teardown_request(forget_actor)

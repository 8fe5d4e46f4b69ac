"""Whoever asks for a statement stands in the audit trail, with the address that they came from."""

from __future__ import annotations

import dash

from models.config.settings import Settings
from models.records import audit


def test_a_statement_that_is_asked_for_is_recorded(
    app: dash.Dash, settings: Settings, serving: object
) -> None:
    kept = len(audit.lines(settings.data))
    answer = app.server.test_client().get(
        "/statement/2025-06.json", environ_base={"REMOTE_ADDR": "127.0.0.9"}
    )
    begun, ended = audit.lines(settings.data)[kept:]
    assert {name: begun[name] for name in ("what", "from", "role", "month", "format")} == {
        "what": "export statement",
        "from": "127.0.0.9",
        "role": "admin",
        "month": "2025-06",
        "format": "json",
    }
    assert answer.status_code == 404
    assert ended["outcome"] == f"refused: {answer.text.strip()}"

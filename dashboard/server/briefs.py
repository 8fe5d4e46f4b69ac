"""Serves and writes the one-page brief of a workload as PDF."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from flask import Flask, Response, request

from dashboard.pages.workload.brief import brief
from dashboard.snapshot import published
from dashboard.snapshot.context import attach_data, data_context
from models.config.settings import Settings
from models.contract.errors import MissingDataError, StorageError
from models.documents.brief.brief_pdf import Brief, document
from models.raw import atomic_files
from models.records.audit import audited

WHAT = "export brief"


def add_briefs(server: Flask) -> None:
    """Registers the address of a workload's one-page brief as PDF: `/brief.pdf?workload=…`."""
    server.add_url_rule("/brief.pdf", "brief", _answer)


def write_brief(settings: Settings, workload: str, output: Path) -> None:
    """Writes a workload's one-page brief as PDF to a file, and an entry in the audit trail.

    The file is written whole or not at all.
    """
    server = Flask("brief")
    attach_data(server, settings)
    with server.app_context(), audited(settings.data, WHAT, _about(workload, file=str(output))):
        content = document(brief(workload))
        with atomic_files.replace_file(output) as draft:
            draft.write_bytes(content)


def _answer() -> Response:
    workload = request.args.get("workload", "")
    try:
        with audited(data_context().settings.data, WHAT, _about(workload)):
            made = brief(workload)
            content = document(made)
    except MissingDataError as error:
        return Response(f"{error}\n", published.status_of_missing(), mimetype="text/plain")
    except StorageError as error:
        return Response(f"{error}\n", 503, mimetype="text/plain")
    answer = Response(content, mimetype="application/pdf")
    answer.headers.set("Content-Disposition", "attachment", filename=file_name(made))
    return answer


def file_name(made: Brief) -> str:
    """Returns the file name of a workload's brief, such as `brief-atlas-7b-2026-10-31.pdf`."""
    safe = re.sub(r"[^A-Za-z0-9._-]+", "-", made.workload).strip("-.")
    return f"brief-{safe or 'workload'}-{made.as_of}.pdf"


def _about(workload: str, **more: str) -> Mapping[str, str]:
    return {"workload": workload, "format": "pdf", **more}

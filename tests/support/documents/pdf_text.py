"""The text of a PDF, read by poppler."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


def pdf_text(content: bytes, folder: Path) -> str:
    """The text of a PDF's bytes as it is laid out; the test is skipped without poppler."""
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext is not here: apt-get install poppler-utils")
    (folder / "statement.pdf").write_bytes(content)
    asked = ["pdftotext", "-layout", str(folder / "statement.pdf"), "-"]
    return subprocess.run(asked, capture_output=True, check=True, text=True).stdout

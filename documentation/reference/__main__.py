"""Writes the pages of docs/reference: `python -m documentation.reference`."""

from __future__ import annotations

from documentation.reference import PAGES
from documentation.reference.markdown import FOLDER

for name, page in PAGES.items():
    (FOLDER / name).write_text(page(), encoding="utf-8")

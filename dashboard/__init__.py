"""Serves the dashboard: web pages, downloads and an API that show the published snapshot.

In: the published snapshot, the closes, the journal of pulls and the address of a page. Out: HTML
pages, CSV downloads and the statements of a month. It computes no published number: the packages
stand in layers, `server` → `pages` → `widgets` → `charts` | `snapshot` → `wording` → `address`.
Chapter: docs/architecture.md.
"""

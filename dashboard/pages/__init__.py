"""Defines the pages of the dashboard: one folder each, none of which imports another.

In: the address. Out: the layout and callbacks of a page (`page.py`), its SQL queries
(`queries.py`), its sentences (`wording.py`), and the parts and figures that only it shows.
`dashboard.server.page_list` lists the pages in order. Each page names its chapter of METHOD;
what they have in common: docs/architecture.md.
"""

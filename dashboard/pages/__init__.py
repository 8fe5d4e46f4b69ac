"""The pages of the dashboard: one folder each, none of which imports another.

In: the address. Out: the layout and callbacks of a page (`page.py`), its statements
(`queries.py`), its sentences (`wording.py`), and the parts and figures that only it shows.
Which pages there are, and in which order, says `dashboard.server.page_list`.
"""

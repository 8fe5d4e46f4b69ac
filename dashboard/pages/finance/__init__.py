"""Renders Finance: the statement of a month, its tie-out to the bill, and closing it.

In: the statement of a month, as published or as closed. Out: tables, downloads and a close.
METHOD §7.
"""

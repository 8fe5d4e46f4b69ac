"""Typesets the statement of a month as a PDF of two pages.

In: a statement and the close that it is frozen in, if it is. Out: the bytes of the file, the same
whenever they are made. Chapter: METHOD §7.
"""

"""Writes the statement of a month as an Excel workbook of live formulas.

In: a statement and the close that it is frozen in, if it is. Out: the bytes of the file, a sheet
per module. Chapter: METHOD §7.
"""

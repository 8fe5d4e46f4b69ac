"""Rules of METHOD that several packages of marts follow: one rule, one file, named for it.

In: rows of marts. Out: expressions and tables. Packages of marts do not import each other, so what
they share is here.
"""

"""Rules of METHOD that several packages of marts follow: one rule, one file, named for it.

Each takes rows of marts and returns expressions or tables. Packages of marts do not import each
other, so what they decide alike is decided here.
"""

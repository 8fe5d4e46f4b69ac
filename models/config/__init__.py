"""Reads and checks the configuration: `breakeven.toml`, and `BREAKEVEN_*` from the environment.

In: the file and the environment. Out: one frozen `Settings`, built at the entry point and passed
down. Each table of the config has a model in this package; what a table means is in the chapter of
METHOD that its docstring names.
"""

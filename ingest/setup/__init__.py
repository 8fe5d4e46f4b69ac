"""Creates the first config for `breakeven init`.

In: command-line options, answers at a terminal and what AWS shows of the company. Out: a commented
`breakeven.toml` that parses. Serves the `init` verb, docs/architecture.md.
"""

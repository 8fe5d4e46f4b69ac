"""Defines the subcommands, such as `breakeven build`; each file has those for one occasion.

In: the options of a verb. Out: lines for people, or JSON for machines. What a verb does is in the
other packages, which it imports when it runs, so that `--help` stays quick. Serves
docs/architecture.md; what each verb does for users is docs/reference/commands.md.
"""

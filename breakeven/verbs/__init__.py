"""Defines the verbs of the command, such as `breakeven build`; a file has those of one occasion.

In: the options of a verb. Out: lines for people, or JSON for machines. What a verb does is in the
other packages, which it imports when it runs, so that `--help` stays quick. Serves
docs/architecture.md; what each verb does for users is docs/reference/commands.md.
"""

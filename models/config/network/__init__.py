"""Config tables about access: host names of the dashboard, sign-in, and who may read what.

In: the tables `[serve]`, `[auth]` and `[[access]]`. Out: their frozen models, part of `Settings`.
Chapter: docs/operations/sign-in.md and docs/operations/access.md.
"""

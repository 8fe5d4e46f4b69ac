"""Who reaches the dashboard, under which names, how they sign in and what they may read.

In: the tables `[serve]`, `[auth]` and `[[access]]`. Out: their frozen models, part of `Settings`.
Chapter: docs/operations/sign-in.md and docs/operations/access.md.
"""

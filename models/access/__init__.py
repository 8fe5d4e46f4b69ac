"""Who may do and see what: roles, and the scope of workloads that a person reads.

In: a name with its groups, and `[[access]]` of the config. Out: a `Person` with what it may do, or
nobody. For who runs it: docs/operations/access.md. Chapter: docs/architecture.md.
"""

"""The only reader of what was published: a question in, plain rows out.

In: a `View` (the filters of an address) or a name. Out: lists of dictionaries with money as
`Decimal`. The statements that several pages share stand here; a page's own stand in its folder's
`queries.py`, which reads through `snapshot.rows`.
"""

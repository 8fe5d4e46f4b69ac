"""Addresses: the filters that a link carries, the ids of controls, the paths of pages.

In: a query string. Out: a `View`, in which everything that is missing or wrong is the default.
The names here stand in links that people have saved, so they do not change.
Chapter: docs/architecture.md.
"""

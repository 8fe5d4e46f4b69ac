"""Defines the addresses of pages: paths, filters in a URL, and ids of controls.

In: a query string. Out: a `View`, in which everything that is missing or wrong is the default.
People have saved links with these names, so they do not change.
Chapter: docs/architecture.md.
"""

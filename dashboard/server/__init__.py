"""Runs the web server: builds the Dash app and serves it with gunicorn and waitress.

In: the settings and HTTP requests. Out: the HTML document, the pages, `/livez` and `/readyz`, the
SQL behind a number, and downloads. It is the only package that knows all pages (`page_list`).
Chapter: docs/architecture.md.
"""

"""Protects the web server: which hosts, origins, bodies and addresses it refuses, and how.

In: every request before it is answered, and every answer before it is sent. Out: a refusal of one
line, or the answer with the headers that tell a browser what a page may do. Chapter:
docs/architecture.md; for who runs it: docs/operations/network.md.
"""

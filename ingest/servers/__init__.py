"""Sends requests to servers of the company, such as MLflow and W&B; failures are one line.

In: an address and a secret from a file. Out: JSON documents. Serves every source that asks a server
other than AWS (METHOD §3.3).
"""

"""Sends statements of closed months, monthly digests and alerts, once to each recipient.

In: closes, the published snapshot, the recipients of the config. Out: files, mail and chat
messages, and the record of what was sent. Chapter: METHOD §7.
"""

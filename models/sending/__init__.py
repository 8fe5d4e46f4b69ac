"""Sends statements of closed months, monthly digests and alerts, once to each recipient.

Input: closes, the published snapshot, the recipients of the config. Output: files, mail and chat
messages, and the record of what was sent. Chapter: METHOD §7.
"""

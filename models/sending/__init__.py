"""What goes out by itself: statements of closed months and alerts, once to each recipient.

In: closes, the published snapshot, the recipients of the config. Out: files, mail and chat, and the
record of what was sent. Chapter: METHOD §7.
"""

"""Stands in for W&B: a schema as its client asks for it, and a server on loopback that answers."""

"""The text that marks a charge with gross figures, as its account has no net ones (METHOD §2.1)."""

from __future__ import annotations

GROSS_NOTE = ", gross: the account has no net figures"
"""Ends the description of such a charge; a build counts the charges that carry it."""

"""Runs the command `breakeven` for `python -m breakeven`."""

from breakeven.command import main

main()

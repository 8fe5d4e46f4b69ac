"""`python -m breakeven` is the same as `breakeven`."""

from breakeven.command import main

main()

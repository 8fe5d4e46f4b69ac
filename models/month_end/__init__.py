"""The month as finance closes it: the statement, its adjustments, and the closes themselves."""

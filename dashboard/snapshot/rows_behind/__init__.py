"""Shows behind a number what it was computed from: delivered rows, and inputs of its formula.

In: the key of an explanation and the filters of an address. Out: lines of the bill, samples and
other delivered rows, read on demand from their files. A file has the selections of one subject;
`numbers` says which number has which. Chapter: docs/architecture.md.
"""

"""Evaluates the checklist: nine factors of a move, answered from data or by the reader.

In: the outcome of the what-if, facts of the snapshot and the reader's answers. Out: for each
factor whether it leans to Trainium or to GPU, and a verdict over all of them. Chapter: METHOD §6;
the factors that no data answers are questions to the reader.
"""

"""Compares the losses of Trainium runs with those of GPU runs, resumed ones as one (METHOD §3.5).

In: `lineage_facts` and `comparable`, samples of the loss, and `progress_steps`. Out:
`final_losses`, how good each lineage's result is; `parity_verdicts`, how it compares with GPU's.
"""

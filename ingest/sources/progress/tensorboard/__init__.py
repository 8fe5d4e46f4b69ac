"""Fetches the scalars that training runs logged for TensorBoard, from its event files.

In: the folders that TensorBoard, PyTorch or tensorboardX write. Out: a delivery per event file,
with the values that stand for epochs, samples, tokens and the loss. Serves METHOD §3.3.
"""

from ingest.sources.progress.tensorboard.feed import TensorBoard

__all__ = ["TensorBoard"]

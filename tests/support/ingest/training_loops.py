"""Training loops that report their progress, four epochs each.

    python -m tests.support.ingest.training_loops NAME

A line is fitted to random points on the CPU. The clock is the billed day's, a minute a sample.
"""

from __future__ import annotations

import itertools
import sys
from tempfile import TemporaryDirectory
from typing import Any

from ingest.emit import HuggingFace, Lightning, Progress

EPOCHS, ROWS, BATCH = 4, 64, 8
DAY = 1_792_454_400
"""2026-10-20T00:00:00Z"""


def progress(run: str) -> Progress:
    minutes = itertools.count()
    return Progress("atlas-7b", run, clock=lambda: DAY + 60.0 * next(minutes))


def by_hand() -> None:
    """Gradient descent in plain Python."""
    told, weight, rows = progress("by_hand"), 0.0, [n / ROWS for n in range(ROWS)]
    told.log(epoch=0)
    for step in range(EPOCHS * ROWS):
        x = rows[step % ROWS]
        error = weight * x - 3 * x
        weight -= 0.5 * error * x
        told.log(epoch=(step + 1) / ROWS, loss=error * error)


def torch() -> None:
    """A loop of torch's, its loss handed over as it is."""
    import torch

    told, model = progress("torch"), torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    rows = torch.randn(ROWS, 4).split(BATCH)
    told.log(epoch=0)
    for step in range(EPOCHS * len(rows)):
        batch = rows[step % len(rows)]
        loss = (model(batch) - batch.sum(1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        told.log(epoch=(step + 1) / len(rows), loss=loss)


def transformers() -> None:
    """Hugging Face's Trainer and the callback."""
    import torch
    from transformers import Trainer, TrainingArguments

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.line = torch.nn.Linear(4, 1)

        def forward(self, x: Any, labels: Any) -> dict[str, Any]:
            said = self.line(x)
            return {"loss": (said - labels).square().mean(), "logits": said}

    rows = [{"x": torch.randn(4), "labels": torch.randn(1)} for _ in range(ROWS)]
    with TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            output_dir=folder,
            num_train_epochs=EPOCHS,
            per_device_train_batch_size=BATCH,
            logging_steps=4,
            report_to=[],
            save_strategy="no",
            use_cpu=True,
        )
        told = HuggingFace(progress("transformers"))
        Trainer(model=Model(), args=arguments, train_dataset=rows, callbacks=[told]).train()


def lightning() -> None:
    """Lightning's Trainer and the callback."""
    import torch
    from lightning.pytorch import LightningModule, Trainer

    class Model(LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.line = torch.nn.Linear(4, 1)

        def training_step(self, batch: Any, _: int) -> Any:
            return self.line(batch).square().mean()

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False}
    told = Lightning(progress("lightning"))
    trainer = Trainer(max_epochs=EPOCHS, accelerator="cpu", callbacks=[told], **quiet)
    rows = torch.utils.data.DataLoader(torch.randn(ROWS, 4), batch_size=BATCH)
    trainer.fit(Model(), rows)


if __name__ == "__main__":
    globals()[sys.argv[1]]()

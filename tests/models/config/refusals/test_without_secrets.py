"""The config of a backup has no secret, and all else as it was written."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.config.refusals.without_secrets import without_secrets

COUNTERS = """
[[sources]]
kind = "cloudwatch"
metrics.tokens = { metric = "TokensDone", statistic = "Sum", excludes_repeats = true }
[[sources]]
kind = "trainer_state"
metrics.epoch = { metric = "Epoch", statistic = "Sum" }
metrics.tokens = "num_tokens"
"""


@pytest.mark.parametrize(
    ("config", "kept"),
    [
        (COUNTERS, COUNTERS),
        ('[auth]\ntokens = ["S3CRET"]\n', '[auth]\ntokens = ["…"]\n'),
        (
            '# password = "S3CRET"  # the old one\nsmtp.password = "NEW"\n',
            '# password = …\nsmtp.password = "…"\n',
        ),
        ("  #smtp.password = 'S3CRET'\nx = 1\n", "  #smtp.password = …\nx = 1\n"),
        ("# token = S3CRET\n# tokens_per_step = 4\n", "# token = …\n# tokens_per_step = 4\n"),
        ('# smtp = {password = "S3CRET"}\n', "# smtp = {password = …\n"),
        ('#smtp={host="h",password="S3CRET"}\n', '#smtp={host="h",password=…\n'),
        ('# "smtp"."password" = """S3CRET"""\n', '# "smtp"."password" = …\n'),
        ('# password = "ab\\"S3CRET"\n', "# password = …\n"),
        ('x = 1  # password = "S3CRET"\n', "x = 1  # password = …\n"),
        ('x = "a # password = 1"\n', 'x = "a # password = 1"\n'),
        ('# metrics.tokens = "num_tokens"\n', '# metrics.tokens = "num_tokens"\n'),
    ],
)
def test_a_backup_has_secrets_nowhere_and_counters_of_tokens_as_they_are(
    config: str, kept: str, tmp_path: Path
) -> None:
    (tmp_path / "breakeven.toml").write_text(config)
    assert without_secrets(tmp_path / "breakeven.toml") == kept

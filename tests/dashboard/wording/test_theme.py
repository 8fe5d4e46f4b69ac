from __future__ import annotations

from dashboard.wording import theme


def luminance(colour: str) -> float:
    channels = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_lines_stand_out_on_the_light_and_on_the_dark_surface() -> None:
    for colour in (theme.GPU, theme.TRAINIUM, theme.SAVINGS, theme.GAIN_LINE, theme.LOSS_LINE):
        for ground in ("#ffffff", "#171b1f"):
            light, dark = sorted((luminance(colour), luminance(ground)), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 3, (colour, ground)

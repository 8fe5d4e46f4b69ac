"""The tables of `breakeven.toml`, by what they are about; `models.settings` puts them together."""

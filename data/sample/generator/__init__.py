"""What the sample is made of: runs, the bill they leave behind, and the progress they log."""

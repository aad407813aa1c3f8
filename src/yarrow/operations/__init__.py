"""What an operator sees and does: runs of all accounts without their words, workers, points."""

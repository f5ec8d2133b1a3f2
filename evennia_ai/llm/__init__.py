"""Language models behind one port that is keyed by the job to do."""

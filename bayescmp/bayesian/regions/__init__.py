"""Several metrics: four regions."""

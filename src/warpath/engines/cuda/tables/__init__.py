"""The loops of many-to-many and of all pairs, for every device that launches kernels."""

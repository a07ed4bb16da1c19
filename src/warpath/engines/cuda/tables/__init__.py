"""The loops of tables, many-to-many and all pairs, for devices that launch kernels."""

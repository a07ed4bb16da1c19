"""Dask clusters: graphs in partitions on the workers. This package alone imports Dask."""

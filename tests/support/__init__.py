"""Support for tests of warpath and of packages built on it: graphs, strategies, references.

`corpus`, `reference` and `compare` need only NumPy; `strategies` needs hypothesis.
"""

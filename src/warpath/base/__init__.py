"""Shared code that needs no graph: errors, settings, progress, units, notebook output."""

"""What every room needs and what needs no graph: errors, settings, progress, units, notebooks."""

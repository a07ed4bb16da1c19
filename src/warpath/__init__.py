"""warpath."""

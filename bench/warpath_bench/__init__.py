"""Side-by-side timings: graphs by name, seeded sources, verified answers, medians."""

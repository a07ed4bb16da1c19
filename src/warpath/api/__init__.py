"""The public calls: check the arguments, plan, run an engine, wrap its result."""

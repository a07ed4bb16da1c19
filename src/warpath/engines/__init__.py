"""The engines: what runs a recipe, one module for each kind of device."""

"""The command `warpath`; needs the extra ``cli``. The entry point is `warpath.cli.main`."""

"""Reading and writing graphs: one module per format, chosen by `warpath.io.formats`."""

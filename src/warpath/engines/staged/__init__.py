"""All pairs in tiles that pass through a device whose memory does not hold the matrix."""

"""What would run, how long it is predicted to take and how much memory; nothing runs here."""

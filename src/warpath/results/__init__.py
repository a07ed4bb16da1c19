"""What calls return, how it is saved, and the certificate that checks it."""

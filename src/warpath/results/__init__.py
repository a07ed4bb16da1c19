"""The results of calls, their files, and the certificate that checks them."""

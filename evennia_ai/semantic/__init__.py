"""Long-term memory that is searched by meaning."""

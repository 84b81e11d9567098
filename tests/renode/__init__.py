"""Everything about Renode that can be checked without it."""

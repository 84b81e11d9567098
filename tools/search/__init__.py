"""Search for a history whose balance of records does not hold."""

"""The command line: one module per subcommand; no other package imports it."""

"""The command line: one module per subcommand, nothing that anybody else could want to import."""

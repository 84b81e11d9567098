"""Events as Arrow record batches, Parquet datasets and fleets of tapes: writer."""

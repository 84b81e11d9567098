"""What tickertape costs, measured and put beside its budgets: `python -m tools.bench`."""

"""Measure the cost of tickertape and compare it with its budgets: `python -m tools.bench`."""

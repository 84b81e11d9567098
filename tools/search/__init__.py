"""Searches at length for a history in which the law of loss does not hold."""

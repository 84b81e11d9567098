"""Board drivers on simulated registers."""

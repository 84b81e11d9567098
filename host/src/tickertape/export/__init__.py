"""A tape in other forms: one module per form. They take events and give text or bytes."""

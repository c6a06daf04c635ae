"""One task left out at a time: what the others teach, and what its own rows say of it."""

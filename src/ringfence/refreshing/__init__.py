"""A learned space that stays current: what is new, what it changes, and whether that matters."""

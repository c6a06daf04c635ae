"""The hub: learned spaces that ship with the package, for those who have no past runs."""

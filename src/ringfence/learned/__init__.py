"""The learned space: a value with its file, its text, its pictures, and how it is fitted."""

"""Damaged and hostile input for every reader, file format and command: `make fuzz`."""

"""Kills, full disks, folders that cannot be written to, and a database that restarts: `make chaos`."""

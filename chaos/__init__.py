"""Kills, full disks, read-only folders, a database that restarts: `make chaos`."""

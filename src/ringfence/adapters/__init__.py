"""The learned space where people already work: one file per foreign package, imported when used."""

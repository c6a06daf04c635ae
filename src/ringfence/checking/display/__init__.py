"""A check for people: its numbers in words, as text, as a table and as a picture."""

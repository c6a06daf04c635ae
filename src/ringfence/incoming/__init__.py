"""What arrives from outside: files and what foreign parsers make of them."""

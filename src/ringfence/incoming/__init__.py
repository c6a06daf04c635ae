"""What arrives from outside: addresses, files and what foreign parsers make of them."""

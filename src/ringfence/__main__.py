"""`python -m ringfence` is the command line."""

from ringfence.cli import main

if __name__ == "__main__":
    main()

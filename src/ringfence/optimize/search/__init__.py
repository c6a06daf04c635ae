"""Where to look next: expected improvement, and its maximization over a domain."""

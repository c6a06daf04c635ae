"""One file a solver; each returns its answer with the certificate that it is the optimum."""

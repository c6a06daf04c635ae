"""The smallest region around points: the four problems of the paper, and unions of regions."""

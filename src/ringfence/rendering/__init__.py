"""What any value draws itself with: escaped HTML, axes and ticks, shadows of regions."""

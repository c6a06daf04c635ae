"""What any value draws itself with: escaped HTML, tables for a notebook, axes and their ticks."""

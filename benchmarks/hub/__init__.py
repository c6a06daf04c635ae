"""The entries of the hub: built, judged on data sets left out, and shown on docs/hub.md.

`published` (bests of published tunings) and `dense` (tables of our own) → `runs` (one form for
both) → `judging` (data sets left out) → `build` (files of the package) → `page`.
"""

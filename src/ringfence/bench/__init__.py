"""The paper's experiments: plans, suites, methods, a store of finished cells, tables and figures.

plan ──▶ cells ──runner──▶ store ──▶ results (one tidy table) ──▶ metrics ──▶ figures
"""

"""Renders what a run found: HTML, terminal, JSON, SARIF, JUnit."""

"""Spans, diagnostics, options, targets and artifacts: what every layer may use."""

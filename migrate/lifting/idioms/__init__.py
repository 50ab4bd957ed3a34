"""Idioms of blocks: what threads work out together, proven and written as one operation."""

"""Yardsticks that several test folders share."""

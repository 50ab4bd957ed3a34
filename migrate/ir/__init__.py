"""The intermediate representation: SIMT and tile dialects over one expression language."""

"""The whole compiler in one readable function, and what stands around it."""

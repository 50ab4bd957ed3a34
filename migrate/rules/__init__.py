"""The catalogue: what CUDA constructs mean and how each target spells them."""

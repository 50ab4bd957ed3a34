"""GELU of a tensor by a kernel of its own."""

import torch  # loads the libraries that the extension needs

from gelu_ext._C import gelu

__all__ = ["gelu", "torch"]

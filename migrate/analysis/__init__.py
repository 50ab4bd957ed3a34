"""Facts about kernels: pure functions from IR to frozen values."""

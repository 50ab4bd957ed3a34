#include <torch/extension.h>

void gelu_forward(const float* x, float* y, int count);

// y = gelu(x) for a contiguous float tensor.
torch::Tensor gelu(const torch::Tensor& x)
{
    TORCH_CHECK(x.is_contiguous(), "gelu: x is not contiguous");
    TORCH_CHECK(x.scalar_type() == torch::kFloat, "gelu: x is not float");
    torch::Tensor y = torch::empty_like(x);
    gelu_forward(x.data_ptr<float>(), y.data_ptr<float>(), static_cast<int>(x.numel()));
    return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m)
{
    m.def("gelu", &gelu, "GELU of a float tensor");
}

// CUDA names the text first.
inline aclError pciBusId(char* text, int length, int device)
{
    return aclrtDeviceGetPCIBusId(device, text, length);
}

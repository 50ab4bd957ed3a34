// Whether work on a stream is being captured.
inline aclError captureStatus(aclrtStream stream, aclmdlRICaptureStatus* status)
{
    aclmdlRI model = nullptr;
    return aclmdlRICaptureGetInfo(stream, status, &model);
}

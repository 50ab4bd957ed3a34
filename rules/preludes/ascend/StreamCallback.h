// A callback with CUDA's parameters, called in the order of the stream.
typedef void (*StreamCallback)(aclrtStream stream, aclError status, void* data);
struct StreamCallbackCall {
    StreamCallback function;
    aclrtStream stream;
    void* data;
};
inline aclError streamCallback(aclrtStream stream, StreamCallback function, void* data)
{
    const auto run = [](void* call) {
        auto* const c = static_cast<StreamCallbackCall*>(call);
        c->function(c->stream, ACL_SUCCESS, c->data);
        delete c;
    };
    return aclrtLaunchHostFunc(stream, run, new StreamCallbackCall{function, stream, data});
}

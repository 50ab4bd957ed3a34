// Text of an error: what AscendCL last reported, or the code.
inline const char* errorText(aclError error)
{
    static thread_local char text[512];
    const char* recent = error == ACL_SUCCESS ? "no error" : aclGetRecentErrMsg();
    if (recent != nullptr) {
        std::snprintf(text, sizeof(text), "%s", recent);
    } else {
        std::snprintf(text, sizeof(text), "AscendCL error %d", static_cast<int>(error));
    }
    return text;
}

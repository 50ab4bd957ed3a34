// ACL_SUCCESS when all work on the stream has ended.
inline aclError streamQuery(aclrtStream stream)
{
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    const aclError error = aclrtStreamQuery(stream, &status);
    const bool busy = error == ACL_SUCCESS && status != ACL_STREAM_STATUS_COMPLETE;
    return busy ? ACL_ERROR_RT_EVENT_NOT_COMPLETE : error;
}

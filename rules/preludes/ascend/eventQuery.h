// ACL_SUCCESS when the event has happened.
inline aclError eventQuery(aclrtEvent event)
{
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    const aclError error = aclrtQueryEventStatus(event, &status);
    const bool waiting = error == ACL_SUCCESS && status != ACL_EVENT_RECORDED_STATUS_COMPLETE;
    return waiting ? ACL_ERROR_RT_EVENT_NOT_COMPLETE : error;
}

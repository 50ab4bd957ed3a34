// A captured graph. CUDA keeps the graph and what can be launched apart; here both hold one instance of the model.
struct CapturedGraph {
    aclmdlRI model = nullptr;
    int users = 1;
};
inline aclError endCapture(aclrtStream stream, CapturedGraph** graph)
{
    *graph = new CapturedGraph;
    return aclmdlRICaptureEnd(stream, &(*graph)->model);
}
inline aclError instantiateGraph(CapturedGraph** launchable, CapturedGraph* graph)
{
    *launchable = graph;
    ++graph->users;
    return ACL_SUCCESS;
}
inline aclError destroyGraph(CapturedGraph* graph)
{
    if (--graph->users > 0) {
        return ACL_SUCCESS;
    }
    const aclError error = aclmdlRIDestroy(graph->model);
    delete graph;
    return error;
}

// Nested ranges of the calling thread, which mstx identifies by number.
struct MarkedRanges {
    static std::vector<mstxRangeId>& open()
    {
        static thread_local std::vector<mstxRangeId> ranges;
        return ranges;
    }
    static int push(const char* name)
    {
        open().push_back(mstxRangeStartA(name, nullptr));
        return static_cast<int>(open().size()) - 1;
    }
    static int pop()
    {
        if (open().empty()) {
            return -1;
        }
        mstxRangeEnd(open().back());
        open().pop_back();
        return static_cast<int>(open().size());
    }
};

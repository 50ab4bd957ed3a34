// Where a hint about managed memory points. Such hints are left out, so nothing reads it.
struct MemoryLocation {
    enum Type { kNone = 0, kDevice = 1, kHost = 2 };
    Type type = kNone;
    int id = 0;
};

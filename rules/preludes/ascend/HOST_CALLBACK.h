// The calling convention of callbacks, which only Windows names.
#define HOST_CALLBACK

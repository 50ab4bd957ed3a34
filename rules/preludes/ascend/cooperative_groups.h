// Host code may name the namespace; nothing in it is used there.
namespace cooperative_groups {
}

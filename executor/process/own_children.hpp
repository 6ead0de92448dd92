#pragma once

// Finds the children of this process, in a way that is safe in a freshly forked process: no allocation, no lock.

#include <sys/types.h>

namespace ringmaster::executor {

/// Calls `visit` for each child that was not waited for yet, possibly more than once. May miss children that start or end
/// meanwhile. Reads /proc, or a folder of the same format. Returns false if there is no information.
bool visit_own_children(const char* proc, void* context, void (*visit)(void* context, pid_t child)) noexcept;

/// Returns whether `process` is a child that was not waited for yet, so that its id cannot have been reused.
[[nodiscard]] bool is_own_child(pid_t process) noexcept;

} // namespace ringmaster::executor

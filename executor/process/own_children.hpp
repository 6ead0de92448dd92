#pragma once

// The children of this process, looked up so that a freshly forked process may do it: no allocation, no lock.

#include <sys/types.h>

namespace ringmaster::executor {

/// Calls `visit` for each child that was not waited for yet, maybe more than once. Children that come or go meanwhile may be
/// missed. From /proc, or any folder in its form. False: it tells nothing.
bool visit_own_children(const char* proc, void* context, void (*visit)(void* context, pid_t child)) noexcept;

/// Whether `process` is a child that was not waited for yet, so that nobody else can have its number.
[[nodiscard]] bool is_own_child(pid_t process) noexcept;

} // namespace ringmaster::executor

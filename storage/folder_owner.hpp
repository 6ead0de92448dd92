#pragma once

// Ownership of files that root creates in another user's folder: they are given to that user, so that a service that does not run
// as root can open them.

#include <string>

namespace ringmaster::storage {

/// Gives the open file `descriptor` to the owner of the folder that `path` lies in, when this process runs as root. Without
/// effect otherwise, and where the file system has no owners.
void give_to_folder_owner(int descriptor, const std::string& path) noexcept;

} // namespace ringmaster::storage

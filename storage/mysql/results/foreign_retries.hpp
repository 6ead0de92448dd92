#pragma once

#include <span>

#include "core/ids.hpp"
#include "storage/mysql/driver/session.hpp"

namespace ringmaster::storage::mysql {

/// Notes a retry of each of these runs: where the trigger message is a text for users (Java admins write such texts), appends it
/// as they do (XXL admin §7.2). A compact note stays: its reader sees the retries. Throws `driver_error`.
void tell_of_retries(session& own, std::span<const core::log_id> runs);

} // namespace ringmaster::storage::mysql

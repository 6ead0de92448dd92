#pragma once

// Why a TLS connection of a link failed, for a person at either end.

#include <string>

#include <openssl/ssl.h>

namespace ringmaster::actors {

/// Of the call that has just failed on this thread, whose errors are taken from OpenSSL's queue. For who was dialled it speaks of
/// the other end as `it`.
[[nodiscard]] std::string failure_in_words(const SSL* session);

} // namespace ringmaster::actors

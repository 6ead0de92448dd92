#pragma once

// Reasons for failed TLS connections of links, readable for operators at either end.

#include <string>

#include <openssl/ssl.h>

namespace ringmaster::actors {

/// Returns the reason of the call that has just failed on this thread, and clears OpenSSL's error queue. On the accepting side,
/// `it` in the text is the peer.
[[nodiscard]] std::string failure_in_words(const SSL* session);

} // namespace ringmaster::actors

#pragma once

// Digests, random texts and stored forms of passwords. The only place that includes OpenSSL and libargon2 for them. No state; any
// thread, but a call that computes Argon2id takes some hundredths of a second and 19 MiB.

#include <string>
#include <string_view>

#include "core/access/user.hpp"
#include "core/result.hpp"

namespace ringmaster::gateway {

/// Return 64 and 32 hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);
[[nodiscard]] std::string md5_hex(std::string_view bytes);

/// Returns 256 random bits as 43 characters of base64url, the value of a session cookie. Errors: `unavailable`.
[[nodiscard]] core::result<std::string> random_token();

/// Returns a password for users to type: 20 characters that cannot be confused, more than 96 random bits. Errors: `unavailable`.
[[nodiscard]] core::result<std::string> random_password();

/// Returns the stored form of a password. A known password keeps a form in which `core::is_known_hash` finds it. Errors:
/// `unavailable`.
[[nodiscard]] core::result<std::string> stored_password(std::string_view password, core::password_form form);

/// Returns true when `stored`, in any form, belongs to this password. The time does not depend on where they differ.
[[nodiscard]] bool is_password(std::string_view password, std::string_view stored);

/// Returns true for an Argon2id form that costs at least as much as a new one.
[[nodiscard]] bool is_strong(std::string_view stored) noexcept;

/// Does as much work as a check of a strong form.
void spend_a_check(std::string_view password);

} // namespace ringmaster::gateway

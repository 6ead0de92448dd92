#pragma once

// Digests, random texts and stored forms of passwords. The only place that includes OpenSSL and libargon2 for them. No state; any
// thread, but what computes Argon2id takes some hundredths of a second and 19 MiB.

#include <string>
#include <string_view>

#include "core/access/user.hpp"
#include "core/result.hpp"

namespace ringmaster::gateway {

/// 64 and 32 hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);
[[nodiscard]] std::string md5_hex(std::string_view bytes);

/// 256 random bits as 43 characters of base64url: what a session's cookie holds. Errors: `unavailable`.
[[nodiscard]] core::result<std::string> random_token();

/// For people to type, 20 characters of which none looks like another one: more than 96 random bits. Errors: `unavailable`.
[[nodiscard]] core::result<std::string> random_password();

/// The stored form. A known password keeps a form in which `core::is_known_hash` finds it. Errors: `unavailable`.
[[nodiscard]] core::result<std::string> stored_password(std::string_view password, core::password_form form);

/// Whether `stored`, in whichever form, is of this password. The time does not depend on where they differ.
[[nodiscard]] bool is_password(std::string_view password, std::string_view stored);

/// It is Argon2id, and has cost at least as much as we spend.
[[nodiscard]] bool is_strong(std::string_view stored) noexcept;

/// As much work as a check of a strong form.
void spend_a_check(std::string_view password);

} // namespace ringmaster::gateway

#include "gateway/auth/secrets.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

#include <argon2.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/random.h>

#include "core/text/md5.hpp"

namespace ringmaster::gateway {

namespace {

/// OWASP's recommendation for Argon2id: 19 MiB, two passes, one lane.
constexpr std::uint32_t memory_kib = 19 * 1024;
constexpr std::uint32_t passes = 2;
constexpr std::uint32_t lanes = 1;
constexpr std::size_t salt_bytes = 16;
constexpr std::size_t hash_bytes = 32;
/// Upper limits for stored forms: a form that asks for more is not computed, so that a row cannot take the machine's memory.
constexpr std::uint32_t memory_kib_max = 256 * 1024;
constexpr std::uint32_t passes_max = 16;
constexpr std::uint32_t lanes_max = 8;

constexpr std::string_view argon2id_prefix = "$argon2id$v=19$";

struct argon2_cost {
  std::uint32_t memory = 0;
  std::uint32_t passes = 0;
  std::uint32_t lanes = 0;
};

std::string hex(const std::uint8_t* bytes, std::size_t count) {
  std::string out;
  out.reserve(2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    out += "0123456789abcdef"[bytes[i] >> 4];
    out += "0123456789abcdef"[bytes[i] & 15];
  }
  return out;
}

bool fill_random(void* bytes, std::size_t count) {
  return getrandom(bytes, count, 0) == static_cast<ssize_t>(count);
}

core::error no_random_numbers() { return {core::errc::unavailable, "the system's random number generator failed"}; }

/// Takes `name` and the number after it off the front of `text`. Returns false when `text` does not begin with them.
bool take(std::string_view& text, std::string_view name, std::uint32_t& number) {
  if (!text.starts_with(name))
    return false;
  const auto* begin = text.data() + name.size();
  const auto [end, failure] = std::from_chars(begin, text.data() + text.size(), number);
  if (failure != std::errc{})
    return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

std::optional<argon2_cost> cost_of(std::string_view stored) noexcept {
  if (!stored.starts_with(argon2id_prefix))
    return std::nullopt;
  stored.remove_prefix(argon2id_prefix.size());
  argon2_cost cost;
  if (!take(stored, "m=", cost.memory) || !take(stored, ",t=", cost.passes) || !take(stored, ",p=", cost.lanes))
    return std::nullopt;
  const bool bearable = cost.memory <= memory_kib_max && cost.passes <= passes_max && cost.lanes <= lanes_max;
  return bearable && stored.starts_with('$') ? std::optional{cost} : std::nullopt;
}

core::result<std::string> argon2id(std::string_view password) {
  std::array<std::uint8_t, salt_bytes> salt{};
  if (!fill_random(salt.data(), salt.size()))
    return tl::unexpected{no_random_numbers()};
  std::string encoded(argon2_encodedlen(passes, memory_kib, lanes, salt_bytes, hash_bytes, Argon2_id), '\0');
  const auto code = argon2id_hash_encoded(passes, memory_kib, lanes, password.data(), password.size(), salt.data(), salt.size(),
                                          hash_bytes, encoded.data(), encoded.size());
  if (code != ARGON2_OK)
    return core::fail(core::errc::unavailable, std::string{"cannot hash the password: "} + argon2_error_message(code));
  encoded.resize(encoded.find('\0')); // the length includes the final NUL
  return encoded;
}

bool is_same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

} // namespace

std::string sha256_hex(std::string_view bytes) {
  std::array<std::uint8_t, 32> digest{};
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  return hex(digest.data(), digest.size());
}

std::string md5_hex(std::string_view bytes) {
  const auto digest = core::md5(bytes);
  return hex(digest.data(), digest.size());
}

core::result<std::string> random_token() {
  std::array<std::uint8_t, 33> bytes{}; // a multiple of three, for base64; the last byte stays 0
  if (!fill_random(bytes.data(), 32))
    return tl::unexpected{no_random_numbers()};
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto three = static_cast<std::uint32_t>(bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2]);
    for (const int shift : {18, 12, 6, 0})
      out += digits[three >> shift & 63];
  }
  out.resize(43);
  return out;
}

core::result<std::string> random_password() {
  constexpr std::string_view letters = "abcdefghijkmnpqrstuvwxyz23456789"; // 32 letters: five bits each, without l, o, 0, 1
  std::array<std::uint8_t, 20> bytes{};
  if (!fill_random(bytes.data(), bytes.size()))
    return tl::unexpected{no_random_numbers()};
  std::string out;
  for (const auto byte : bytes)
    out += letters[byte % letters.size()];
  return out;
}

core::result<std::string> stored_password(std::string_view password, core::password_form form) {
  switch (form) {
  case core::password_form::md5: return md5_hex(password);
  case core::password_form::sha256: return sha256_hex(password);
  case core::password_form::argon2id: break;
  }
  if (core::is_known_password(password))
    return sha256_hex(password);
  return argon2id(password);
}

bool is_password(std::string_view password, std::string_view stored) {
  if (stored.size() == 32)
    return is_same(md5_hex(password), stored);
  if (stored.size() == 64)
    return is_same(sha256_hex(password), stored);
  if (!cost_of(stored))
    return false;
  return argon2id_verify(std::string{stored}.c_str(), password.data(), password.size()) == ARGON2_OK;
}

bool is_strong(std::string_view stored) noexcept {
  const auto cost = cost_of(stored);
  return cost && cost->memory >= memory_kib && cost->passes >= passes;
}

void spend_a_check(std::string_view password) { (void) argon2id(password); }

} // namespace ringmaster::gateway

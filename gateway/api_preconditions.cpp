#include "gateway/api_preconditions.hpp"

#include <algorithm>
#include <charconv>

#include "core/text.hpp"
#include "gateway/secrets.hpp"

namespace ringmaster::gateway {

namespace {

constexpr std::size_t key_bytes_max = 255;

bool is_visible(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

} // namespace

std::string etag_of(std::string_view tag) { return std::string{'"'}.append(tag).append(1, '"'); }

core::result<std::optional<wanted_tag>> wanted_tag_of(const protocol::http_request& request) {
  const auto* header = request.find_header("If-Match");
  if (!header)
    return std::nullopt;
  auto tag = core::trimmed(*header);
  if (tag == "*")
    return wanted_tag{};
  // A weak one never matches (RFC 9110 §13.1.1).
  const bool weak = tag.starts_with("W/");
  if (weak)
    tag.remove_prefix(2);
  const bool quoted = tag.size() >= 2 && tag.front() == '"' && tag.find('"', 1) == tag.size() - 1;
  if (!quoted)
    return core::fail(core::errc::invalid_argument, "If-Match must be one ETag, as a GET of the same path gives it");
  return wanted_tag{weak ? std::string{} : std::string{tag.substr(1, tag.size() - 2)}};
}

core::result<std::int64_t> trigger_token_of(const protocol::http_request& request, const core::principal& by) {
  const auto* key = request.find_header("Idempotency-Key");
  if (!key)
    return 0;
  if (key->empty() || key->size() > key_bytes_max || !is_visible(*key))
    return core::fail(core::errc::invalid_argument, "Idempotency-Key must be 1 to 255 characters of visible ASCII");
  // 60 bits: who knows another one's key meets his run no more often than by chance.
  constexpr std::size_t digits = 15;
  const auto digest = sha256_hex(std::to_string(core::number(by.user)) + '\n' + by.name + '\n' + *key);
  std::int64_t token = 0;
  std::from_chars(digest.data(), digest.data() + digits, token, 16);
  return token + 1;
}

bool has_already(const protocol::http_request& request, std::string_view etag) {
  const auto* header = request.find_header("If-None-Match");
  if (!header)
    return false;
  std::string_view rest = *header;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(','), rest.size());
    auto tag = core::trimmed(rest.substr(0, end));
    if (tag.starts_with("W/"))
      tag.remove_prefix(2);
    if (tag == "*" || tag == etag)
      return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

} // namespace ringmaster::gateway

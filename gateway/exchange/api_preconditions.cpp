#include "gateway/exchange/api_preconditions.hpp"

#include <algorithm>
#include <charconv>

#include "core/text/ascii_case.hpp"
#include "core/text/text.hpp"
#include "gateway/auth/secrets.hpp"

namespace ringmaster::gateway {

namespace {

constexpr std::size_t key_bytes_max = 255;

bool is_visible(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

/// Returns the header of this name, null without one. Two such headers are refused, because the choice would be a guess. Errors:
/// `invalid_argument`.
core::result<const std::string*> only_header(const protocol::http_request& request, std::string_view name) {
  const std::string* found = nullptr;
  for (const auto& [each, value] : request.headers) {
    if (!core::equal_without_case(each, name))
      continue;
    if (found)
      return core::fail(core::errc::invalid_argument, "duplicate header " + std::string{name});
    found = &value;
  }
  return found;
}

} // namespace

std::string etag_of(std::string_view tag) { return std::string{'"'}.append(tag).append(1, '"'); }

core::result<std::optional<wanted_tag>> wanted_tag_of(const protocol::http_request& request) {
  const auto header = only_header(request, "If-Match");
  if (!header)
    return tl::unexpected{header.error()};
  if (!*header)
    return std::nullopt;
  auto tag = core::trimmed(**header);
  if (tag == "*")
    return wanted_tag{};
  // Our ETags identify the content, not bytes: a proxy that compresses answers makes them weak, and they mean the same.
  if (tag.starts_with("W/"))
    tag.remove_prefix(2);
  const bool quoted = tag.size() >= 2 && tag.front() == '"' && tag.find('"', 1) == tag.size() - 1;
  if (!quoted)
    return core::fail(core::errc::invalid_argument, "If-Match must be one ETag, as returned by GET at the same path");
  return wanted_tag{std::string{tag.substr(1, tag.size() - 2)}};
}

core::result<std::int64_t> trigger_token_of(const protocol::http_request& request, const core::principal& by) {
  const auto header = only_header(request, "Idempotency-Key");
  if (!header)
    return tl::unexpected{header.error()};
  const auto* key = *header;
  if (!key)
    return 0;
  if (key->empty() || key->size() > key_bytes_max || !is_visible(*key))
    return core::fail(core::errc::invalid_argument, "Idempotency-Key must be 1 to 255 characters of visible ASCII");
  // 60 bits: a user who knows another user's key matches the other's run no more often than by chance.
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

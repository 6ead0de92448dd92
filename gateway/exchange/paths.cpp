#include "gateway/exchange/paths.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "core/text/text.hpp"
#include "core/text/url_text.hpp"

namespace ringmaster::gateway {

namespace {

/// Removes and returns the text up to the next slash.
std::string_view take_segment(std::string_view& path) noexcept {
  const auto end = std::min(path.find('/'), path.size());
  const auto segment = path.substr(0, end);
  path.remove_prefix(std::min(end + 1, path.size()));
  return segment;
}

bool is_id(std::string_view text) noexcept {
  if (text.empty() || text.front() < '1' || text.front() > '9')
    return false;
  std::int64_t number = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  return failure == std::errc{} && stop == end;
}

/// Returns the value of a segment in braces; nothing when the segment has no such value.
std::optional<std::string> value_of_segment(std::string_view name, std::string_view given) {
  if (name != "name")
    return is_id(given) ? std::optional<std::string>{given} : std::nullopt;
  constexpr std::size_t name_bytes_max = 1024;
  auto text = given.size() <= name_bytes_max ? core::percent_decoded(given) : std::nullopt;
  const bool is_name = text && !text->empty() && core::valid_utf8(*text) == *text && text->find('\0') == std::string::npos;
  return is_name ? std::move(text) : std::nullopt;
}

} // namespace

std::string plain_path(std::string_view target) {
  auto path_text = core::split_schemeless(target).path;
  if (!target.starts_with('/')) {
    // The absolute form, which proxies send and every server must accept (RFC 9112 §3.2.2).
    const auto url = core::split_url(target.substr(0, target.find_first_of("?#")));
    if (!url.scheme)
      return {};
    path_text = url.path.empty() ? std::string_view{"/"} : url.path;
  }
  std::string path;
  path.reserve(path_text.size());
  std::unique_copy(path_text.begin(), path_text.end(), std::back_inserter(path),
                   [](char a, char b) { return a == '/' && b == '/'; });
  if (path.size() > 1 && path.back() == '/')
    path.pop_back();
  return path;
}

std::string_view below_context(std::string_view path, std::string_view context) noexcept {
  if (context.size() < 2 || !path.starts_with(context))
    return path;
  auto rest = path.substr(context.size());
  if (rest.empty())
    return "/";
  return rest.front() == '/' ? rest : path;
}

std::string_view default_api(std::string_view path) noexcept {
  constexpr std::string_view prefix = "/xxl-job-admin";
  if (!path.starts_with(prefix))
    return {};
  path.remove_prefix(prefix.size());
  return path.starts_with("/api/") ? path : std::string_view{};
}

std::string_view api_operation(std::string_view path) noexcept {
  constexpr std::string_view api = "/api/";
  if (!path.starts_with(api))
    return {};
  auto operation = path.substr(api.size());
  return operation.find('/') == std::string_view::npos ? operation : std::string_view{};
}

std::optional<path_parameters> match_path(std::string_view pattern, std::string_view path) {
  if (std::count(pattern.begin(), pattern.end(), '/') != std::count(path.begin(), path.end(), '/'))
    return std::nullopt;
  path_parameters found;
  while (!pattern.empty()) {
    const auto wanted = take_segment(pattern);
    const auto given = take_segment(path);
    const bool named = wanted.size() > 2 && wanted.front() == '{' && wanted.back() == '}';
    if (!named && wanted != given)
      return std::nullopt;
    if (!named)
      continue;
    const auto name = wanted.substr(1, wanted.size() - 2);
    auto value = value_of_segment(name, given);
    if (!value)
      return std::nullopt;
    found.emplace_back(name, std::move(*value));
  }
  return found;
}

} // namespace ringmaster::gateway

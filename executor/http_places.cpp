#include "executor/http_places.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "protocol/curl/curl_transfer.hpp"

namespace ringmaster::executor {

namespace {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; });
  return text;
}

protocol::called_url url_of(const std::string& text) { return protocol::called_url{text, CURLU_PATH_AS_IS}; }

/// Returns `https://host:443`, also when the URL omits the port.
std::string origin_of(const protocol::called_url& url) {
  return url.part(CURLUPART_SCHEME) + "://" + lower_case(url.part(CURLUPART_HOST)) + ':' +
         url.part(CURLUPART_PORT, CURLU_DEFAULT_PORT);
}

/// Returns whether the path stays below `above`. Rejects `..` in any encoding.
bool stays_below(const std::string& path, const std::string& above) {
  const auto lower = lower_case(path);
  return path.starts_with(above) && lower.find("..") == std::string::npos && lower.find("%2e") == std::string::npos &&
         lower.find("%2f") == std::string::npos && lower.find("%5c") == std::string::npos &&
         lower.find('\\') == std::string::npos;
}

} // namespace

core::result<http_places::place> http_places::read(const std::string& text) {
  const auto url = url_of(text);
  const auto path = url.part(CURLUPART_PATH);
  if (!url.is_http() || url.has_account() || !path.ends_with('/') || !url.part(CURLUPART_QUERY).empty())
    return core::fail(core::errc::invalid_argument,
                      "\"" + text + "\" is not an http or https address with a path that ends with a slash");
  return place{origin_of(url), path};
}

core::result<http_places> http_places::make(std::span<const std::string> texts) {
  http_places out;
  for (const auto& text : texts) {
    auto read_place = read(text);
    if (!read_place)
      return tl::unexpected{std::move(read_place.error())};
    out.places_.push_back(std::move(*read_place));
  }
  return out;
}

core::result<void> http_places::check(const std::string& text) const {
  const auto url = url_of(text);
  const bool fits = url.is_http() && !url.has_account() && std::any_of(places_.begin(), places_.end(), [&](const auto& place) {
                      return place.origin == origin_of(url) && stays_below(url.part(CURLUPART_PATH), place.path);
                    });
  return fits ? core::result<void>{}
              : core::fail(core::errc::forbidden, "\"" + text + "\" is not among the addresses that this executor may call");
}

} // namespace ringmaster::executor

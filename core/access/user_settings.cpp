#include "core/access/user_settings.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "core/text/language.hpp"

namespace ringmaster::core {

namespace {

bool is_one_of(const std::optional<std::string>& value, std::initializer_list<std::string_view> known) {
  return !value || std::find(known.begin(), known.end(), *value) != known.end();
}

/// Returns whether `path` names a page of the console and cannot lead to another site.
bool is_start_page(std::string_view path) noexcept {
  const auto is_plain = [](char c) { return static_cast<unsigned char>(c) > ' ' && c != '\\' && c != '\x7f'; };
  return path.starts_with('/') && !path.starts_with("//") && path.size() <= start_page_bytes_max
         && std::all_of(path.begin(), path.end(), is_plain);
}

result<void> refused(const char* why) { return fail(errc::invalid_argument, why); }

} // namespace

result<void> check_user_settings(const user_settings& settings) {
  if (settings.language && !find_language(*settings.language))
    return refused("language must be zh_CN, zh_TC or en");
  if (!is_one_of(settings.zone, {"viewer", "server", "utc"}))
    return refused("zone must be viewer, server or utc");
  if (!is_one_of(settings.theme, {"auto", "light", "dark"}))
    return refused("theme must be auto, light or dark");
  if (settings.start_page && !is_start_page(*settings.start_page))
    return refused("start_page must be a path of the console of at most 255 bytes, with a slash at its front");
  if (settings.refresh_s && (*settings.refresh_s < 1 || *settings.refresh_s > refresh_seconds_max))
    return refused("refresh_s must be between 1 and 3600");
  return {};
}

} // namespace ringmaster::core

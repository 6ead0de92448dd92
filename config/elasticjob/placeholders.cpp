// Placeholders of Spring: `${key}` and `${key:default}`.

#include "config/elasticjob/source_job.hpp"

namespace ringmaster::config {

namespace {

/// Longest text with the values of its placeholders.
constexpr std::size_t filled_bytes_max = std::size_t{1} << 20U;
constexpr std::string_view placeholder_begin = "${";

} // namespace

void source_names::add_values(std::span<const property> properties) {
  for (const auto& each : properties)
    if (each.value)
      if (auto [at, is_new] = values.try_emplace(each.path, each.value); !is_new && at->second != each.value)
        at->second.reset();
}

bool has_placeholder(std::string_view text) noexcept { return text.find(placeholder_begin) != std::string_view::npos; }

std::optional<std::string> filled(std::string_view text, const source_names& names) {
  std::string out;
  while (has_placeholder(text)) {
    const auto begin = text.find(placeholder_begin);
    const auto end = text.find('}', begin);
    if (end == std::string_view::npos)
      return std::nullopt;
    auto key = text.substr(begin + placeholder_begin.size(), end - begin - placeholder_begin.size());
    std::optional<std::string_view> otherwise;
    if (const auto colon = key.find(':'); colon != std::string_view::npos) {
      otherwise = key.substr(colon + 1);
      key = key.substr(0, colon);
    }
    const auto at = names.values.find(key);
    const bool is_known = at != names.values.end();
    if (is_known ? !at->second.has_value() : !otherwise)
      return std::nullopt;
    out.append(text.substr(0, begin)).append(is_known ? std::string_view{*at->second} : *otherwise);
    text.remove_prefix(end + 1);
    if (out.size() > filled_bytes_max)
      return std::nullopt;
  }
  out += text;
  return has_placeholder(out) ? std::nullopt : std::optional{out};
}

} // namespace ringmaster::config

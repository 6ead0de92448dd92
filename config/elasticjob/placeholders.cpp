// Placeholders of Spring: `${key}` and `${key:default}`.

#include "config/elasticjob/source_job.hpp"

namespace ringmaster::config {

namespace {

/// Longest text with the values of its placeholders.
constexpr std::size_t filled_bytes_max = std::size_t{1} << 20U;
constexpr std::string_view placeholder_begin = "${";

auto fail_text(const char* what) { return core::fail(core::errc::invalid_argument, what); }

/// Returns the value of a placeholder: `key`, or `key:default`.
core::result<std::string_view> value_of(std::string_view key, const source_names& names) {
  const auto colon = key.find(':');
  const auto at = names.values.find(key.substr(0, colon));
  if (at == names.values.end() && colon == std::string_view::npos)
    return fail_text("a placeholder without a value in these files");
  if (at == names.values.end())
    return key.substr(colon + 1);
  if (!at->second)
    return fail_text("a placeholder with several values in these files");
  if (has_placeholder(*at->second))
    return fail_text("a placeholder whose value has a placeholder");
  return std::string_view{*at->second};
}

} // namespace

void source_names::add_values(std::span<const property> properties) {
  for (const auto& each : properties)
    if (each.value)
      if (auto [at, is_new] = values.try_emplace(each.path, each.value); !is_new && at->second != each.value)
        at->second.reset();
}

bool has_placeholder(std::string_view text) noexcept { return text.find(placeholder_begin) != std::string_view::npos; }

core::result<std::string> filled(std::string_view text, const source_names& names) {
  std::string out;
  while (has_placeholder(text)) {
    const auto begin = text.find(placeholder_begin);
    const auto end = text.find('}', begin);
    if (end == std::string_view::npos)
      return fail_text("a placeholder without an end");
    const auto key = text.substr(begin + placeholder_begin.size(), end - begin - placeholder_begin.size());
    if (has_placeholder(key))
      return fail_text("a placeholder inside a placeholder");
    const auto value = value_of(key, names);
    if (!value)
      return tl::unexpected{value.error()};
    out.append(text.substr(0, begin)).append(*value);
    text.remove_prefix(end + 1);
    if (out.size() > filled_bytes_max)
      return fail_text("more than 1 MiB with the values of its placeholders");
  }
  out += text;
  if (has_placeholder(out))
    return fail_text("a placeholder that is made of several texts");
  return out;
}

} // namespace ringmaster::config

#pragma once

// The properties that this release knows: one row is the name, the form, the limits and the default. Everything that reads,
// checks or documents properties walks this table.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/elastic/job_types.hpp"

namespace ringmaster::core::elastic {

/// Form of a value.
enum class prop_form : std::uint8_t {
  /// Any text without NUL.
  text,
  /// One line: a text without control characters.
  line,
  /// A whole number.
  number,
  /// `true` or `false`.
  flag,
  /// An `http` or `https` address with a host, of printable ASCII without blanks.
  url,
  /// Letters only, such as `GET`.
  letters,
  /// A program and its arguments in the form of `split_command_line`.
  command_line,
};

/// One property.
struct prop_field {
  std::string_view name;
  prop_form form = prop_form::text;
  /// Range of a number; bytes of a text.
  std::int64_t min = 0;
  std::int64_t max = 0;
  /// Value of a job that does not set the property.
  std::string_view otherwise = {};
  /// Only jobs of this type have it; empty: all jobs.
  std::string_view job_type = {};
  /// A job of the type must set it.
  bool is_required = false;
  /// Its value is shown nowhere.
  bool is_secret = false;
};

/// Longest text of a property, in bytes. All together have `props_bytes`.
inline constexpr std::int64_t prop_bytes = 32768;
/// Longest time limit of a call: one day.
inline constexpr std::int64_t prop_ms_max = 86'400'000;

/// Beginning of the names of properties for parts that a program has added, such as error handlers: any text, and all secret.
inline constexpr std::string_view custom_prop = "custom.";
inline constexpr std::size_t custom_prop_bytes = 100;

inline constexpr std::array<prop_field, 33> prop_fields{{
  {"script.command.line", prop_form::command_line, 1, prop_bytes, "", script_type, true},
  {"http.uri", prop_form::url, 1, 2048, "", http_type, true},
  {"http.method", prop_form::letters, 1, 16, "GET", http_type},
  {"http.data", prop_form::text, 0, prop_bytes, "", http_type},
  {"http.content.type", prop_form::line, 1, 255, "application/x-www-form-urlencoded", http_type},
  {"http.connect.timeout.milliseconds", prop_form::number, 1, prop_ms_max, "3000", http_type},
  {"http.read.timeout.milliseconds", prop_form::number, 1, prop_ms_max, "5000", http_type},
  {"http.fail.on.status", prop_form::flag, 0, 0, "true", http_type},
  {"error.notify", prop_form::letters, 1, 16, "node"},
  {"error.channel", prop_form::line, 1, 255},
  {"email.host", prop_form::line, 1, 255},
  {"email.port", prop_form::number, 1, 65535, "465"},
  {"email.username", prop_form::line, 0, 255},
  {.name = "email.password", .form = prop_form::line, .max = 1024, .is_secret = true},
  {"email.from", prop_form::line, 1, 255},
  {"email.to", prop_form::line, 1, 4096},
  {"email.cc", prop_form::line, 0, 255},
  {"email.bcc", prop_form::line, 0, 255},
  {"email.subject", prop_form::line, 0, 255, "ElasticJob error message"},
  {"email.useSsl", prop_form::flag, 0, 0, "true"},
  {"email.ssl.trust", prop_form::line, 0, 1024},
  {"email.debug", prop_form::flag, 0, 0, "false"},
  {.name = "wechat.webhook", .form = prop_form::url, .min = 1, .max = 2048, .is_secret = true},
  {"wechat.connectTimeoutMilliseconds", prop_form::number, 1, 60'000, "3000"},
  {"wechat.readTimeoutMilliseconds", prop_form::number, 1, 60'000, "5000"},
  {.name = "dingtalk.webhook", .form = prop_form::url, .min = 1, .max = 2048, .is_secret = true},
  {"dingtalk.keyword", prop_form::line, 0, 255},
  {.name = "dingtalk.secret", .form = prop_form::line, .max = 1024, .is_secret = true},
  {"dingtalk.connectTimeoutMilliseconds", prop_form::number, 1, 60'000, "3000"},
  {"dingtalk.readTimeoutMilliseconds", prop_form::number, 1, 60'000, "5000"},
  {.name = "webhook.url", .form = prop_form::url, .min = 1, .max = 2048, .is_secret = true},
  {"webhook.connectTimeoutMilliseconds", prop_form::number, 1, 60'000, "3000"},
  {"webhook.readTimeoutMilliseconds", prop_form::number, 1, 60'000, "5000"},
}};

/// Returns whether the name is one for a part that a program has added.
[[nodiscard]] constexpr bool is_custom_prop(std::string_view name) noexcept {
  return name.starts_with(custom_prop) && name.size() > custom_prop.size() && name.size() <= custom_prop_bytes;
}

/// Returns null for an unknown name.
[[nodiscard]] constexpr const prop_field* find_prop(std::string_view name) noexcept {
  for (const auto& field : prop_fields)
    if (field.name == name)
      return &field;
  return nullptr;
}

} // namespace ringmaster::core::elastic

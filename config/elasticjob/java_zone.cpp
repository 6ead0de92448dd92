// Time zones of Java (`java.util.TimeZone`): `GMT`, a sign, hours, and minutes with or without a colon.

#include "config/elasticjob/imported_job.hpp"
#include "core/text/text.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::config {

namespace {

/// An offset from UTC.
struct java_offset {
  bool is_east = true;
  int hours = 0;
  int minutes = 0;
};

std::optional<int> small_number(std::string_view text, std::size_t digits_min, int max) {
  if (text.size() < digits_min || text.size() > 2 || text.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  int value = 0;
  for (const char c : text)
    value = value * 10 + (c - '0');
  return value <= max ? std::optional{value} : std::nullopt;
}

std::optional<java_offset> offset_of(std::string_view text) {
  if (!text.starts_with("GMT") || text.size() < 5 || (text[3] != '+' && text[3] != '-'))
    return std::nullopt;
  auto hours = text.substr(4);
  std::string_view minutes = "00";
  if (const auto colon = hours.find(':'); colon != std::string_view::npos) {
    minutes = hours.substr(colon + 1);
    hours = hours.substr(0, colon);
  } else if (hours.size() > 2) {
    minutes = hours.substr(hours.size() - 2);
    hours = hours.substr(0, hours.size() - 2);
  }
  const auto h = small_number(hours, 1, 23), m = small_number(minutes, 2, 59);
  if (!h || !m)
    return std::nullopt;
  return java_offset{text[3] == '+', *h, *m};
}

} // namespace

std::string zone_name_of(std::string_view java_name) {
  if (core::zone::find(java_name))
    return std::string{java_name};
  const auto offset = offset_of(java_name);
  if (!offset || offset->minutes != 0)
    return {};
  if (offset->hours == 0)
    return "UTC";
  // IANA's names have the opposite sign.
  const auto name = std::string{"Etc/GMT"} + (offset->is_east ? '-' : '+') + std::to_string(offset->hours);
  return core::zone::find(name) ? name : std::string{};
}

} // namespace ringmaster::config

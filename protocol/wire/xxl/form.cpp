#include "protocol/wire/xxl/form.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/text/text.hpp"
#include "core/text/url_text.hpp"
#include "protocol/wire/xxl/multipart.hpp"

namespace ringmaster::protocol::wire {

namespace {

using core::errc;
using core::fail;

constexpr std::size_t parameters_max = 256;
/// Maximum length of a name or value in a message.
constexpr std::size_t shown_chars = 40;

using fields = std::multimap<std::string, std::string, std::less<>>;

std::string shown(std::string_view text) { return std::string{core::cut_characters(core::valid_utf8(text), shown_chars)}; }

core::result<void> add(fields& to, std::string name, std::string value) {
  if (name.empty())
    return {};
  if (to.size() == parameters_max)
    return fail(errc::invalid_argument, "there are more than " + std::to_string(parameters_max) + " parameters");
  if (core::valid_utf8(name) != name)
    return fail(errc::invalid_argument, "the name of a parameter is not valid UTF-8");
  if (core::valid_utf8(value) != value)
    return fail(errc::invalid_argument, "the parameter " + shown(name) + " is not valid UTF-8");
  to.emplace(std::move(name), std::move(value));
  return {};
}

core::result<void> add_escaped(fields& to, std::string_view pairs) {
  while (!pairs.empty()) {
    const auto end = std::min(pairs.find('&'), pairs.size());
    const auto pair = pairs.substr(0, end);
    pairs.remove_prefix(std::min(end + 1, pairs.size()));
    const auto equals = std::min(pair.find('='), pair.size());
    auto name = core::percent_decoded(pair.substr(0, equals), true);
    auto value = core::percent_decoded(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name || !value)
      return fail(errc::invalid_argument,
                  "the parameter " + shown(pair.substr(0, equals)) + " has a % without two hexadecimal digits after it");
    if (auto added = add(to, std::move(*name), std::move(*value)); !added)
      return added;
  }
  return {};
}

core::result<void> add_parts(fields& to, std::string_view boundary, std::string_view body) {
  multipart_reader parts{body, boundary};
  while (true) {
    auto part = parts.next();
    if (!part)
      return tl::unexpected{std::move(part.error())};
    if (!*part)
      return {};
    if (auto added = add(to, std::move((*part)->name), std::string{(*part)->value}); !added)
      return added;
  }
}

std::string_view query_of(std::string_view target) noexcept {
  const auto tail = core::split_schemeless(target).tail;
  const auto query = tail.substr(0, tail.find('#'));
  return query.substr(std::min<std::size_t>(1, query.size()));
}

template <class Number>
core::result<Number> read_number(std::string_view name, std::string_view text) {
  const auto digits = core::trimmed(text);
  const auto unsigned_part = digits.starts_with('+') && !digits.starts_with("+-") ? digits.substr(1) : digits;
  Number number{};
  const auto* end = unsigned_part.data() + unsigned_part.size();
  const auto [stop, failure] = std::from_chars(unsigned_part.data(), end, number);
  if (failure != std::errc{} || stop != end)
    return fail(errc::invalid_argument, "the parameter " + shown(name) + " must be a whole number of " +
                                            std::to_string(8 * sizeof(Number)) + " bits, not \"" + shown(text) + '"');
  return number;
}

template <class Number>
core::result<std::optional<Number>> optional_number(std::string_view name, const std::optional<std::string>& text) {
  if (!text || text->empty())
    return std::nullopt;
  return read_number<Number>(name, *text).map([](Number number) { return std::optional{number}; });
}

template <class Number>
core::result<Number> needed_number(std::string_view name, const std::optional<std::string>& text) {
  if (!text || text->empty())
    return fail(errc::invalid_argument, "the parameter " + shown(name) + " is missing");
  return read_number<Number>(name, *text);
}

} // namespace

core::result<form> form::parse(std::string_view target, std::string_view content_type, std::string_view body) {
  form out;
  if (auto added = add_escaped(out.values_, query_of(target)); !added)
    return tl::unexpected{std::move(added.error())};
  core::result<void> added;
  if (is_media_type(content_type, "application/x-www-form-urlencoded")) {
    added = add_escaped(out.values_, body);
  } else if (is_media_type(content_type, "multipart/form-data")) {
    const auto boundary = boundary_of(content_type);
    if (!boundary)
      return fail(errc::invalid_argument, "the content type multipart/form-data has no boundary");
    added = add_parts(out.values_, *boundary, body);
  }
  if (!added)
    return tl::unexpected{std::move(added.error())};
  return out;
}

std::optional<std::string> form::text(std::string_view name) const {
  // Equal names keep their order.
  read_.emplace(name);
  const auto found = values_.lower_bound(name);
  return found != values_.end() && found->first == name ? std::optional{found->second} : std::nullopt;
}

std::string form::text_or_empty(std::string_view name) const { return text(name).value_or(std::string{}); }

std::optional<std::string> form::unread() const {
  for (const auto& [name, value] : values_)
    if (!read_.contains(name))
      return name;
  return std::nullopt;
}

core::result<std::optional<std::int32_t>> form::int32(std::string_view name) const {
  return optional_number<std::int32_t>(name, text(name));
}

core::result<std::optional<std::int64_t>> form::int64(std::string_view name) const {
  return optional_number<std::int64_t>(name, text(name));
}

core::result<std::int32_t> form::needed_int32(std::string_view name) const {
  return needed_number<std::int32_t>(name, text(name));
}

core::result<std::int64_t> form::needed_int64(std::string_view name) const {
  return needed_number<std::int64_t>(name, text(name));
}

core::result<std::vector<std::int64_t>> form::int64_list(std::string_view name) const {
  std::vector<std::int64_t> out;
  for (const auto& each : {std::string{name}, std::string{name} + "[]"}) {
    read_.emplace(each);
    const auto [first, last] = values_.equal_range(each);
    for (auto it = first; it != last; ++it)
      for (std::string_view rest = it->second; !rest.empty();) {
        const auto end = std::min(rest.find(','), rest.size());
        const auto number = read_number<std::int64_t>(name, rest.substr(0, end));
        if (!number)
          return tl::unexpected{number.error()};
        out.push_back(*number);
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
  }
  return out;
}

std::optional<std::string> find_cookie(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const auto end = std::min(header.find(';'), header.size());
    const auto pair = core::trimmed(header.substr(0, end));
    header.remove_prefix(std::min(end + 1, header.size()));
    const auto equals = pair.find('=');
    if (equals != std::string_view::npos && core::trimmed(pair.substr(0, equals)) == name)
      return std::string{core::trimmed(pair.substr(equals + 1))};
  }
  return std::nullopt;
}

} // namespace ringmaster::protocol::wire

#include "config/elasticjob/xml_markup.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

#include "core/text/ascii_case.hpp"
#include "core/text/text.hpp"

namespace ringmaster::config {

namespace {

/// Returns the index after `end`, searched from `pos`; the size of the text if it is missing.
std::size_t after(std::string_view text, std::string_view end, std::size_t pos) noexcept {
  const auto at = text.find(end, pos);
  return at == std::string_view::npos ? text.size() : at + end.size();
}

/// Returns whether XML has the character.
bool is_of_xml(std::uint32_t code) noexcept {
  return code == 0x9 || code == 0xA || code == 0xD || (code >= 0x20 && code < 0xD800) || (code >= 0xE000 && code < 0xFFFE) ||
         (code >= 0x10000 && code <= 0x10FFFF);
}

/// Returns whether the text begins with a reference to a character of XML.
bool is_character_reference(std::string_view text) noexcept {
  const bool is_hex = text.substr(2).starts_with('x');
  const auto digits = text.substr(is_hex ? 3 : 2);
  std::uint32_t code = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), code, is_hex ? 16 : 10);
  return failure == std::errc{} && end != digits.data() + digits.size() && *end == ';' && is_of_xml(code);
}

/// Returns why a reference is refused; empty: it is one to a character, or to one of XML's five entities.
std::string reference_mistake(std::string_view text) {
  if (text.starts_with("&#") && is_character_reference(text))
    return {};
  if (text.starts_with("&#")) {
    const auto shown = text.substr(0, std::min<std::size_t>(text.find_first_not_of("x0123456789abcdefABCDEF", 2), 20));
    return "invalid reference to a character: " + std::string{shown};
  }
  for (const std::string_view known : {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"})
    if (text.starts_with(known))
      return {};
  return "references to entities are not supported; write the text, and & as &amp;";
}

/// Checks `<?xml … encoding="…"?>`.
std::optional<markup_error> check_encoding(std::string_view text) {
  if (!text.starts_with("<?xml"))
    return std::nullopt;
  const auto head = text.substr(0, after(text, "?>", 0));
  auto at = head.find("encoding");
  if (at == std::string_view::npos || std::all_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x80; }))
    return std::nullopt;
  at = head.find_first_of("\"'", at);
  const auto end = at == std::string_view::npos ? at : head.find(head[at], at + 1);
  std::string name;
  if (end != std::string_view::npos)
    name = head.substr(at + 1, end - at - 1);
  std::transform(name.begin(), name.end(), name.begin(), core::ascii_lower);
  if (name == "utf-8" || name == "utf8")
    return std::nullopt;
  return markup_error{0, "encoding '" + core::valid_utf8(core::cut_bytes(name, 40)) +
                           "' is not supported; convert the file to UTF-8"};
}

} // namespace

std::optional<markup_error> find_refused_markup(std::string_view text) {
  if (auto wrong = check_encoding(text))
    return wrong;
  for (auto pos = text.find_first_of("<&"); pos != std::string_view::npos; pos = text.find_first_of("<&", pos)) {
    const auto rest = text.substr(pos);
    if (rest.front() == '&') {
      if (auto mistake = reference_mistake(rest); !mistake.empty())
        return markup_error{pos, std::move(mistake)};
      ++pos;
    } else if (rest.starts_with("<!--")) {
      pos = after(text, "-->", pos + 4);
    } else if (rest.starts_with("<![CDATA[")) {
      pos = after(text, "]]>", pos);
    } else if (rest.starts_with("<?")) {
      pos = after(text, "?>", pos);
    } else if (rest.starts_with("<!")) {
      return markup_error{pos, "a DTD is not supported; remove it"};
    } else {
      ++pos;
    }
  }
  return std::nullopt;
}

line_index::line_index(std::string_view text) {
  for (auto at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    line_ends_.push_back(static_cast<std::ptrdiff_t>(at));
}

std::size_t line_index::line_of(std::ptrdiff_t offset) const noexcept {
  return static_cast<std::size_t>(std::lower_bound(line_ends_.begin(), line_ends_.end(), offset) - line_ends_.begin()) + 1;
}

} // namespace ringmaster::config

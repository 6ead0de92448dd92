#include "core/text/plain_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

constexpr std::array<std::pair<std::string_view, char>, 5> html_entities{
  {{"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}, {"&amp;", '&'}}};

/// Tags in texts of admins and of handlers that write HTML. Anything else in angle brackets is text, e.g. `List<String>`.
constexpr std::array<std::string_view, 24> html_tags{
  "a",  "b",  "br", "code", "div",  "em",     "font",  "h1", "h2", "h3", "hr", "i",
  "li", "ol", "p",  "pre",  "span", "strong", "table", "td", "th", "tr", "u",  "ul"};

/// Longest tag that is looked for, so that a text of many `<` is read in linear time.
constexpr std::size_t tag_max = 1024;
/// One more than the length of the longest name.
constexpr std::size_t name_max = 7;

/// Returns the length of the tag at the beginning of `html`; 0 if there is none.
std::size_t length_of_tag(std::string_view html) noexcept {
  if (html.size() < 2 || html.front() != '<')
    return 0;
  auto name = html.substr(html[1] == '/' ? 2 : 1, name_max);
  name = name.substr(0, name.find_first_of(" />\t\r\n"));
  if (std::find(html_tags.begin(), html_tags.end(), name) == html_tags.end())
    return 0;
  const auto end = html.substr(0, tag_max).find('>');
  return end == std::string_view::npos ? 0 : end + 1;
}

/// Returns the first character of `html` and the number of bytes that stand for it.
std::pair<char, std::size_t> first_character(std::string_view html) noexcept {
  for (const auto& [name, meaning] : html_entities)
    if (html.starts_with(name))
      return {meaning, name.size()};
  return {html.front(), 1};
}

} // namespace

std::string plain_text(std::string_view html) {
  std::string text;
  text.reserve(html.size());
  while (!html.empty()) {
    if (const auto tag = length_of_tag(html); tag > 0) {
      if (html.starts_with("<br"))
        text += '\n';
      html.remove_prefix(tag);
      continue;
    }
    const auto [c, taken] = first_character(html);
    const auto byte = static_cast<unsigned char>(c);
    text += (byte < ' ' && c != '\n') || byte == 0x7F ? ' ' : c;
    html.remove_prefix(taken);
  }
  return valid_utf8(text);
}

} // namespace ringmaster::core

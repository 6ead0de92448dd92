#include <algorithm>

#include "config/elasticjob/readers.hpp"
#include "core/text/text.hpp"

namespace ringmaster::config {

import_syntax syntax_of(std::string_view text) noexcept {
  for (std::size_t pos = 0; pos < text.size();) {
    const auto end = std::min(text.find_first_of("\r\n", pos), text.size());
    const auto line = core::trimmed(text.substr(pos, end - pos));
    pos = end + 1;
    if (line.empty() || line.front() == '#' || line.front() == '!')
      continue;
    if (line.front() == '<')
      return import_syntax::xml;
    if (std::string_view{"%-{[\"'?"}.find(line.front()) != std::string_view::npos)
      return import_syntax::yaml;
    const auto separator = line.find_first_of("=:");
    if (separator == std::string_view::npos)
      return import_syntax::yaml;
    const bool ends_key = separator + 1 == line.size() || line[separator + 1] == ' ' || line[separator + 1] == '\t';
    return line[separator] == ':' && ends_key ? import_syntax::yaml : import_syntax::properties;
  }
  return import_syntax::properties;
}

} // namespace ringmaster::config

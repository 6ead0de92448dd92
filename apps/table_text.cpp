#include "apps/table_text.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace ringmaster::apps {

std::string table_text(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], core::count_characters(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += row[i] + std::string(widths[i] - core::count_characters(row[i]) + 2, ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string fields_text(const std::vector<std::pair<std::string, std::string>>& fields) {
  std::size_t width = 0;
  for (const auto& [name, value] : fields)
    width = std::max(width, name.size());
  std::string text;
  for (const auto& [name, value] : fields) {
    std::string shown = name + ':' + std::string(width - name.size() + 1, ' ');
    for (char c : value)
      shown += c == '\n' ? "\n" + std::string(width + 2, ' ') : std::string(1, c);
    shown.erase(shown.find_last_not_of(' ') + 1);
    text += shown + '\n';
  }
  return text;
}

std::string harmless(std::string text, std::string_view kept) {
  text = core::valid_utf8(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F: in UTF-8 they begin sequences, too.
    if (c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0)
      text.replace(i, 2, " ");
    else if ((c < ' ' && kept.find(text[i]) == std::string_view::npos) || c == 0x7F)
      text[i] = ' ';
  }
  return text;
}

std::string one_line(std::string text) { return harmless(std::move(text), ""); }

} // namespace ringmaster::apps

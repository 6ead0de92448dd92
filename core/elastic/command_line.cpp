#include "core/elastic/command_line.hpp"

#include <algorithm>

namespace ringmaster::core::elastic {

namespace {

constexpr std::string_view word_separators = " \t\r\n", word_quotes = "'\"";

bool is_any_of(char c, std::string_view these) noexcept { return these.find(c) != std::string_view::npos; }

void append_quoted(std::string& line, std::string_view word) {
  line += '\'';
  for (const char c : word)
    if (c == '\'')
      line += R"('"'"')";
    else
      line += c;
  line += '\'';
}

} // namespace

result<std::vector<std::string>> split_command_line(std::string_view text) {
  if (text.find('\0') != std::string_view::npos)
    return fail(errc::invalid_argument, "a command line must not contain a NUL character");
  std::vector<std::string> words;
  bool is_inside = false;
  for (std::size_t pos = 0; pos < text.size(); ++pos) {
    const char c = text[pos];
    if (is_any_of(c, word_separators)) {
      is_inside = false;
      continue;
    }
    if (!is_inside)
      words.emplace_back();
    is_inside = true;
    if (!is_any_of(c, word_quotes)) {
      words.back() += c;
      continue;
    }
    const auto end = text.find(c, pos + 1);
    if (end == std::string_view::npos)
      return fail(errc::invalid_argument, "the quote at byte " + std::to_string(pos + 1) + " of the command line does not end");
    words.back() += text.substr(pos + 1, end - pos - 1);
    pos = end;
  }
  if (words.empty() || words.front().empty())
    return fail(errc::invalid_argument, "the command line has no program");
  return words;
}

std::string command_line(std::span<const std::string> words) {
  std::string line;
  for (const auto& word : words) {
    if (!line.empty())
      line += ' ';
    const bool is_plain = !word.empty() && std::none_of(word.begin(), word.end(), [](char c) {
      return is_any_of(c, word_separators) || is_any_of(c, word_quotes);
    });
    if (is_plain)
      line += word;
    else
      append_quoted(line, word);
  }
  return line;
}

} // namespace ringmaster::core::elastic

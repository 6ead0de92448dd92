#include "core/editing/audit_line.hpp"

#include <algorithm>
#include <utility>

#include "core/columns.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

constexpr std::string_view arrow = " -> ";
constexpr std::string_view quoted_arrow = "\" -> \"";
/// Separates the parts of a stored field; escaped inside them.
constexpr char part_end = '\t';

/// Returns the length of `name: ` at the front of a line; 0: the line begins with something else.
std::size_t name_size(std::string_view line) noexcept {
  const auto end = line.find(": ");
  const auto is_part = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == ' '; };
  if (end == line.npos || end == 0 || !std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(end), is_part))
    return 0;
  return end + 2;
}

std::string plain_value(std::string_view shown) { return shown == "none" ? std::string{} : std::string{shown}; }

field_change field_in(std::string_view line) {
  const auto begin = name_size(line);
  const auto values = line.substr(begin);
  const std::string name{line.substr(0, begin == 0 ? 0 : begin - 2)};
  if (begin != 0 && values.size() > quoted_arrow.size() + 1 && values.front() == '"' && values.back() == '"')
    if (const auto at = values.find(quoted_arrow, 1); at != values.npos && at + quoted_arrow.size() < values.size())
      return {name, std::string{values.substr(1, at - 1)},
              std::string{values.substr(at + quoted_arrow.size(), values.size() - at - quoted_arrow.size() - 1)}};
  // An empty value is written as `none` or in quotes.
  if (const auto at = values.find(arrow); begin != 0 && at != values.npos && at != 0 && at + arrow.size() < values.size())
    return {name, plain_value(values.substr(0, at)), plain_value(values.substr(at + arrow.size()))};
  return {std::string{line}};
}

std::string_view take_until(std::string_view& text, char end) noexcept {
  const auto size = std::min(text.find(end), text.size());
  const auto taken = text.substr(0, size);
  text.remove_prefix(std::min(size + 1, text.size()));
  return taken;
}

void append_part(std::string& out, std::string_view value) {
  const bool is_whole = fits(value, field_value_chars);
  for (const char each : is_whole ? value : cut_characters(value, field_value_chars)) {
    if (each == '\\' || each == '\n' || each == part_end)
      out += '\\';
    out += each == '\n' ? 'n' : each == part_end ? 't' : each;
  }
  if (!is_whole)
    out += "...";
}

std::string part_in(std::string_view stored) {
  std::string out;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    if (stored[i] != '\\' || i + 1 == stored.size()) {
      out += stored[i];
      continue;
    }
    ++i;
    out += stored[i] == 'n' ? '\n' : stored[i] == 't' ? part_end : stored[i];
  }
  return out;
}

} // namespace

audit_line::audit_line(std::string line) : text{std::move(line)}, field{field_in(text)} {}

std::vector<std::string> texts_of(const std::vector<audit_line>& lines) {
  std::vector<std::string> out;
  for (const auto& line : lines)
    out.push_back(line.text);
  return out;
}

std::vector<field_change> fields_in(std::string_view lines) {
  std::vector<field_change> out;
  std::string whole;
  while (!lines.empty()) {
    whole += take_until(lines, '\n');
    if (!lines.empty() && name_size(lines.substr(0, lines.find('\n'))) == 0) {
      whole += '\n';
      continue;
    }
    out.push_back(field_in(whole));
    whole.clear();
  }
  return out;
}

std::optional<std::string> stored_fields(const std::vector<audit_line>& changes, std::string_view lines) {
  std::string out;
  std::vector<field_change> fields;
  for (const auto& [text, field] : changes) {
    fields.push_back(field);
    out += fields.size() == 1 ? "" : "\n";
    append_part(out, field.name);
    if (!field.before || !field.after)
      continue;
    append_part(out += part_end, *field.before);
    append_part(out += part_end, *field.after);
  }
  out = valid_utf8(out);
  return fields == fields_in(lines) || out.size() > text_bytes ? std::nullopt : std::optional{std::move(out)};
}

std::vector<field_change> fields_of(const std::optional<std::string>& stored, std::string_view lines) {
  if (!stored)
    return fields_in(lines);
  std::vector<field_change> out;
  for (std::string_view rest = *stored; !rest.empty();) {
    auto line = take_until(rest, '\n');
    const bool has_values = line.find(part_end) != line.npos;
    field_change field{part_in(take_until(line, part_end))};
    if (has_values) {
      field.before = part_in(take_until(line, part_end));
      field.after = part_in(line);
    }
    out.push_back(std::move(field));
  }
  return out;
}

} // namespace ringmaster::core

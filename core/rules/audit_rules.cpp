#include "core/rules/audit_rules.hpp"

#include "core/columns.hpp"
#include "core/text/text.hpp"

namespace ringmaster::core {

namespace {

constexpr std::size_t person_chars = 64;
constexpr std::size_t object_name_chars = 255;

std::string cut(std::string_view text, std::size_t chars) {
  const auto valid = valid_utf8(text);
  return std::string{cut_characters(valid, chars)};
}

} // namespace

audit_row audit_of(const principal& by, audit_action action, audit_object object, std::int64_t object_id,
                   std::string_view object_name, const std::vector<audit_line>& changes, time_point now) {
  audit_row row;
  row.at = now;
  row.user = by.user;
  row.user_name = cut(by.name, person_chars);
  row.remote = cut(by.remote, person_chars);
  row.action = action;
  row.object = object;
  row.object_id = object_id;
  row.object_name = cut(object_name, object_name_chars);
  std::string lines;
  for (const auto& line : changes) {
    if (!lines.empty())
      lines += '\n';
    lines += line.text;
  }
  lines = valid_utf8(lines);
  row.changes = cut_bytes(lines, text_bytes);
  row.field_values = stored_fields(changes, row.changes);
  return row;
}

} // namespace ringmaster::core

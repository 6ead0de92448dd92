#include "storage/rows/elastic_columns.hpp"

namespace ringmaster::storage {

namespace {

/// Characters of the longest name of a choice, with a reserve for later ones.
constexpr std::string_view choice_type = "VARCHAR(20)";

std::string type_of(const core::elastic::elastic_field& field, std::string_view long_text) {
  using enum core::option_kind;
  switch (field.kind) {
  case text:
  case names:
    return field.is_long ? std::string{long_text} : "VARCHAR(" + std::to_string(field.max) + ")";
  case choice: return std::string{choice_type};
  case flag: return "TINYINT";
  case number:
  case instant: break;
  }
  return "BIGINT";
}

} // namespace

std::string option_column_list(int step, std::string_view long_text) {
  std::string out;
  for (const auto& field : core::elastic::elastic_fields)
    if (field.step == step)
      out.append("  ").append(field.column).append(" ").append(type_of(field, long_text))
        .append(field.is_optional ? ",\n" : " NOT NULL,\n");
  return out;
}

} // namespace ringmaster::storage

// Lines of the audit log and their values.

#include "tests/support/catch.hpp"

#include "core/editing/audit_line.hpp"
#include "core/rules/audit_rules.hpp"
#include "core/rules/job_columns.hpp"

using namespace ringmaster::core;

namespace {

using audit_fields = std::vector<field_change>;

audit_row audited(const std::vector<audit_line>& changes) {
  return audit_of(local_operator(), audit_action::update, audit_object::job, 7, "settle", changes, time_point{});
}

audit_fields fields_told(const audit_row& row) { return fields_of(row.field_values, row.changes); }

} // namespace

TEST_CASE("fields are derived from lines that tell them", "[unit][audit]") {
  CHECK(fields_in("retry: 0 -> 2") == audit_fields{{"retry", "0", "2"}});
  CHECK(fields_in("name: \"Settle\" -> \"\"") == audit_fields{{"name", "Settle", ""}});
  CHECK(fields_in("name: \"\" -> \"\"") == audit_fields{{"name", "", ""}});
  CHECK(fields_in("interval_ms: none -> 1500") == audit_fields{{"interval_ms", "", "1500"}});
  CHECK(fields_in("name: \"none\" -> \"x\"") == audit_fields{{"name", "none", "x"}});
  CHECK(fields_in("source: 3 bytes -> 5 bytes\nremark: \"a\" -> \"b\"") ==
        audit_fields{{"source", "3 bytes", "5 bytes"}, {"remark", "a", "b"}});
  CHECK(fields_in("password: changed") == audit_fields{{"password: changed"}});
  CHECK(fields_in("source: deploy\nkind: update\nretry: 0 -> 2") ==
        audit_fields{{"source: deploy"}, {"kind: update"}, {"retry", "0", "2"}});
  CHECK(fields_in("").empty());
  // Rows of former releases: the first arrow separates, and a line without a name belongs to the value before it.
  CHECK(fields_in("params: \"a\" -> \"b\" -> \"c\"") == audit_fields{{"params", "a", "b\" -> \"c"}});
  CHECK(fields_in("params: \"a\nb\" -> \"c\"\nretry: 0 -> 1") == audit_fields{{"params", "a\nb", "c"}, {"retry", "0", "1"}});
  // Nonsense is a line without values.
  for (const auto* odd : {"x", " -> ", "a -> b", ": ", "\"", "x: \"", "x: \"\"", "x: \" -> ", "\n\n", "X: 1 -> 2"}) {
    CAPTURE(odd);
    for (const auto& field : fields_in(odd))
      CHECK(field.before.has_value() == field.after.has_value());
  }
}

TEST_CASE("values that their line does not tell are stored", "[unit][audit]") {
  const std::string ambiguous = "a\" -> \"b", lines = "x\ny: 1 -> 2\tz\\n", letters(300, 'x');
  for (const auto& value : {std::string{"plain"}, std::string{}, std::string{"none"}, ambiguous, lines, letters,
                            std::string{" -> "}, std::string{"\""}, std::string{"\\"}, std::string{"\\t"}}) {
    CAPTURE(value);
    for (const auto& [before, after] : {std::pair{value, std::string{"other"}}, std::pair{std::string{"other"}, value}}) {
      const auto row = audited({difference("params", before, after), "retry: 0 -> 2"});
      CHECK(fields_told(row) == audit_fields{{"params", before, after}, {"retry", "0", "2"}});
    }
  }
  CHECK_FALSE(audited({difference("params", "a", "b"), "retry: 0 -> 2", "password: changed"}).field_values);
  CHECK_FALSE(audited({}).field_values);
  // The lines for users stay as they were.
  CHECK(audited({difference("params", ambiguous, "c")}).changes == "params: \"a\" -> \"b\" -> \"c\"");
  CHECK(fields_told(audited({remark_line("message: \"a\" -> \"b\"")})) == audit_fields{{"message: \"a\" -> \"b\""}});
}

TEST_CASE("long values are shortened, and values beyond the column are derived", "[unit][audit]") {
  const auto row = audited({difference("params", std::string(70'000, 'a'), "")});
  REQUIRE(row.field_values);
  CHECK(fields_told(row) == audit_fields{{"params", std::string(field_value_chars, 'a') + "...", ""}});
  const std::string wide = [] {
    std::string out;
    for (std::size_t i = 0; i < field_value_chars; ++i)
      out += "\xf0\x9f\x98\x80";
    return out;
  }();
  std::vector<audit_line> many;
  for (int i = 0; i < 20; ++i)
    many.push_back(difference("params", wide, ""));
  const auto full = audited(many);
  CHECK_FALSE(full.field_values);
  CHECK(fields_told(full).size() == 20);
  CHECK(fields_told(audited({difference("params", "\xff", "x")})).at(0).before != "\xff");
}

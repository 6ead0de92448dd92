#include "core/job/job_options.hpp"

#include <set>
#include <string>

#include "core/editing/declared.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster::core;

namespace {

/// A value that is not the default of any option.
option_value other_value(const job_option& field) {
  switch (field.kind) {
  case option_kind::text: return std::string{"UTC"};
  case option_kind::choice: return std::string{field.names.back()};
  case option_kind::names: return value_of_names(field, std::vector<std::string>{std::string{field.names.front()}});
  case option_kind::number: return field.min + 1;
  case option_kind::instant: return std::int64_t{1'000'000};
  case option_kind::flag: return std::int64_t{1};
  }
  return {};
}

} // namespace

TEST_CASE("an option returns the value that was set", "[core][job_options]") {
  for (const auto& field : job_option_fields()) {
    CAPTURE(field.name);
    job_options options;
    CHECK(field.is_default(options));
    field.set(options, other_value(field));
    CHECK(field.get(options) == other_value(field));
    CHECK_FALSE(field.is_default(options));
    CHECK_FALSE(options == job_options{});
    field.set(options, {});
    CHECK(options == job_options{});
  }
}

TEST_CASE("names, members and content hashes of options are distinct", "[core][job_options]") {
  std::set<std::string> names, members, hashes{content_hash(declared_job{})};
  for (const auto& field : job_option_fields()) {
    CAPTURE(field.name);
    CHECK(names.emplace(field.name).second);
    CHECK(members.emplace(field.member).second);
    declared_job job;
    field.set(job, other_value(field));
    CHECK(hashes.insert(content_hash(job)).second);
  }
}

TEST_CASE("a list of names has the order of the table, and none for an empty one", "[core][job_options]") {
  for (const auto& field : job_option_fields())
    if (field.kind == option_kind::names) {
      CHECK(value_of_names(field, std::vector<std::string>{"missed", "failed"}) == option_value{std::string{"failed,missed"}});
      CHECK(value_of_names(field, {}) == option_value{std::string{"none"}});
      CHECK(names_in(field, {}).size() == 2);
      CHECK(names_in(field, std::string{"none"}).empty());
      CHECK(names_in(field, std::string{"missed"}) == std::vector<std::string_view>{"missed"});
    }
}

TEST_CASE("an unknown name in a column is the default", "[core][job_options]") {
  job_options options;
  for (const auto& field : job_option_fields())
    if (field.kind == option_kind::choice || field.kind == option_kind::names) {
      field.set(options, std::string{"of a newer release"});
      CHECK(field.is_default(options));
    }
}

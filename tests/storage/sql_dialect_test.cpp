// Words of statements that both backends run.

#include "storage/admin/sql_dialect.hpp"

#include "storage/admin/sql_value.hpp"
#include "tests/support/catch.hpp"

using namespace ringmaster;
using storage::in_dialect;

namespace {

constexpr storage::sql_dialect loud = [] {
  storage::sql_dialect out;
  out.for_update = "FOR UPDATE";
  out.utf8 = "CONVERT(# USING utf8mb4)";
  out.by_bytes = "COLLATE b";
  out.on_conflict = "ON DUPLICATE KEY UPDATE";
  out.new_value = "VALUES(#)";
  return out;
}();
constexpr storage::sql_dialect quiet = [] {
  storage::sql_dialect out;
  out.utf8 = "#";
  out.on_conflict = "ON CONFLICT (#) DO UPDATE SET";
  out.new_value = "excluded.#";
  return out;
}();

// An unknown word, or one without its argument, does not compile.
static_assert(storage::begins_with_sql_argument("(a)") && storage::begins_with_sql_argument("(a, b) + (c)"));
static_assert(!storage::begins_with_sql_argument("") && !storage::begins_with_sql_argument(" (a)"));
static_assert(!storage::begins_with_sql_argument("()") && !storage::begins_with_sql_argument("(a"));
static_assert(!storage::begins_with_sql_argument("(LOWER(a))") && !storage::begins_with_sql_argument("(((a"));

} // namespace

TEST_CASE("each word of a statement becomes the text of its dialect", "[storage]") {
  constexpr const char* text = "SELECT id FROM t WHERE LOWER($utf8(name)) $by_bytes = ? $for_update";
  CHECK(in_dialect(text, loud) == "SELECT id FROM t WHERE LOWER(CONVERT(name USING utf8mb4)) COLLATE b = ? FOR UPDATE");
  CHECK(in_dialect(text, quiet) == "SELECT id FROM t WHERE LOWER(name)  = ? ");
}

TEST_CASE("a dialect may leave out the argument of a word", "[storage]") {
  constexpr const char* text = "INSERT INTO t (id, n) VALUES (?, ?) $on_conflict(id) n = $new_value(n)";
  CHECK(in_dialect(text, loud) == "INSERT INTO t (id, n) VALUES (?, ?) ON DUPLICATE KEY UPDATE n = VALUES(n)");
  CHECK(in_dialect(text, quiet) == "INSERT INTO t (id, n) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET n = excluded.n");
}

TEST_CASE("text without words, and words of others, stay unchanged", "[storage]") {
  CHECK(in_dialect("", loud).empty());
  CHECK(in_dialect("SELECT 1", loud) == "SELECT 1");
  CHECK(in_dialect("SELECT $other, '5$' FROM t", loud) == "SELECT $other, '5$' FROM t");
  CHECK(in_dialect("$for_updates", loud) == "$for_updates");
}

TEST_CASE("values of parameters keep their kind", "[storage]") {
  using storage::sql_value;
  using storage::value_of;
  CHECK(value_of(true) == sql_value{std::int64_t{1}});
  CHECK(value_of(core::job_id{7}) == sql_value{std::int64_t{7}});
  CHECK(value_of(core::from_ms(5)) == sql_value{std::int64_t{5}});
  CHECK(value_of("a") == sql_value{std::string_view{"a"}});
  CHECK(value_of(std::optional<std::string>{}) == sql_value{});
  CHECK(value_of(core::option_value{std::string{"ask"}}) == sql_value{std::string_view{"ask"}});
  CHECK(value_of(core::option_value{}) == sql_value{});
}

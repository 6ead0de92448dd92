#pragma once

// Places where the SQL of the two databases differs. Statements of this room name them as `$word` or `$word(argument)`.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace ringmaster::storage {

/// The text that a backend puts in place of each word. `#` stands for the argument, if the word has one.
struct sql_dialect {
  /// `$for_update`: locks the selected rows until the end of the transaction. SQLite: nothing, its one writer is alone.
  std::string_view for_update;
  /// `$utf8(column)`: a text of XXL's tables, whose character set may be another one.
  std::string_view utf8;
  /// `$by_bytes`: compares texts by their bytes, regardless of the table's collation.
  std::string_view by_bytes;
  /// `$bytes`: the type to which a text is cast so that its bytes are compared.
  std::string_view bytes;
  /// `$group_title`: the column of a group's title, which XXL renamed between two generations.
  std::string_view group_title;
  /// `$on_conflict(key)`: makes an INSERT an update of the row that has the key.
  std::string_view on_conflict;
  /// `$new_value(column)`: inside such an update, the value that was to be inserted.
  std::string_view new_value;
  /// `$last_pieces`: after a run's id, the last pieces of its log, at most as many as the next value. SQLite cannot limit a
  /// DELETE.
  std::string_view last_pieces;
  /// `$job_name`: the column of a job's name, which XXL renamed, too.
  std::string_view job_name;
  /// `INSERT $or_ignore INTO`: a row that exists stays unchanged.
  std::string_view or_ignore;
  /// `$by_primary_key`: reads a table along its ids.
  std::string_view by_primary_key;
  /// `$bytes_of(column)`: the length of a text in bytes.
  std::string_view bytes_of;
  /// `$planned_next`, `$planned_last`: the next time and the last sent instant of a job `i` with its schedule `s`. MySQL: in
  /// shared mode the schedule is XXL's table.
  std::string_view planned_next;
  std::string_view planned_last;
  /// `$listed(column)`: the number in the column is in the next value, a list such as `,3,17,`.
  std::string_view listed;
  /// `$planned_kinds`: intents of these kinds are instants of a job's schedule. SQLite has one kind, so that the index on the job
  /// leads.
  std::string_view planned_kinds;
  /// `$seconds_taken`: from the trigger of a run to its result.
  std::string_view seconds_taken;
  /// `$for_share`: locks the selected rows against changes until the end of the transaction. SQLite: nothing.
  std::string_view for_share;
  /// `$is_pair(a, b)`, `$is_four(a, b, c, d)`, `$is_id(column)`: the row has one of the given keys. MySQL: a list of them.
  /// SQLite: one, because it runs the statement for each.
  std::string_view is_pair;
  std::string_view is_four;
  std::string_view is_id;
  /// `$set_by_id(column)`: each row gets its own value, by its `id`. For `admin_session::update_rows`.
  std::string_view set_by_id;
};

/// One word.
struct sql_word {
  std::string_view name;
  std::string_view sql_dialect::*text;
  bool takes_argument = false;
};

inline constexpr std::array sql_words{
  sql_word{"for_update", &sql_dialect::for_update},
  sql_word{"utf8", &sql_dialect::utf8, true},
  sql_word{"by_bytes", &sql_dialect::by_bytes},
  sql_word{"bytes", &sql_dialect::bytes},
  sql_word{"group_title", &sql_dialect::group_title},
  sql_word{"on_conflict", &sql_dialect::on_conflict, true},
  sql_word{"new_value", &sql_dialect::new_value, true},
  sql_word{"last_pieces", &sql_dialect::last_pieces},
  sql_word{"job_name", &sql_dialect::job_name},
  sql_word{"or_ignore", &sql_dialect::or_ignore},
  sql_word{"by_primary_key", &sql_dialect::by_primary_key},
  sql_word{"bytes_of", &sql_dialect::bytes_of, true},
  sql_word{"planned_next", &sql_dialect::planned_next},
  sql_word{"planned_last", &sql_dialect::planned_last},
  sql_word{"listed", &sql_dialect::listed, true},
  sql_word{"planned_kinds", &sql_dialect::planned_kinds},
  sql_word{"seconds_taken", &sql_dialect::seconds_taken},
  sql_word{"for_share", &sql_dialect::for_share},
  sql_word{"is_pair", &sql_dialect::is_pair, true},
  sql_word{"is_four", &sql_dialect::is_four, true},
  sql_word{"is_id", &sql_dialect::is_id, true},
  sql_word{"set_by_id", &sql_dialect::set_by_id, true},
};

/// Returns the index of the word at the front of `text`, or the number of words: no such word.
[[nodiscard]] constexpr std::size_t find_sql_word(std::string_view text) {
  const auto size = std::min(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789"), text.size());
  const auto name = text.substr(0, size);
  std::size_t at = 0;
  while (at < sql_words.size() && sql_words[at].name != name)
    ++at;
  return at;
}

/// Returns true if `text` begins with an argument in parentheses, which has none itself.
[[nodiscard]] constexpr bool begins_with_sql_argument(std::string_view text) {
  const auto end = text.find_first_of("()", 1);
  return text.starts_with('(') && end != text.npos && end > 1 && text[end] == ')';
}

/// The text of a statement that both backends run. Always a literal, so no value can be spliced into it; does not compile with an
/// unknown word, or without the argument of a word. `{?,}` stands for a list of values.
class sql_text {
public:
  consteval sql_text(const char* literal) : literal_{literal} {
    const std::string_view text{literal};
    for (auto at = text.find('$'); at != text.npos; at = text.find('$', at + 1)) {
      const auto index = find_sql_word(text.substr(at + 1));
      if (index == sql_words.size())
        throw "the dialects have no such word";
      if (sql_words[index].takes_argument && !begins_with_sql_argument(text.substr(at + 1 + sql_words[index].name.size())))
        throw "the word needs an argument in parentheses, without parentheses inside";
    }
  }

  /// Lives as long as the program, and is the same for each use of this statement.
  [[nodiscard]] constexpr const char* literal() const noexcept { return literal_; }

private:
  const char* literal_;
};

/// Replaces the words of `text`; leaves all else unchanged.
[[nodiscard]] std::string in_dialect(std::string_view text, const sql_dialect& spoken);

} // namespace ringmaster::storage

#pragma once

// Pull reader for the JSON that executors write: as lenient as the Java admins (XXL wire §1.7), not recursive beyond a small
// depth, and without a tree: reading a callback costs a fraction of a document model. Internal to the codecs.
//
// Accepted beyond RFC 8259: a leading BOM, single quotes, unquoted names and words, raw control characters in strings, a trailing
// comma. Texts that come out are valid UTF-8 without NUL.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringmaster::protocol::wire {

enum class json_kind : std::uint8_t { object, array, text, null, word, none };

/// Reader of `text`, once from front to back. After the first error every call fails and `error()` returns the place. Does not
/// own the text.
class json_reader {
public:
  explicit json_reader(std::string_view text) noexcept;

  /// Returns the kind of the next value; `word` is any unquoted value except null: numbers, booleans, bare text.
  [[nodiscard]] json_kind peek() noexcept;

  /// Calls `on_member(name)` for each member in order; skips a member whose value the callee does not read. The name is valid
  /// until the callee reads. Returns false on an error, and when the next value is not an object (then nothing is read).
  template <class OnMember>
  bool object(OnMember on_member) {
    if (!enter('{'))
      return false;
    while (!leave('}')) {
      std::string_view name;
      if (!read_name(name))
        return false;
      const std::size_t value_at = at_;
      on_member(name);
      if (!finish_value(value_at, '}'))
        return false;
    }
    return ok();
  }

  /// Calls `on_element()` for each element in order, in the same way.
  template <class OnElement>
  bool array(OnElement on_element) {
    if (!enter('['))
      return false;
    while (!leave(']')) {
      const std::size_t value_at = at_;
      on_element();
      if (!finish_value(value_at, ']'))
        return false;
    }
    return ok();
  }

  /// Reads a string, or a word as it is written. Returns nothing for null, an object and an array (only null is read then).
  [[nodiscard]] std::optional<std::string> text();

  /// Reads a number, or a string that is one; `200.0` is 200. Returns nothing for other values (an object or array is not read).
  [[nodiscard]] std::optional<std::int64_t> integer();

  /// Returns true for `true` and the string `"true"`. Does not read objects and arrays.
  [[nodiscard]] bool boolean();

  /// Skips the next value and returns it as it is written.
  std::string_view raw();

  /// Returns true when only white space is left. Otherwise that is an error.
  [[nodiscard]] bool finish() noexcept;

  [[nodiscard]] bool ok() const noexcept { return problem_ == nullptr; }

  /// Returns e.g. `unterminated string at byte 17`; empty without an error.
  [[nodiscard]] std::string error() const;

private:
  void blanks() noexcept;
  bool fail(const char* problem) noexcept;
  bool enter(char open) noexcept;
  bool leave(char close) noexcept;
  bool read_name(std::string_view& name);
  bool finish_value(std::size_t value_at, char close) noexcept;
  bool skip() noexcept;
  std::string_view word() noexcept;
  /// Reads the inside of a quoted string as written; `escaped` is set to whether it has backslashes.
  bool quoted(std::string_view& inside, bool& escaped) noexcept;
  /// Reads any scalar as text, without a copy where it has no escapes; else in `scratch_`.
  std::optional<std::string_view> scalar();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  const char* problem_ = nullptr;
  std::string scratch_;
};

} // namespace ringmaster::protocol::wire

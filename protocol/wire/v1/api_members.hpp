#pragma once

// Reader of bodies of /api/v1: strict JSON, member by member. Internal to the codecs of that API.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/result.hpp"

namespace ringmaster::protocol::wire {

/// Members of one JSON object. Keeps the first error with its path; `check` returns it. Null stands for an absent value where a
/// value may be absent.
class api_members {
public:
  /// `object` must outlive this. `path` is the path of the object with a dot at its end; empty: the body itself.
  api_members(const nlohmann::json& object, std::string path = {});

  /// Returns an empty text when the member is missing.
  [[nodiscard]] std::string text(std::string_view name);
  [[nodiscard]] std::optional<std::string> maybe_text(std::string_view name);
  [[nodiscard]] std::string needed_text(std::string_view name);

  [[nodiscard]] std::optional<std::int64_t> maybe_number(std::string_view name,
                                                         std::int64_t min = std::numeric_limits<std::int64_t>::min(),
                                                         std::int64_t max = std::numeric_limits<std::int64_t>::max());
  /// Returns 0 when the member is missing; 32 bits and not negative.
  [[nodiscard]] std::int32_t count(std::string_view name);
  /// Reads an id of a 32-bit column, from 1 on.
  [[nodiscard]] std::int32_t needed_id(std::string_view name);
  [[nodiscard]] std::optional<std::int32_t> maybe_id(std::string_view name);

  [[nodiscard]] std::optional<bool> optional_boolean(std::string_view name);
  [[nodiscard]] bool required_boolean(std::string_view name);

  /// Return at most `max` items. Nothing when the member is missing.
  [[nodiscard]] std::optional<std::vector<std::string>> maybe_texts(std::string_view name, std::size_t max);
  [[nodiscard]] std::optional<std::vector<std::int32_t>> maybe_ids(std::string_view name, std::size_t max);
  [[nodiscard]] std::optional<std::vector<std::int64_t>> maybe_numbers(std::string_view name, std::size_t max, std::int64_t low,
                                                                       std::int64_t high);

  /// Returns the members of the object of that name: texts, or null. At most `max`. Nothing when the object is missing.
  [[nodiscard]] std::optional<std::map<std::string, std::optional<std::string>, std::less<>>> maybe_named_texts(
    std::string_view name, std::size_t max);

  /// Returns the members of the object of that name as the query of a list: `group=3&name=a%20b`. Lists become texts with commas.
  /// Nothing when the object is missing.
  [[nodiscard]] std::optional<std::string> query_text(std::string_view name);

  /// Returns true if there is such a member, not null.
  [[nodiscard]] bool has(std::string_view name) { return find(name) != nullptr; }

  /// Reads the object of that name with `read(api_members&)`, if it is present.
  template <class Read>
  void object(std::string_view name, Read read) {
    if (const auto* found = find(name)) {
      if (!found->is_object())
        return wrong(name, "must be an object");
      read_object(*found, path_ + std::string{name} + '.', read);
    }
  }
  /// Reads each object of an array in the same way. Returns true when the array is present.
  template <class Read>
  bool objects(std::string_view name, std::size_t max, Read read) {
    const auto* found = find_array(name, max);
    if (!found)
      return false;
    for (std::size_t i = 0; i < found->size(); ++i) {
      const auto at = std::string{name} + '[' + std::to_string(i) + ']';
      if (!(*found)[i].is_object()) {
        wrong(at, "must be an object");
        return true;
      }
      read_object((*found)[i], path_ + at + '.', read);
    }
    return true;
  }

  /// Records an error of the member of that name, unless there is an earlier one.
  void wrong(std::string_view name, std::string_view what);

  /// Returns the first error. Called after all possible members were read: another member is an error, too. Errors:
  /// `invalid_argument`.
  [[nodiscard]] core::result<void> check() const;

private:
  template <class Read>
  void read_object(const nlohmann::json& value, std::string path, Read read) {
    api_members inner{value, std::move(path)};
    read(inner);
    if (auto sound = inner.check(); !sound && !problem_)
      problem_ = std::move(sound.error());
  }

  /// Returns null for a member that is absent or null.
  [[nodiscard]] const nlohmann::json* find(std::string_view name);
  [[nodiscard]] const nlohmann::json* find_array(std::string_view name, std::size_t max);
  [[nodiscard]] std::string text_of(const nlohmann::json& value, std::string_view name);
  [[nodiscard]] std::int64_t number_of(const nlohmann::json& value, std::string_view name, std::int64_t min, std::int64_t max);

  const nlohmann::json& object_;
  std::string path_;
  std::set<std::string, std::less<>> known_;
  std::optional<core::error> problem_;
};

/// Parses a JSON object, at most 8 levels deep, no name twice. Errors: `invalid_argument`.
[[nodiscard]] core::result<nlohmann::json> parse_api_object(std::string_view body);

/// Returns the value that `read(api_members&)` makes of a body.
template <class Read>
[[nodiscard]] auto read_api_object(std::string_view body, Read read)
  -> core::result<decltype(read(std::declval<api_members&>()))> {
  const auto document = parse_api_object(body);
  if (!document)
    return tl::unexpected{document.error()};
  api_members members{*document};
  auto value = read(members);
  if (auto sound = members.check(); !sound)
    return tl::unexpected{std::move(sound.error())};
  return value;
}

} // namespace ringmaster::protocol::wire

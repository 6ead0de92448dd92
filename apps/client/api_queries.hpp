#pragma once

// Requests and readers of responses shared by several commands. The readers tolerate any content, because the server may be of
// another release or not Ringmaster at all.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "apps/client/api_client.hpp"
#include "apps/terminal/command_options.hpp"

namespace ringmaster::apps {

/// Returns the id that a text is; unset: it is something else, or not positive.
[[nodiscard]] std::optional<std::int64_t> parse_id(const std::string& text);

/// Returns an empty string for null, a missing member or another type.
[[nodiscard]] std::string text_in(const api_document& object, const char* name);
[[nodiscard]] std::optional<std::int64_t> number_in(const api_document& object, const char* name);
[[nodiscard]] bool boolean_in(const api_document& object, const char* name);
/// Returns an empty array if the member is not an array.
[[nodiscard]] const api_document& items_in(const api_document& object, const char* name = "items");

/// A request target with parameters.
class query_text {
public:
  explicit query_text(std::string path) : text_{std::move(path)} {}
  query_text& add(std::string_view name, std::string_view value);
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
  std::string text_;
};

/// Adds the bounds `from_ms` and `to_ms`: each a duration before now, or a time. Errors: `invalid_argument` naming the option.
[[nodiscard]] core::result<void> add_times(query_text& list, const std::optional<std::string>& since,
                                           const std::optional<std::string>& until, const core::zone& where);

/// Returns the page that begins at `cursor`, or the first one. Combines API pages until it has `limit` rows.
[[nodiscard]] core::result<api_document> ask_page(api_client& client, const query_text& list, std::size_t limit,
                                              const std::optional<std::string>& cursor = {});

/// Returns every row.
[[nodiscard]] core::result<api_document> ask_all(api_client& client, const query_text& list);

/// Returns the app names by id.
[[nodiscard]] core::result<std::map<std::int64_t, std::string>> group_names(api_client& client);

/// Finds a job by its id or `group/key`. Does not check that an id exists. Errors: `invalid_argument`, `not_found`.
[[nodiscard]] core::result<std::int64_t> find_job(api_client& client, const std::string& name);
/// Finds a group by its app name, else by its id. Errors: `not_found`.
[[nodiscard]] core::result<std::int64_t> find_group(api_client& client, const std::string& name);
/// Adds the filter `group`, by app name or id, if there is a name. Errors: those of `find_group`.
[[nodiscard]] core::result<void> add_group_filter(api_client& client, query_text& list, const std::optional<std::string>& name);
/// Finds a user by name, ignoring case. Returns the whole user. Errors: `not_found`.
[[nodiscard]] core::result<api_document> find_user(api_client& client, const std::string& name);

/// Returns the text of a request body, empty for none. Errors: `invalid_argument` for text that is not valid UTF-8.
[[nodiscard]] core::result<std::string> body_text(const api_document& body);

/// Prints the JSON on one line.
void print_json(const api_document& what);
[[nodiscard]] std::string json_line(const api_document& what);

/// Returns the option that fetches the next page, if there is one; otherwise empty.
[[nodiscard]] std::string more_text(const api_document& page);

/// Returns an item for one id that reports the error of a whole request, in the format of the bulk routes.
[[nodiscard]] api_document problem_item(std::int64_t id, const core::error& why);

/// Deletes `path` + `id` and returns the result in the format of a bulk route.
[[nodiscard]] core::result<api_document> ask_to_remove(api_client& client, const char* path, std::int64_t id);

using api_query = std::function<core::result<api_document>(api_client&)>;
using answer_text = std::function<core::result<std::string>(api_client&, const api_document&)>;

/// Opens the client, sends the request and prints the response: with `--json` unchanged, else formatted by `words`. Returns the
/// exit code.
[[nodiscard]] int ask_and_tell(const client_options& options, const api_query& ask, const answer_text& words);

} // namespace ringmaster::apps

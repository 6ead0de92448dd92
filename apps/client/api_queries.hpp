#pragma once

// What several commands ask of a client, and how they read answers: whatever stands in them, since a server may be of another
// release, or none at all.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "apps/client/api_client.hpp"
#include "apps/terminal/command_options.hpp"

namespace ringmaster::apps {

/// Empty for null, for what is not there and for another type.
[[nodiscard]] std::string text_in(const api_document& object, const char* name);
[[nodiscard]] std::optional<std::int64_t> number_in(const api_document& object, const char* name);
[[nodiscard]] bool boolean_in(const api_document& object, const char* name);
/// Empty when it is no array.
[[nodiscard]] const api_document& items_in(const api_document& object, const char* name = "items");

/// Parameters of a target.
class query_text {
public:
  explicit query_text(std::string path) : text_{std::move(path)} {}
  query_text& add(std::string_view name, std::string_view value);
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
  std::string text_;
};

/// The page that begins at `cursor`, or at the beginning: as many of the API's as make `limit` rows, as one.
[[nodiscard]] core::result<api_document> ask_page(api_client& client, const query_text& list, std::size_t limit,
                                              const std::optional<std::string>& cursor = {});

/// Every row.
[[nodiscard]] core::result<api_document> ask_all(api_client& client, const query_text& list);

/// App names by id.
[[nodiscard]] core::result<std::map<std::int64_t, std::string>> group_names(api_client& client);

/// By its id or as `group/key`. Whether an id exists is not asked. Errors: `invalid_argument`, `not_found`.
[[nodiscard]] core::result<std::int64_t> find_job(api_client& client, const std::string& name);
/// By its app name, else by its id. Errors: `not_found`.
[[nodiscard]] core::result<std::int64_t> find_group(api_client& client, const std::string& name);
/// Names have no case. The whole user. Errors: `not_found`.
[[nodiscard]] core::result<api_document> find_user(api_client& client, const std::string& name);

/// Of a question, empty for none. Errors: `invalid_argument` for a text in it that is no UTF-8.
[[nodiscard]] core::result<std::string> body_text(const api_document& body);

/// One line, for machines.
void print_json(const api_document& what);
[[nodiscard]] std::string json_line(const api_document& what);

/// How to go on, when there is more; else nothing.
[[nodiscard]] std::string more_text(const api_document& page);

/// Why a request of many ended, for one of them: as the bulk routes say it.
[[nodiscard]] api_document problem_item(std::int64_t id, const core::error& why);

/// Removes what stands at `path` and `id`; then as a bulk route says it.
[[nodiscard]] core::result<api_document> ask_to_remove(api_client& client, const char* path, std::int64_t id);

using api_query = std::function<core::result<api_document>(api_client&)>;
using answer_text = std::function<core::result<std::string>(api_client&, const api_document&)>;

/// Opens the client, asks it, and prints the answer: with `--json` as it is, else what `words` makes of it. The exit code.
[[nodiscard]] int ask_and_tell(const client_options& options, const api_query& ask, const answer_text& words);

} // namespace ringmaster::apps

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "gateway/console/console_pages.hpp"
#include "gateway/exchange/admission.hpp"
#include "gateway/exchange/guessing.hpp"
#include "gateway/exchange/paths.hpp"
#include "gateway/routes.hpp"
#include "protocol/wire/executor/registry_codec.hpp"
#include "protocol/wire/xxl/texts.hpp"

namespace ringmaster::gateway {

namespace {

/// Maximum size of a registration that is read although its token is wrong.
constexpr std::size_t registration_bytes_max = 4096;

void no_operation(exchange ex) { ex.refuse(protocol::wire::mapping_not_found(api_operation(ex.path()))); }
void no_path(exchange ex) { ex.problem(404, "no such path"); }

constexpr route unknown_operation{"POST", "/api/*", no_operation, access::executor};
constexpr route console_file_path{"GET", "/console/*", handlers::console, access::anyone};
constexpr route former_page_path{"", "/pages of XXL-JOB", handlers::former_page, access::anyone};
constexpr route unknown_path{"", "other", no_path, access::anyone};

/// Executors may write `post` in lower case.
bool is_post(std::string_view method) noexcept {
  constexpr std::string_view post = "POST";
  return std::equal(method.begin(), method.end(), post.begin(), post.end(),
                    [](char a, char b) { return (a >= 'a' && a <= 'z' ? static_cast<char>(a - ('a' - 'A')) : a) == b; });
}

bool has_item(std::string_view list, std::string_view item) noexcept {
  constexpr std::string_view separator = ", ";
  for (auto end = list.find(separator); end != std::string_view::npos; end = list.find(separator)) {
    if (list.substr(0, end) == item)
      return true;
    list.remove_prefix(end + separator.size());
  }
  return list == item;
}

/// HEAD is served as a GET without a body.
bool is_allowed(const route& row, std::string_view method) noexcept {
  if (row.method.empty())
    return true;
  return has_item(row.method, is_post(method) ? "POST" : method == "HEAD" ? "GET" : method);
}

struct place {
  const route& row;
  /// Points into the whole path.
  std::string_view path;
  path_parameters parameters = {};
};

/// Returns the row of this path that accepts the method; when none does, the first row of the path.
const route* find_exact(std::span<const route> table, std::string_view method, std::string_view path, const web_rules& web) {
  const route* found = nullptr;
  for (const auto& each : table) {
    if (each.path != path || !is_served(each.by, web))
      continue;
    if (is_allowed(each, method))
      return &each;
    if (!found)
      found = &each;
  }
  return found;
}

std::optional<place> find_by_pattern(std::span<const route> table, std::string_view method, std::string_view path,
                                     const web_rules& web) {
  for (const auto& each : table) {
    if (each.path.find('{') == std::string_view::npos || !is_served(each.by, web))
      continue;
    if (auto parameters = match_path(each.path, path))
      return place{*find_exact(table, method, each.path, web), path, std::move(*parameters)};
  }
  return std::nullopt;
}

/// Finds the row below the context path or without it. The executor API is also found below `/xxl-job-admin`, whatever the
/// context path is.
place find_place(std::span<const route> table, std::string_view method, std::string_view whole,
                 const gateway_services& services) {
  const std::array candidates{below_context(whole, services.context_path), whole, default_api(whole)};
  for (auto path : candidates)
    if (const auto* row = find_exact(table, method, path, services.web))
      return {*row, path};
  for (auto path : candidates)
    if (auto found = find_by_pattern(table, method, path, services.web))
      return *std::move(found);
  for (auto path : candidates)
    if (!api_operation(path).empty())
      return {unknown_operation, path};
  for (auto path : candidates)
    if (is_console_path(path))
      return {console_file_path, path};
  for (auto path : candidates)
    if (is_former_page(path))
      return {former_page_path, path};
  return {unknown_path, candidates[0]};
}

/// Returns the methods of all rows of the path.
std::string allowed_methods(std::span<const route> table, const route& row) {
  std::string allowed;
  for (const auto& each : table)
    if (each.path == row.path && each.by == row.by)
      allowed.append(allowed.empty() ? "" : ", ").append(each.method);
  if (const auto at = allowed.find("GET"); at != std::string::npos)
    allowed.insert(at + 3, ", HEAD");
  return allowed;
}

void refuse_method(const exchange& ex, std::span<const route> table) {
  const auto& row = ex.row();
  if (row.who.who == access::executor)
    return ex.refuse(protocol::wire::reply_text::method_not_supported);
  const auto allowed = allowed_methods(table, row);
  if (row.by == dialect_set::none)
    return ex.problem(405, "method not allowed at this path", {{"Allow", allowed}});
  ex.refuse_with(405, "this path takes " + allowed + " only", {{"Allow", allowed}});
}

/// One gateway_actor reads all forms: a long form would delay all other requests.
bool is_too_long(const exchange& ex) {
  const auto& row = ex.row();
  return ex.request().body_omitted || (row.who.who != access::executor && ex.request().body.size() > row.body_max);
}

void refuse_length(const exchange& ex) {
  const auto said = "the body is longer than " + std::to_string(ex.row().body_max) + " bytes";
  ex.drop_body();
  if (ex.row().by == dialect_set::none)
    return ex.problem(413, said);
  ex.refuse_with(413, said);
}

void refuse_executor(const exchange& ex, std::string_view why) {
  ex.refuse(count_wrong_token(ex) ? why : protocol::wire::reply_text::too_many_requests);
}

/// Records the executor under the name in its request: the header's (3.5), or the one that it registers.
void note_refused_token(const exchange& ex) {
  std::optional<protocol::wire::registry_request> wanted;
  if (ex.request().body.size() <= registration_bytes_max)
    if (auto parsed = protocol::wire::parse_registry(ex.request().body))
      wanted = std::move(*parsed);
  std::string app{app_header(ex.request())};
  if (app.empty() && wanted)
    app = wanted->registry_key;
  const auto& groups = ex.services().tokens;
  const bool is_unknown = !app.empty() && groups && !groups->contains(app);
  ex.note_refused(is_unknown ? refused_for::unknown_app : refused_for::wrong_token, app,
                  wanted ? wanted->registry_value : std::string{});
}

bool is_admitted_operator(const exchange& ex) {
  if (is_operator(ex))
    return true;
  ex.problem(403, "access denied: send the access token as a bearer token, or call this path from the server's machine");
  return false;
}

bool is_admitted_executor(const exchange& ex) {
  const auto& services = ex.services();
  const auto token = executor_token(ex.request());
  if (is_held_up(ex, token)) {
    refuse_executor(ex, protocol::wire::reply_text::too_many_requests);
    return false;
  }
  const auto admitted =
    admit_executor(ex.request(), *services.common_token.get(), services.tokens ? &*services.tokens : nullptr, services.now());
  if (!admitted.refusal.empty()) {
    note_refused_token(ex);
    refuse_executor(ex, admitted.refusal);
    return false;
  }
  remember_right_token(ex, token);
  ex.admit(admitted);
  return true;
}

bool is_admitted(const exchange& ex) {
  switch (ex.row().who.who) {
  case access::operators: return is_admitted_operator(ex);
  case access::executor: return is_admitted_executor(ex);
  default: return true;
  }
}

void run(const exchange& ex, std::span<const route> table) {
  if (!is_allowed(ex.row(), ex.request().method))
    return refuse_method(ex, table);
  if (is_too_long(ex))
    return refuse_length(ex);
  if (!is_admitted(ex))
    return;
  if (ex.row().by != dialect_set::none || needs_session(ex.row().who.who))
    return admit_person(ex);
  call_handler(ex);
}

/// `path` is a part of `whole`, except for the root of the context.
arrival arrival_at(std::string_view whole, place&& at) {
  const bool ends_with_it = whole.ends_with(at.path);
  return {std::string{ends_with_it ? whole.substr(0, whole.size() - at.path.size()) : whole}, std::string{at.path},
          std::move(at.parameters)};
}

/// Returns 0 when no row has this path.
std::size_t body_max_of(std::span<const route> table, std::string_view path) {
  std::size_t most = 0;
  for (const auto& each : table)
    if (each.path == path || (each.path.find('{') != std::string_view::npos && match_path(each.path, path)))
      most = std::max(most, each.who.who == access::executor ? std::numeric_limits<std::size_t>::max() : each.body_max);
  return most;
}

} // namespace

protocol::body_rule body_rule_of(std::span<const route> table, std::string context_path) {
  return [table, context = plain_path("/" + context_path)](std::string_view, std::string_view target) {
    const auto whole = plain_path(target);
    std::size_t most = 0;
    for (const auto path : {below_context(whole, context), std::string_view{whole}, default_api(whole)})
      most = std::max(most, body_max_of(table, path));
    return most != 0 ? most : form_bytes_max;
  };
}

void dispatch(const gateway_services& services, std::span<const route> table, protocol::http_exchange&& message) noexcept {
  try {
    apply_forwarded_headers(message.request, services.proxies);
    const auto whole = plain_path(message.request.target);
    auto found = find_place(table, message.request.method, whole, services);
    const exchange ex{services, found.row, arrival_at(whole, std::move(found)), std::move(message)};
    ex.guarded([&] { run(ex, table); });
  } catch (const std::exception& thrown) {
    // Not even an exchange could be made; the reply answers 500 when it is destroyed.
    services.log->error("request dropped: {}", thrown.what());
  }
}

} // namespace ringmaster::gateway

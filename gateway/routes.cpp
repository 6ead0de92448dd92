#include "gateway/routes.hpp"

#include <algorithm>
#include <array>

#include "gateway/handlers/executor_handlers.hpp"
#include "gateway/handlers/health_handlers.hpp"
#include "gateway/paths.hpp"
#include "protocol/wire/texts.hpp"

namespace ringmaster::gateway {

namespace {

constexpr std::array<route, 6> table_of_routes{{
  {"POST", "/api/registry", handlers::registry, access::executor},
  {"POST", "/api/registryRemove", handlers::registry_remove, access::executor},
  {"POST", "/api/callback", handlers::callback, access::executor},
  {"GET", "/livez", handlers::livez, access::anyone},
  {"GET", "/readyz", handlers::readyz, access::anyone},
  {"GET", "/metrics", handlers::metrics, access::operators},
}};

void no_operation(exchange ex) { ex.refuse(protocol::wire::mapping_not_found(api_operation(ex.path()))); }
void no_path(exchange ex) { ex.problem(404, "there is nothing at this path"); }

constexpr route unknown_operation{"POST", "/api/*", no_operation, access::executor};
constexpr route unknown_path{"", "other", no_path, access::anyone};

const route* find_exact(std::span<const route> table, std::string_view path) {
  auto row = std::find_if(table.begin(), table.end(), [path](const route& each) { return each.path == path; });
  return row != table.end() ? &*row : nullptr;
}

struct place {
  const route& row;
  /// As the table writes it; a part of the whole path.
  std::string_view path;
};

/// Below the context path, without it, and the API also where XXL-JOB has it, whatever the context path is.
place find_place(std::span<const route> table, std::string_view whole, std::string_view context) {
  const std::array candidates{below_context(whole, context), whole, default_api(whole)};
  for (auto path : candidates)
    if (const auto* row = find_exact(table, path))
      return {*row, path};
  for (auto path : candidates)
    if (!api_operation(path).empty())
      return {unknown_operation, path};
  return {unknown_path, candidates[0]};
}

/// Executors may write `post`.
bool is_post(std::string_view method) noexcept {
  constexpr std::string_view post = "POST";
  return std::equal(method.begin(), method.end(), post.begin(), post.end(),
                    [](char a, char b) { return (a >= 'a' && a <= 'z' ? static_cast<char>(a - ('a' - 'A')) : a) == b; });
}

bool is_allowed(const route& row, std::string_view method) noexcept {
  if (row.method == "POST")
    return is_post(method);
  return row.method.empty() || row.method == method || (row.method == "GET" && method == "HEAD");
}

void refuse_method(const exchange& ex) {
  if (ex.row().who == access::executor)
    return ex.refuse(protocol::wire::reply_text::method_not_supported);
  const auto* allowed = ex.row().method == "GET" ? "GET, HEAD" : "POST";
  ex.problem(405, "this path does not take that method", {{"Allow", allowed}});
}

bool is_admitted(const exchange& ex) {
  const auto& services = ex.services();
  switch (ex.row().who) {
  case access::anyone: return true;
  case access::operators:
    if (is_operator(ex.request(), services.access_token, services.trust_loopback))
      return true;
    ex.problem(403, "only with the access token as a bearer token, or from this machine where it is trusted");
    return false;
  case access::executor: break;
  }
  auto refusal = executor_refusal(ex.request(), services.access_token, services.app_names ? &*services.app_names : nullptr);
  if (!refusal.empty())
    ex.refuse(refusal);
  return refusal.empty();
}

void run(const exchange& ex) {
  if (!is_allowed(ex.row(), ex.request().method))
    return refuse_method(ex);
  if (is_admitted(ex))
    ex.row().handle(ex);
}

} // namespace

std::span<const route> routes() noexcept { return table_of_routes; }

void dispatch(const gateway_services& services, std::span<const route> table, protocol::http_exchange&& message) noexcept {
  try {
    const auto whole = plain_path(message.request.target);
    const auto [row, path] = find_place(table, whole, services.context_path);
    const exchange ex{services, row, std::string{path}, std::move(message)};
    ex.guarded([&ex] { run(ex); });
  } catch (const std::exception& thrown) {
    // Not even an exchange could be made; the reply answers 500 when it is dropped.
    services.log->error("a request was dropped: {}", thrown.what());
  }
}

} // namespace ringmaster::gateway

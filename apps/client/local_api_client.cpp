#include "apps/client/local_api_client.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <limits>
#include <utility>

#include <unistd.h>

#include "apps/client/api_queries.hpp"
#include "apps/terminal/table_text.hpp"
#include "gateway/exchange/paths.hpp"

namespace ringmaster::apps {

namespace {

/// Values of the parts in braces of a route's path.
struct path_values {
  std::int64_t id = 0;
  std::string name = {};
};

/// Returns the number at `{id}` of `pattern`, 0 if it has none; nullopt when `path` does not match.
std::optional<std::int64_t> match_id(std::string_view pattern, std::string_view path) {
  constexpr std::string_view hole = "{id}";
  const auto at = pattern.find(hole);
  if (at == std::string_view::npos)
    return pattern == path ? std::optional<std::int64_t>{0} : std::nullopt;
  const auto tail = pattern.substr(at + hole.size());
  if (!path.starts_with(pattern.substr(0, at)) || !path.ends_with(tail) || path.size() <= at + tail.size())
    return std::nullopt;
  const auto digits = path.substr(at, path.size() - at - tail.size());
  std::int64_t id = 0;
  const auto [stop, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  return failure == std::errc{} && stop == digits.data() + digits.size() && id >= 0 ? std::optional{id} : std::nullopt;
}

std::optional<path_values> match(std::string_view pattern, std::string_view path) {
  if (pattern.find("{name}") == std::string_view::npos) {
    const auto id = match_id(pattern, path);
    return id ? std::optional{path_values{*id}} : std::nullopt;
  }
  const auto found = gateway::match_path(pattern, path);
  if (!found)
    return std::nullopt;
  path_values out;
  for (const auto& [part, value] : *found)
    if (part == "name")
      out.name = value;
    else
      std::from_chars(value.data(), value.data() + value.size(), out.id);
  return out;
}

class local_api_client final : public api_client {
public:
  explicit local_api_client(opened_store opened) : opened_{std::move(opened)} {}
  ~local_api_client() override {
    if (has_written_ && ::isatty(STDERR_FILENO) == 1)
      std::fprintf(stderr, "ringmaster: database: %s\n", one_line(opened_.database->description()).c_str());
  }
  local_api_client(const local_api_client&) = delete;
  local_api_client& operator=(const local_api_client&) = delete;

  core::result<tagged_document> ask_tagged(const api_question& what) override {
    auto query = protocol::wire::form::parse(what.target, {}, {});
    if (!query)
      return tl::unexpected{query.error()};
    const auto path = std::string_view{what.target}.substr(0, what.target.find('?'));
    auto body = body_text(what.body);
    if (!body)
      return tl::unexpected{body.error()};
    std::string tag;
    for (const auto routes : {job_routes(), run_routes(), people_routes(), node_routes(), elastic_routes()})
      for (const auto& route : routes)
        if (auto values = match(route.path, path); values && route.method == what.method) {
          has_written_ = has_written_ || what.method != "GET";
            return answer_of(route, {*opened_.store, opened_.what.settings, std::move(*query), values->id,
                                     std::move(values->name), std::move(*body), what.if_match, tag, zone()});
        }
    return core::fail(core::errc::unsupported, what.method + ' ' + std::string{path} + " needs a running server: --server");
  }
  const core::zone& zone() const override { return opened_.what.schedule_zone; }
  bool is_server() const override { return false; }

private:
  static core::result<tagged_document> answer_of(const store_route& route, const store_question& asked) {
    return route.answer(asked).map([&](api_document&& document) { return tagged_document{std::move(document), asked.tag}; });
  }

  opened_store opened_;
  /// Set after the first write: the database is then named to a user at a terminal.
  bool has_written_ = false;
};

} // namespace

api_document parsed(const std::string& json) { return api_document::parse(json, nullptr, false); }

core::result<std::unique_ptr<api_client>> make_store_desk(const config_options& options) {
  return open_store(options).map([](opened_store&& opened) -> std::unique_ptr<api_client> {
    return std::make_unique<local_api_client>(std::move(opened));
  });
}

} // namespace ringmaster::apps

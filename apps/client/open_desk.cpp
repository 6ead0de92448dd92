#include "apps/client/admin_desk.hpp"
#include "apps/client/api_token.hpp"
#include "apps/client/http_desk.hpp"
#include "apps/client/store_desk.hpp"
#include "config/load.hpp"

namespace ringmaster::apps {

namespace {

std::optional<std::string> named_server(const desk_options& options, const config::environment& variable) {
  if (options.server.url)
    return options.server.url;
  if (options.config.file || !options.config.set.empty())
    return std::nullopt;
  auto url = variable("RINGMASTER_SERVER");
  return url && !url->empty() ? url : std::nullopt;
}

core::result<std::unique_ptr<admin_desk>> reach(const std::string& url, const desk_options& options,
                                                const config::environment& variable) {
  return read_token(options.server.token_file, variable).and_then([&](std::string&& token) {
    return make_http_desk({url, std::move(token), options.server.ca_file, options.server.insecure_http});
  });
}

} // namespace

core::result<std::unique_ptr<admin_desk>> open_named_server(const desk_options& options) {
  const auto variable = config::process_environment();
  const auto url = named_server(options, variable);
  return url ? reach(*url, options, variable) : core::result<std::unique_ptr<admin_desk>>{nullptr};
}

core::result<std::unique_ptr<admin_desk>> open_desk(const desk_options& options) {
  auto server = open_named_server(options);
  return !server || *server ? std::move(server) : make_store_desk(options.config);
}

core::result<std::unique_ptr<admin_desk>> open_server(const desk_options& options) {
  auto server = open_named_server(options);
  if (server && !*server)
    return core::fail(core::errc::invalid_argument,
                      "only a running server can do this, because it asks executors: name it with --server or RINGMASTER_SERVER");
  return server;
}

} // namespace ringmaster::apps

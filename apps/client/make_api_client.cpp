#include "apps/client/api_client.hpp"
#include "apps/client/api_token.hpp"
#include "apps/client/http_api_client.hpp"
#include "apps/client/local_api_client.hpp"
#include "config/load.hpp"

namespace ringmaster::apps {

namespace {

std::optional<std::string> named_server(const client_options& options, const config::environment& variable) {
  if (options.server.url)
    return options.server.url;
  if (options.config.file || !options.config.set.empty())
    return std::nullopt;
  auto url = variable("RINGMASTER_SERVER");
  return url && !url->empty() ? url : std::nullopt;
}

core::result<std::unique_ptr<api_client>> reach(const std::string& url, const client_options& options,
                                                const config::environment& variable) {
  return read_token(options.server.token_file, variable).and_then([&](std::string&& token) {
    return make_http_desk({url, std::move(token), options.server.ca_file, options.server.insecure_http});
  });
}

} // namespace

core::result<std::unique_ptr<api_client>> open_named_server(const client_options& options) {
  const auto variable = config::process_environment();
  const auto url = named_server(options, variable);
  return url ? reach(*url, options, variable) : core::result<std::unique_ptr<api_client>>{nullptr};
}

core::result<std::unique_ptr<api_client>> make_api_client(const client_options& options) {
  auto server = open_named_server(options);
  return !server || *server ? std::move(server) : make_store_desk(options.config);
}

core::result<std::unique_ptr<api_client>> open_server(const client_options& options) {
  auto server = open_named_server(options);
  if (server && !*server)
    return core::fail(core::errc::invalid_argument,
                      "only a running server can do this, because it needs the executors: give --server or RINGMASTER_SERVER");
  return server;
}

} // namespace ringmaster::apps

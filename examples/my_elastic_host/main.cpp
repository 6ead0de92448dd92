// The complete program of docs/elastic_jobs.md: a host of elastic jobs with one handler.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include <spdlog/sinks/stdout_color_sinks.h>

#include "executor/executor.hpp"
#include "executor/sdk/elastic/elastic_handlers.hpp"

using namespace ringmaster::executor;

int main() {
  // Before any thread starts, so that all threads leave these signals to `sigwait`.
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGINT);
  sigaddset(&ending, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);

  elastic::elastic_handlers items;
  auto added = items.add("sum", [](elastic::item_context& context) {
    const std::string region{context.item_param().value_or("")};
    context.log("sums the orders of " + region + ": item " + std::to_string(context.item()) + " of "
                + std::to_string(context.total()));
  });

  executor_options options;
  options.app_name = "my-shards";
  options.nodes = {"127.0.0.1:9100"};
  options.link_certificate = "executor-host.pem";
  options.link_key = "executor-host.key";
  options.link_ca = "authority.pem";
  options.listen = ""; // no ordinary jobs from other admins
  if (const char* token = std::getenv("RINGMASTER_SECURITY_ACCESS_TOKEN"))
    options.access_token = token;
  options.data_dir = "my-elastic-host";
  options.log = spdlog::stderr_color_mt("my-elastic-host");

  auto running = executor::start(std::move(options), {}, std::move(items));
  if (!added || !running) {
    std::fprintf(stderr, "my_elastic_host: %s\n", (added ? running.error() : added.error()).context.c_str());
    return 1;
  }
  int signal = 0;
  sigwait(&ending, &signal);
  (*running)->stop(); // waits for active runs
  return 0;
}

// `ringmaster log`: prints the log of a run, as its executor reports it.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "apps/client/api_queries.hpp"
#include "apps/client/client_arguments.hpp"
#include "apps/client/run_waiting.hpp"
#include "apps/commands/commands.hpp"
#include "apps/terminal/report.hpp"
#include "apps/terminal/table_text.hpp"

namespace ringmaster::apps {

using namespace std::chrono_literals;

namespace {

struct log_options : client_options {
  std::int64_t run = 0;
  bool follow = false;
};

/// Time in seconds for which a server holds a request back until the log grows. A server that does not support this answers at
/// once; then the command asks again after `pause`.
constexpr int wait_s = 20;
constexpr auto pause = 1s;
/// An answer with at least this many bytes may be a part of the log, so the command asks for the next part. A shorter one is
/// complete; without `--follow`, output written meanwhile is not printed.
constexpr std::size_t whole_part_bytes = 16 * 1024;
/// Limit for a run that waits for its turn or for an executor that is away.
constexpr auto sending_patience = 24h;
/// Consecutive failures until the command gives up: a short outage of the executor or the server ends nothing.
constexpr int failures_max = 5;

/// Splits the headings of a run: XXL-JOB executors put them into one line, with `<br>` between them.
void break_headings(std::string& content) {
  constexpr std::string_view heading = "<br>-----------";
  constexpr std::size_t tag = 4;
  for (auto at = content.find(heading); at != std::string::npos; at = content.find(heading, at))
    content.replace(at, tag, "\n");
}

void print_part(const api_document& part, bool json) {
  if (json)
    return print_json(part);
  auto content = text_in(part, "content");
  std::erase(content, '\r');
  break_headings(content);
  const auto text = harmless(std::move(content), "\n\t");
  std::fputs(text.c_str(), stdout);
  if (!text.empty() && !text.ends_with('\n'))
    std::fputc('\n', stdout);
}

bool may_pass(core::errc code) noexcept { return code == core::errc::unavailable || code == core::errc::timeout; }

bool ends_with(const api_document& part, bool has_more, bool follow) {
  if (boolean_in(part, "more") && has_more)
    return false;
  return boolean_in(part, "end") || (!follow && (!has_more || text_in(part, "content").size() < whole_part_bytes));
}

int print_parts(api_client& client, const log_options& options) {
  std::int64_t line = 1;
  bool was_awaited = false;
  for (int failures = 0;;) {
    query_text target{"/runs/" + std::to_string(options.run) + "/log"};
    target.add("from_line", std::to_string(line));
    if (options.follow)
      target.add("wait_s", std::to_string(wait_s));
    const auto begin = std::chrono::steady_clock::now();
    const auto part = client.ask({"GET", target.text()});
    // A run that was not sent to an executor yet has no log.
    if (!part && options.follow && !was_awaited && part.error().code == core::errc::invalid_argument) {
      was_awaited = await_sending(client, options.run, begin + sending_patience);
      if (was_awaited)
        continue;
    }
    if (!part && (!options.follow || !may_pass(part.error().code) || ++failures >= failures_max))
      return complain(part.error());
    const auto next = part ? number_in(*part, "to_line").value_or(0) + 1 : line;
    const bool has_more = next > line;
    if (part) {
      failures = 0;
      if (has_more || (options.json && !options.follow && line == 1))
        print_part(*part, options.json);
      if (ends_with(*part, has_more, options.follow) || std::fflush(stdout) != 0)
        return exit_done; // main reports a failure of standard output
    }
    line = std::max(line, next);
    if (options.follow && !has_more && std::chrono::steady_clock::now() - begin < pause)
      std::this_thread::sleep_for(pause);
  }
}

int print_log(const log_options& options) {
  const auto client = open_server(options);
  return client ? print_parts(**client, options) : complain(client.error());
}

} // namespace

int follow_log(api_client& client, std::int64_t run) {
  log_options options;
  options.run = run;
  options.follow = true;
  return print_parts(client, options);
}

void add_log_command(CLI::App& app, std::function<int()>& chosen) {
  auto [command, options] = add_command<log_options>(app, "log", "Print the log of a run; needs a server", chosen, print_log);
  command->add_option("RUN", options->run, "Run id")->required()->type_name("ID")->check(id_check("run id"));
  command->add_flag("--follow", options->follow, "Continue until the run ends");
}

} // namespace ringmaster::apps

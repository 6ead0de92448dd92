#include <algorithm>
#include <cstdio>
#include <future>

#include <unistd.h>

#include "actors/alarms/alarm_tester.hpp"
#include "apps/client/api_queries.hpp"
#include "apps/commands/commands.hpp"
#include "apps/server/assembly.hpp"
#include "apps/terminal/report.hpp"

namespace ringmaster::apps {

namespace {

std::string this_host() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "ringmaster";
}

core::result<void> send_test(const alarm_test_options& options, std::string& to) {
  auto what = assemble(options.config);
  if (!what)
    return tl::unexpected<core::error>{what.error()};
  const auto settings = notification_of(what->settings);
  if (auto known = gateway::check_channel(settings, options.channel); !known)
    return core::fail(core::errc::invalid_argument, known.error().context);
  const auto channels = gateway::channels_of(settings);
  const auto chosen =
    std::find_if(channels.begin(), channels.end(), [&](const auto& each) { return each.name == options.channel; });
  auto test = actors::test_notice_of(
    *chosen, options.to, {this_host(), settings.language, settings.alarm.form == "xxl"}, system_now());
  if (!test)
    return core::fail(core::errc::invalid_argument, "--" + test.error().context);
  to = test->recipient;
  std::promise<core::result<void>> outcome;
  auto answer = outcome.get_future();
  // Destroyed before the promise that its callback fulfils.
  const auto notifier = gateway::make_notifier(settings);
  notifier->send(std::move(*test), [&outcome](core::result<void> sent) { outcome.set_value(std::move(sent)); });
  auto sent = answer.get();
  // A refusal by the receiving side is reported as `unavailable`, because the command line was correct.
  if (!sent)
    return core::fail(core::errc::unavailable, sent.error().context);
  return sent;
}

} // namespace

int alarm_test(const alarm_test_options& options) {
  std::string to;
  if (const auto sent = send_test(options, to); !sent)
    return complain(sent.error());
  if (options.json) {
    print_json({{"channel", options.channel}, {"to", to.empty() ? api_document{} : api_document(to)}, {"sent", true}});
    return exit_done;
  }
  std::printf("sent through %s%s%s\n", options.channel.c_str(), to.empty() ? "" : " to ", to.c_str());
  return exit_done;
}

} // namespace ringmaster::apps

#include "apps/commands/demo_jobs.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <utility>

namespace ringmaster::apps {

namespace {

constexpr std::string_view demo_file = R"([[group]]
app_name = "demo-executor"
title = "Demo"

[[job]]
group = "demo-executor"
key = "every-second"
name = "Fires every second"
description = "A fixed rate. The runs alternate between the two executors of the group."
schedule = { rate = "1s" }
handler = "demo"
params = "hello"
route = "round"

[[job]]
group = "demo-executor"
key = "minute-report"
name = "Report of the minute"
description = "A cron expression. A success starts the child job."
schedule = { cron = "0 * * * * ?" }
handler = "report"
children = ["send-report"]

[[job]]
group = "demo-executor"
key = "send-report"
name = "Send the report"
description = "Has no schedule: it runs as the child of another job."
handler = "demo"
params = "to=team@example.org"

[[job]]
group = "demo-executor"
key = "import-rates"
name = "Import exchange rates"
description = "Fails, so that a reason can be seen. With an account from 1 to 100 as its parameter it succeeds."
schedule = { cron = "10/30 * * * * ?" }
handler = "import"
params = "account=4711"

[[job]]
group = "demo-executor"
key = "rebuild-index"
name = "Rebuild the search index"
description = "Takes 20 seconds and logs its progress: read the log while it grows, or end the run."
schedule = { rate = "45s" }
handler = "slow"
params = "steps=40"
block = "discard_later"
timeout = "2m"

[[job]]
group = "demo-executor"
key = "clean-caches"
name = "Clean all caches"
description = "A broadcast: each executor of the group runs its shard."
schedule = { cron = "25 * * * * ?" }
handler = "shard"
route = "sharding_broadcast"

[[job]]
group = "demo-executor"
key = "opening-tokyo"
name = "Opening in Tokyo"
description = "Fires at 9 on workdays in the zone of Tokyo, whatever the zone of the server."
schedule = { cron = "0 0 9 ? * 2-6" }
time_zone = "Asia/Tokyo"
handler = "demo"
misfire = "fire_once_now"

[[job]]
group = "demo-executor"
key = "nightly"
name = "Settle the day"
description = "Fires once a night, up to a minute later to spread the load."
schedule = { cron = "0 30 2 * * ?" }
jitter_ms = 60000
handler = "demo"
misfire = "do_nothing"
)";

void demo_print(executor::job_context& context) {
  context.line() << context.param();
  context.succeed("done");
}

void demo_report(executor::job_context& context) {
  for (const auto* part : {"orders", "payments", "returns"})
    context.line() << "counting " << part;
  context.succeed("3 tables");
}

void demo_import(executor::job_context& context) {
  constexpr std::int64_t accounts = 100;
  context.line() << "connecting to the ledger";
  const auto account = context.argument<std::int64_t>("account", 0);
  if (!account)
    return context.fail("account must be a whole number: correct the job's parameter");
  context.line() << "reading the account " << *account;
  if (*account < 1 || *account > accounts)
    return context.fail("the ledger has no account " + std::to_string(*account)
                        + ": correct the job's parameter, e.g. account=1");
  context.succeed("rates of account " + std::to_string(*account));
}

void demo_count(executor::job_context& context) {
  const auto steps = context.argument<std::int64_t>("steps", 40);
  if (!steps || *steps < 1)
    return context.fail("steps must be a whole number");
  for (std::int64_t done = 0; done < *steps; ++done) {
    if (!context.wait_for(std::chrono::milliseconds{500})) {
      context.line() << "stopping after " << done << " steps: " << context.stop_reason();
      return;
    }
    context.progress(static_cast<double>(done + 1) / static_cast<double>(*steps), "steps");
  }
  context.succeed(std::to_string(*steps) + " steps");
}

void demo_shard(executor::job_context& context) {
  context.line() << "cleaning shard " << context.shard_index() + 1 << " of " << context.shard_total();
  context.succeed();
}

} // namespace

std::string_view demo_declaration() noexcept { return demo_file; }

core::result<executor::handlers> demo_handlers() {
  executor::handlers known;
  const std::pair<const char*, void (*)(executor::job_context&)> all[] = {
    {"demo", demo_print}, {"report", demo_report}, {"import", demo_import}, {"slow", demo_count}, {"shard", demo_shard}};
  for (const auto& [name, body] : all)
    if (auto added = known.add(name, body); !added)
      return tl::unexpected{added.error()};
  return known;
}

} // namespace ringmaster::apps

#include "apps/server/open_store.hpp"

#include <chrono>
#include <cstdio>
#include <thread>

#include "apps/server/data_folder.hpp"

namespace ringmaster::apps {

using namespace std::chrono_literals;

core::result<opened_store> open_store(const config_options& options) {
  auto what = assemble(options);
  if (!what)
    return tl::unexpected<core::error>{what.error()};
  auto database = make_database(*what);
  if (!database)
    return tl::unexpected<core::error>{database.error()};
  if (auto there = check_has_tables(**database, what->settings); !there)
    return tl::unexpected<core::error>{there.error()};
  auto store = (*database)->open();
  if (!store)
    return tl::unexpected<core::error>{store.error()};
  return opened_store{std::move(*what), std::move(*database), std::move(*store)};
}

std::optional<std::size_t> wait_for_runs(storage::store& store, std::span<const core::job_id> jobs) {
  if (jobs.empty())
    return 0;
  const auto end = std::chrono::steady_clock::now() + 1s;
  for (;;) {
    const auto open = store.jobs().runs_on_their_way(jobs);
    if ((open && *open == 0) || std::chrono::steady_clock::now() >= end)
      return open ? std::optional{*open} : std::nullopt;
    std::this_thread::sleep_for(50ms);
  }
}

} // namespace ringmaster::apps

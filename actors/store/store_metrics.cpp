#include "actors/store/store_metrics.hpp"

#include <string>

namespace ringmaster::actors {

namespace {

constexpr std::array work_names{"claim", "record", "control"};
constexpr std::array<std::int64_t, 10> row_bounds{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

} // namespace

store_metrics::store_metrics(caf::actor_system& system) {
  auto& registry = system.metrics();
  auto* time = registry.histogram_family<double>("ringmaster", "store-batch-time", {"work"}, time_bounds,
                                                 "Time from handing a transaction to its worker to the answer.", "seconds");
  auto* rows = registry.histogram_family<std::int64_t>("ringmaster", "store-batch-rows", {"work"}, row_bounds,
                                                       "Runs in one transaction.");
  auto* waiting = registry.gauge_family("ringmaster", "store-waiting", {"work"}, "Rows waiting for the store: claims, results.");
  for (std::size_t i = 0; i < works; ++i) {
    time_[i] = time->get_or_add({{"work", work_names[i]}});
    if (i < rows_.size())
      rows_[i] = rows->get_or_add({{"work", work_names[i]}});
  }
  waiting_ = {waiting->get_or_add({{"work", "claim"}}), waiting->get_or_add({{"work", "trigger"}}),
              waiting->get_or_add({{"work", "callback"}})};
  errors_ = registry.counter_family("ringmaster", "store-errors", {"work", "error"}, "Transactions that failed.", "1", true);
  for (const auto* work : work_names)
    for (const auto error : {core::errc::unavailable, core::errc::invalid_argument, core::errc::internal, core::errc::fenced}) {
      const std::string text{core::to_string(error)};
      errors_->get_or_add({{"work", work}, {"error", text}});
    }
  results_ = make_counter(system, "results-stored", "Results of runs that were stored.");
  late_results_ = make_counter(system, "results-ignored", "Results that came second, late, or for a run without a row.");
  triggers_ = make_counter(system, "trigger-codes-stored", "Trigger results that were stored.");
  locked_ = make_counter(system, "results-locked", "Results put off because another transaction held the rows of their runs.");
  open_claims_ = registry.gauge_singleton("ringmaster", "claims-open", "Claims of this incarnation with unresolved runs.");
}

void store_metrics::done(store_work what, std::size_t rows, duration took) const {
  const auto i = static_cast<std::size_t>(what);
  time_[i]->observe(std::chrono::duration<double>(took).count());
  if (i < rows_.size())
    rows_[i]->observe(static_cast<std::int64_t>(rows));
}

void store_metrics::failed(store_work what, core::errc why) const {
  const std::string error{core::to_string(why)};
  errors_->get_or_add({{"work", work_names[static_cast<std::size_t>(what)]}, {"error", error}})->inc();
}

void store_metrics::stored(std::size_t callbacks, std::size_t of_callbacks, std::size_t triggers) const {
  add(results_, callbacks);
  add(late_results_, of_callbacks - callbacks);
  add(triggers_, triggers);
}

void store_metrics::locked(std::size_t runs) const { add(locked_, runs); }

void store_metrics::show(const store_queues& waiting) const {
  waiting_[0]->value(static_cast<std::int64_t>(waiting.claims));
  waiting_[1]->value(static_cast<std::int64_t>(waiting.triggers));
  waiting_[2]->value(static_cast<std::int64_t>(waiting.callbacks));
  open_claims_->value(static_cast<std::int64_t>(waiting.open_claims));
}

} // namespace ringmaster::actors

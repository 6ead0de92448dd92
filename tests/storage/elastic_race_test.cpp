// Coordinators of two nodes, an operator and a keeper, who write at the same time on connections of their own.

#include <random>
#include <thread>

#include "tests/storage/elastic_fixture.hpp"

using namespace ringmaster;
using namespace ringmaster::test;
using namespace std::chrono_literals;
using Catch::Generators::from_range;
using enum elastic::write_outcome;

namespace {

constexpr int race_rounds = 60;
constexpr std::int32_t race_items = 40;
/// Changes by the operator, and by the keeper: few, because SQLite has no queue for its writers.
constexpr std::int64_t disturbances = 40;

/// Grants and ends items of one job, from its rows as read.
class racing_coordinator {
public:
  racing_coordinator(test_database& db, core::node_incarnation me, elastic::elastic_job_id job, elastic::host_process host)
    : store_{db.open()}, me_{std::move(me)}, job_{job}, host_{host} {}

  /// Takes the slot and writes in rounds; returns the first failure.
  std::string run() {
    const std::vector<elastic::lease_wish> wish{{storage::slot_of(job_), 0}};
    const auto lease = store_->elastic().take_leases(me_, wish);
    if (!lease || lease->size() != 1)
      return "no lease";
    for (int round = 0; round < race_rounds; ++round) {
      const auto state = store_->elastic().read_job(job_);
      if (!state)
        return state.error().context;
      elastic::elastic_batch batch{me_, *lease, {}};
      for (const auto& row : state->items)
        add(batch, row);
      const auto answers = store_->elastic().write(batch, noon);
      if (!answers)
        return answers.error().context;
      for (const auto& answer : *answers)
        stored_ += answer.outcome == done ? 1 : 0;
    }
    return {};
  }

  [[nodiscard]] std::size_t stored() const { return stored_; }

private:
  void add(elastic::elastic_batch& to, const elastic::item_row& row) {
    const elastic::run_cause cause{elastic::run_source::normal, {noon, elastic::run_source::normal, {}}};
    const elastic::item_grant grant{row.fence, host_, cause, 1, 500ms};
    if (row.state != elastic::stored_item_state::open)
      to.ops.emplace_back(elastic::item_write{job_, row.item, grant});
    else
      to.ops.emplace_back(elastic::item_write{
        job_, row.item, elastic::action::write_end{row.run, row.fence, elastic::item_run_end::finished, {}}});
  }

  std::unique_ptr<storage::store> store_;
  core::node_incarnation me_;
  elastic::elastic_job_id job_;
  elastic::host_process host_;
  std::size_t stored_ = 0;
};

/// Disables and enables items; returns the first failure.
std::string operate_items(storage::store& store, elastic::elastic_job_id job) {
  std::minstd_rand random{7};
  for (std::int64_t i = 0; i < disturbances; ++i) {
    const elastic::item_number item{static_cast<std::int32_t>(random() % race_items)};
    if (auto set = store.elastic().set_item_disabled(job, item, random() % 2 == 0, noon, core::local_operator()); !set)
      return set.error().context;
  }
  return {};
}

/// Says "silent" and keeps the host again; returns the first failure.
std::string judge_host(storage::store& store, const core::node_incarnation& keeper, elastic::host_process host) {
  for (std::int64_t keeper_no = 1; keeper_no <= disturbances; ++keeper_no) {
    const std::vector<elastic::host_verdict> silent{{host, keeper_no, elastic::host_state::silent}};
    const std::vector<elastic::keeper_claim> kept{{host, keeper_no}};
    auto judged = store.elastic().judge_hosts(keeper, silent);
    if (!judged || judged->at(0).outcome != done)
      return judged ? "a verdict was lost" : judged.error().context;
    judged = store.elastic().keep_hosts(keeper, kept);
    if (!judged || judged->at(0).outcome != done)
      return judged ? "a keeper was lost" : judged.error().context;
  }
  return {};
}

} // namespace

TEST_CASE("coordinators, operators and keepers do not disturb each other", "[storage][elastic]") {
  elastic_fixture f{GENERATE(from_range(backends_under_test()))};
  const auto mine = f.add("mine", race_items).id;
  const auto theirs = f.add("theirs", race_items).id;
  racing_coordinator a{*f.db, f.me, mine, f.host}, b{*f.db, f.other, theirs, f.host};
  const auto edits = f.db->open(), verdicts = f.db->open();
  std::string of_a, of_b, of_edits, of_verdicts;
  std::thread first{[&] { of_a = a.run(); }}, second{[&] { of_b = b.run(); }};
  std::thread third{[&] { of_edits = operate_items(*edits, mine); }};
  std::thread fourth{[&] { of_verdicts = judge_host(*verdicts, f.me, f.host); }};
  first.join();
  second.join();
  third.join();
  fourth.join();
  CHECK(of_a.empty());
  CHECK(of_b.empty());
  CHECK(of_edits.empty());
  CHECK(of_verdicts.empty());
  CHECK(a.stored() > race_items);
  CHECK(b.stored() > race_items);
  // One open run for each open item, and none for the others.
  CHECK(f.db->value("SELECT COUNT(*) FROM ej_run WHERE state = 1")
        == f.db->value("SELECT COUNT(*) FROM ej_item WHERE state = 1"));
  CHECK(f.db->value("SELECT COUNT(*) FROM ej_item i LEFT JOIN ej_run r ON r.id = i.run AND r.job = i.job AND r.item = i.item"
                    " AND r.fence = i.fence AND r.state = 1 WHERE i.state = 1 AND r.id IS NULL")
        == "0");
}

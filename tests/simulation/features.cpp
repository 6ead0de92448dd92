#include "tests/simulation/features.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

#include "tests/simulation/dice.hpp"

namespace ringmaster::simulation {

namespace {

struct feature_state {
  feature what;
  const char* name;
  /// The finding by which its histories break an invariant. Null: none, the feature is on.
  const char* awaits;
};

/// The only place where a feature is switched on: null in the last column.
constexpr std::array features{
  feature_state{feature::foreign_answers, "foreign_answers", nullptr},
  feature_state{feature::typed_replicas, "typed_replicas", nullptr},
  feature_state{feature::registered_replicas, "registered_replicas", nullptr},
  feature_state{feature::ids_again, "ids_again", nullptr},
  feature_state{feature::clock_jumps, "clock_jumps", nullptr},
  feature_state{feature::jumps_at_start, "jumps_at_start", nullptr},
  feature_state{feature::hand_edits, "hand_edits", nullptr},
  feature_state{feature::rates, "rates", nullptr},
  feature_state{feature::backlogs, "backlogs", nullptr},
  feature_state{feature::locked_rows, "locked_rows", nullptr},
  feature_state{feature::lost_runs, "lost_runs", nullptr},
  feature_state{feature::native_links, "native_links", nullptr},
};

bool chosen(const feature_state& one) {
  bool on = one.awaits == nullptr;
  const char* set = std::getenv("RINGMASTER_SIMULATION_WITH");
  std::istringstream names{set != nullptr ? set : ""};
  for (std::string name; std::getline(names, name, ',');) {
    if (name == one.name || name == "all")
      on = true;
    else if (name == '-' + std::string{one.name} || name == "-all")
      on = false;
  }
  return on;
}

std::string node_of_feature(dice& with, const history& in) {
  return std::string(1, static_cast<char>('a' + with.below(static_cast<std::uint64_t>(in.nodes))));
}

void add_foreign_answers(dice& with, history& to) {
  for (auto count = 1 + with.below(3); count > 0; --count) {
    fault one;
    one.where = site::outbound;
    one.what = with.one_in(3) ? effect::foreign_refusal : effect::foreign_answer;
    one.node = node_of_feature(with, to);
    one.index = with.below(30);
    one.lasts = with.between(0, 4);
    to.faults.push_back(one);
  }
}

void add_replicas(dice& with, history& to, bool registered) {
  to.replicas = 2;
  to.registered = registered;
  // Faults that make a run unknown.
  fault one;
  one.where = site::outbound;
  one.what = with.one_in(2) ? effect::lose_answer : effect::crash_after;
  one.node = node_of_feature(with, to);
  one.index = with.below(12);
  one.lasts = with.between(100, 4000);
  to.faults.push_back(one);
}

void add_restored_copy(dice& with, history& to) {
  restored_copy one;
  one.copied_at = with.between(1500, 4000);
  one.at = one.copied_at + with.between(1500, 4000);
  one.lasts = with.between(500, 3000);
  to.restored = one;
  to.kind = executor_kind::remembering;
  for (auto& job : to.jobs) // continues after it
    if (job.schedule == core::schedule_type::cron && job.schedule_conf.find("2099") == std::string::npos)
      job.schedule_conf = "1-16 0 12 2 3 ? 2026";
}

void add_clock_jumps(dice& with, history& to) {
  constexpr std::array<std::int64_t, 4> far{60'000, 3'600'000, 86'400'000, 864'000'000};
  fault one;
  one.what = effect::jump_clock;
  one.at = with.between(500, 6000);
  one.lasts = with.between(50, 4000);
  one.by = milliseconds{with.of(far)} + with.between(0, 5000);
  if (!with.one_in(3))
    one.node = node_of_feature(with, to);
  to.faults.push_back(one);
}

core::declared_job plain_job(dice& with) {
  auto job = make_job("plain", "1-" + std::to_string(4 + with.below(8)) + " 0 12 2 3 ? 2026", milliseconds{40});
  job.retry_count = static_cast<std::int32_t>(with.below(2));
  if (with.one_in(2))
    job.params = "takes=40 ends=fail";
  return job;
}

void add_hand_edits(dice& with, history& to) {
  to.plain_jobs.push_back(plain_job(with));
  const auto jobs = to.jobs.size() + to.plain_jobs.size();
  for (auto count = 2 + with.below(6); count > 0; --count) {
    hand_edit one;
    one.at = with.between(300, 9000);
    one.what = static_cast<hand_edit::kind>(with.below(6));
    if (one.what == hand_edit::kind::remove && !with.one_in(3))
      one.what = hand_edit::kind::run;
    const auto last = static_cast<std::int32_t>(jobs);
    one.job = core::job_id{one.what == hand_edit::kind::update ? last : 1 + static_cast<std::int32_t>(with.below(jobs))};
    one.by = with.one_in(4) ? std::string{} : node_of_feature(with, to);
    one.has_param = with.one_in(2);
    one.has_address = with.one_in(3);
    to.by_hand.push_back(one);
  }
}

void add_rates(dice& with, history& to) {
  constexpr std::array<std::int64_t, 4> steps{1000, 2000, 250, 400};
  const core::time_point noon = core::from_ms(1'772'452'800'000); // 2 March 2026, where a run begins
  auto job = make_job("rate", "1", milliseconds{20});
  job.schedule = core::schedule_type::fixed_rate;
  const auto step = with.of(steps);
  job.schedule_conf = std::to_string(std::max<std::int64_t>(step / 1000, 1));
  if (step < 1000)
    job.timing.interval_ms = step;
  job.timing.end_at = noon + with.between(3000, 8000);
  if (with.one_in(3) && step >= 1000)
    job.timing.jitter_ms = static_cast<std::int32_t>(200 + with.below(500));
  job.misfire = with.one_in(2) ? core::misfire_policy::do_nothing : core::misfire_policy::fire_once_now;
  to.jobs.push_back(job);
  for (auto& one : to.edits)
    one.jobs.push_back(job);
}

void add_backlog(dice& with, history& to) {
  to.executors = 2;
  to.backlog = 30 + with.below(20);
  to.page_max = 12;
  fault still;
  still.what = effect::executor_suspend;
  still.node = "2";
  still.at = 300ms;
  still.lasts = with.between(20'000, 40'000);
  to.faults.push_back(still);
  fault gone;
  gone.what = effect::crash;
  gone.at = with.between(1500, 6000);
  gone.lasts = with.between(1000, 5000);
  gone.node = node_of_feature(with, to);
  to.faults.push_back(gone);
}

void add_lost_runs(dice& with, history& to) {
  to.registered = true;
  to.waits_for_lost = true;
  to.jobs.front().params = "takes=1400 ends=ok";
  fault one;
  one.what = effect::executor_restart;
  one.node = "1";
  one.at = with.between(1200, 5000);
  to.faults.push_back(one);
}

void add_native_links(dice& with, history& to) {
  constexpr std::array cuts{effect::lose_request, effect::lose_answer, effect::delay_before, effect::crash_after};
  to.native = true;
  to.registered = to.registered || with.one_in(2);
  to.kind = executor_kind::remembering;
  for (auto count = 1 + with.below(3); count > 0; --count) {
    fault one;
    one.where = site::outbound;
    one.what = with.of(cuts);
    one.node = node_of_feature(with, to);
    one.index = with.below(30);
    one.lasts = with.between(100, 6000);
    to.faults.push_back(one);
  }
}

void add_locked_rows(dice& with, history& to) {
  fault one;
  one.what = effect::lock_rows;
  one.index = 1 + with.below(to.jobs.size());
  one.at = with.between(300, 6000);
  one.lasts = with.between(200, 7000);
  to.faults.push_back(one);
}

} // namespace

bool is_on(feature wanted) {
  static const auto on = [] {
    std::array<bool, features.size()> states{};
    for (std::size_t i = 0; i < features.size(); ++i)
      states[i] = chosen(features[i]);
    return states;
  }();
  return on[static_cast<std::size_t>(wanted)];
}

// The dice are thrown for each feature whether it is on or not, so that a seed stays the same when another feature is switched
// on.
void add_features(history& to) {
  dice with{to.seed * 0x9e37'79b9'7f4a'7c15ULL + 1};
  const auto wanted = [&](feature one, std::uint64_t rarity) { return with.one_in(rarity) && is_on(one); };
  const auto throws = [&](feature one, std::uint64_t rarity, auto add) {
    const bool wants = wanted(one, rarity);
    dice own{to.seed + static_cast<std::uint64_t>(one) * 7919};
    if (wants)
      add(own, to);
    return wants;
  };
  throws(feature::foreign_answers, 6, add_foreign_answers);
  throws(feature::rates, 5, add_rates);
  throws(feature::hand_edits, 4, add_hand_edits);
  throws(feature::locked_rows, 6, add_locked_rows);
  throws(feature::clock_jumps, 8, add_clock_jumps);
  // These features change the subject of the whole history.
  if (throws(feature::backlogs, 16, add_backlog))
    return;
  if (throws(feature::ids_again, 10, add_restored_copy))
    return;
  if (throws(feature::typed_replicas, 12, [](dice& own, history& all) { add_replicas(own, all, false); }))
    return;
  if (throws(feature::registered_replicas, 12, [](dice& own, history& all) { add_replicas(own, all, true); }))
    return;
  throws(feature::lost_runs, 120, add_lost_runs);
  throws(feature::native_links, 4, add_native_links);
}

std::string describe_features(const history& all) {
  constexpr std::array<const char*, 6> edits{"start", "stop", "remove", "update", "run", "run over the API"};
  const auto ms = [](span at) { return std::to_string(std::chrono::duration_cast<milliseconds>(at).count()) + " ms"; };
  std::string text;
  if (all.replicas > 1)
    text += "  " + std::to_string(all.replicas) + " processes behind each address\n";
  if (all.registered)
    text += "  executors register themselves\n";
  if (all.native)
    text += "  executors have native links\n";
  if (all.waits_for_lost)
    text += "  continues until lost runs are found\n";
  if (all.restored)
    text += "  the database of " + ms(all.restored->copied_at) + " is restored at " + ms(all.restored->at) + ", down for "
            + ms(all.restored->lasts) + '\n';
  if (all.backlog > 0)
    text += "  " + std::to_string(all.backlog) + " manual runs wait for executor 2, pages of "
            + std::to_string(all.page_max) + '\n';
  for (const auto& job : all.plain_jobs)
    text += "  undeclared job " + job.key + " (" + job.schedule_conf + ") " + job.params + '\n';
  for (const auto& one : all.by_hand)
    text += std::string{"  manual: "} + edits.at(static_cast<std::size_t>(one.what)) + " of job "
            + std::to_string(core::number(one.job)) + (one.by.empty() ? "" : " by " + one.by) + " at " + ms(one.at)
            + (one.has_param ? ", with a parameter" : "") + (one.has_address ? ", with an address" : "") + '\n';
  return text;
}

} // namespace ringmaster::simulation

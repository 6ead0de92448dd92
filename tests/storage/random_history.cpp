#include "tests/storage/random_history.hpp"

#include <algorithm>
#include <tuple>

namespace ringmaster::test {

using namespace std::chrono_literals;

namespace {

constexpr std::int32_t job_count = 12;

std::string number_text(auto value) { return std::to_string(value); }

std::string part_text(const core::shard& part) {
  return part.broadcast ? number_text(part.index) + '/' + number_text(part.total) : "-";
}

} // namespace

random_history::random_history(const test_backend& backend, std::uint64_t seed, std::size_t connections)
  : random_{seed}, fixture_{backend} {
  for (std::size_t i = 0; i < connections; ++i)
    stores_.push_back(fixture_.db->open());
  lives_ = {fixture_.me, require(cluster().enter("node-b", "b")), require(cluster().enter("node-c", "c"))};
  for (std::int32_t id = 1; id <= job_count; ++id)
    fixture_.add_job(id, noon + std::chrono::seconds{pick(5)},
                     {{"executor_fail_retry_count", number_text(pick(3))},
                      {"child_jobid", '\'' + number_text(pick(job_count) + 1) + ',' + number_text(pick(job_count) + 1) + '\''}});
  for (auto& job : require(firings().load_jobs(core::slot_set{}.set(), core::job_id{0}, 1000)))
    jobs_.emplace(core::number(job.spec->id), job);
}

std::string random_history::name(core::log_id id) {
  return 'r' + number_text(log_names_.emplace(core::number(id), log_names_.size()).first->second);
}

std::string random_history::name(core::intent_id id) {
  return 'i' + number_text(intent_names_.emplace(core::number(id), intent_names_.size()).first->second);
}

std::vector<std::string> random_history::run(int steps) {
  using step = void (random_history::*)();
  // The first of each pair is its frequency.
  const std::vector<std::pair<int, step>> kinds{
    {30, &random_history::claim}, {6, &random_history::repeat_claim},  {40, &random_history::record},
    {5, &random_history::adopt},  {5, &random_history::permit_resend}, {5, &random_history::edit},
    {2, &random_history::remove}, {4, &random_history::change_incarnation},   {3, &random_history::sweep}};
  for (int i = 0; i < steps; ++i) {
    auto chance = static_cast<int>(pick(100));
    auto chosen = kinds.begin();
    while (chance >= chosen->first)
      chance -= (chosen++)->first;
    ++step_;
    now_ += std::chrono::milliseconds{pick(2000)};
    (this->*chosen->second)();
  }
  dump();
  return lines_;
}

void random_history::claim() {
  core::claim_batch batch;
  batch.owner = lives_[pick(lives_.size())];
  batch.sequence = ++sequence_;
  batch.seen_revision = revision_ - static_cast<std::int64_t>(pick(2));
  batch.node_host = "host";
  for (auto& [id, job] : jobs_) {
    if (pick(3) != 0 || !job.next)
      continue;
    // Sometimes with a next time that is no longer the store's.
    auto expected = pick(8) == 0 ? *job.next + 1ms : *job.next;
    core::schedule_move move{job.spec->id, expected, expected, expected + std::chrono::seconds{1 + pick(3)}};
    if (pick(20) == 0)
      move.next.reset();
    batch.moves.push_back(move);
    auto shards = pick(4) == 0 ? 3 : 1;
    for (std::int32_t i = 0; i < shards; ++i) {
      auto run = fixture_.run_of(job.spec, expected);
      if (shards > 1)
        run.part = {i, shards, true};
      if (pick(6) == 0)
        run.address.clear();
      batch.runs.push_back(run);
    }
  }
  for (const auto& intent : intents_) {
    if (pick(2) != 0 || !jobs_.contains(core::number(intent.job)))
      continue;
    auto run =
      fixture_.run_of(jobs_.at(core::number(intent.job)).spec, intent.fire_at == core::time_point{} ? now_ : intent.fire_at);
    run.kind = intent.kind;
    run.part = intent.part;
    run.param = intent.param;
    run.retry_left = intent.retry_left;
    run.intent = intent.id;
    batch.runs.push_back(run);
  }
  auto outcome = firings().claim(batch, now_);
  if (!outcome)
    return say("claim: " + std::string{core::to_string(outcome.error().code)});
  say_runs(*outcome);
  for (const auto& run : outcome->runs)
    runs_.push_back(run);
  std::vector<core::job_id> moved;
  for (const auto& move : batch.moves)
    moved.push_back(move.job);
  for (const auto& job : require(firings().read_jobs(moved)))
    jobs_[core::number(job.spec->id)] = job;
  last_claim_ = batch;
}

void random_history::say_runs(const core::claim_outcome& outcome) {
  std::string line = "claim:";
  for (const auto& run : outcome.runs)
    line += ' ' + name(run.id) + '=' + number_text(core::number(run.plan.spec->id)) + '@' +
            number_text(core::to_ms(run.plan.fire_at)) + ',' + part_text(run.plan.part) + ',' + number_text(run.attempt);
  for (auto job : outcome.lost_races)
    line += " lost job " + number_text(core::number(job));
  for (auto intent : outcome.lost_intents)
    line += " lost " + name(intent);
  say(std::move(line));
}

void random_history::repeat_claim() {
  auto outcome = firings().claim(last_claim_, now_);
  if (!outcome)
    return say("repeat: " + std::string{core::to_string(outcome.error().code)});
  // A claim that kept no run is tried again, and loses.
  outcome->lost_races.clear();
  outcome->lost_intents.clear();
  say_runs(*outcome);
}

void random_history::record() {
  core::record_batch batch;
  batch.owner = lives_[pick(lives_.size())];
  for (auto count = pick(8); count > 0 && !runs_.empty(); --count) {
    const auto& run = runs_[runs_.size() - 1 - pick(std::min<std::size_t>(runs_.size(), 20))];
    bool trigger = pick(3) != 0, callback = pick(3) != 0;
    auto message = pick(3) == 0 ? "m" + number_text(pick(100)) : "";
    if (trigger) {
      auto answer = fixture_.answer(run, pick(3) == 0 ? 500 : 200, message);
      answer.delivery_unknown = answer.code != 200 && pick(3) == 0;
      batch.triggers.push_back(answer);
    }
    if (callback) {
      batch.callbacks.push_back(fixture_.callback(run, std::array{200, 200, 500, 0}[pick(4)], message));
      if (pick(3) == 0)
        batch.callbacks.back().spec.reset();
    }
    if (pick(4) == 0)
      batch.resolved_claims.push_back(run.claim);
  }
  auto outcome = require(firings().record(batch, now_));
  keep(outcome.intents);
  std::string line = "record: " + number_text(outcome.triggers_stored) + ' ' + number_text(outcome.callbacks_stored) +
                     (outcome.fenced ? " fenced" : "");
  say(std::move(line));
}

void random_history::keep(const std::vector<core::intent>& intents) {
  auto sorted = intents;
  auto key = [](const core::intent& intent) { return std::tuple{intent.origin, intent.kind, intent.job, intent.part.index}; };
  std::sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  for (const auto& intent : sorted) {
    say("  " + name(intent.id) + ' ' + std::string{core::to_string(intent.kind)} + " of " +
        number_text(core::number(intent.job)) + " from " + name(intent.origin) + " at " +
        number_text(core::to_ms(intent.fire_at)) + ' ' + part_text(intent.part) + " left " + number_text(intent.retry_left) +
        ' ' + intent.param.value_or("-"));
    intents_.push_back(intent);
  }
}

void random_history::adopt() {
  const auto& owner = lives_[pick(lives_.size())];
  sequence_ += 10;
  auto adopted = firings().adopt(owner, sequence_, 1000);
  sequence_ += 1000;
  if (!adopted)
    return say("adopt: " + std::string{core::to_string(adopted.error().code)});
  std::vector<std::string> texts;
  for (const auto& run : *adopted) {
    texts.push_back(name(run.id) + ',' + number_text(core::number(run.job)) + '@' + number_text(core::to_ms(run.fire_at)) + ',' +
                    part_text(run.part) + ',' + number_text(run.attempt) + ',' + run.address + ',' + run.param.value_or("-") +
                    ',' + number_text(run.retry_left) + ',' + number_text(run.handle_code));
    for (auto& known : runs_)
      if (known.id == run.id)
        known.claim = run.claim;
  }
  std::sort(texts.begin(), texts.end());
  std::string line = "adopt:";
  for (const auto& text : texts)
    line += ' ' + text;
  say(std::move(line));
}

void random_history::permit_resend() {
  if (runs_.empty())
    return;
  const auto& run = runs_[runs_.size() - 1 - pick(std::min<std::size_t>(runs_.size(), 20))];
  auto permitted = fixture_.permit(lives_[pick(lives_.size())], run.claim, run.id);
  say("resend: " +
      (permitted ? number_text(static_cast<int>(*permitted)) : std::string{core::to_string(permitted.error().code)}));
}

void random_history::edit() {
  auto id = static_cast<std::int32_t>(pick(job_count) + 1);
  fixture_.db->exec("UPDATE rm_schedule SET revision = " + number_text(revision_ + 1) + " WHERE job = " + number_text(id));
  for (const auto& job : require(firings().edits_since(revision_, 100)))
    jobs_[core::number(job.spec->id)] = job;
  ++revision_;
}

void random_history::remove() {
  if (pick(2) == 0 && !runs_.empty()) {
    auto id = runs_[pick(runs_.size())].id;
    fixture_.db->exec("DELETE FROM xxl_job_log WHERE id = " + number_text(core::number(id)));
    return say("removed " + name(id));
  }
  // Its intents stay, and the planner keeps its state of the job.
  auto id = number_text(pick(job_count) + 1);
  fixture_.db->exec("DELETE FROM xxl_job_info WHERE id = " + id);
  fixture_.db->exec("DELETE FROM rm_schedule WHERE job = " + id);
}

void random_history::change_incarnation() {
  auto& life = lives_[pick(lives_.size())];
  switch (pick(3)) {
  case 0: return require(cluster().leave(life));
  case 1: life = require(cluster().enter(life.node, "x")); break;
  default:
    for (const auto& node : require(cluster().nodes()))
      if (node.id == life.node)
        say("fence: " + number_text(static_cast<int>(require(cluster().fence(node)))));
  }
}

void random_history::sweep() {
  say("abandoned: " + number_text(require(firings().fail_abandoned(now_ - 10s, 1000)).failed));
  std::string line = "waiting:";
  std::vector<std::string> names;
  for (const auto& intent : require(firings().waiting_intents(now_, 1000)))
    names.push_back(name(intent.id));
  std::sort(names.begin(), names.end());
  for (const auto& text : names)
    line += ' ' + text;
  say(std::move(line));
}

void random_history::dump() {
  for (const auto& row : require(stores_[0]->logs().rows_after(core::log_id{0}, 1'000'000)))
    say(name(row.id) + ' ' + number_text(core::number(row.job)) + ' ' + row.executor_address + ' ' + row.executor_param + ' ' +
        row.executor_sharding_param + ' ' + number_text(row.fail_retry_count) + ' ' + number_text(core::to_ms(row.trigger_time)) +
        ' ' + number_text(row.trigger_code) + ' ' + row.trigger_msg + ' ' + number_text(row.handle_code) + ' ' + row.handle_msg +
        ' ' + number_text(row.alarm_status) + ' ' + number_text(row.handle_time ? core::to_ms(*row.handle_time) : -1));
  auto dump_table = [this](const std::string& what, const std::string& sql, std::size_t log_column) {
    std::vector<std::string> texts;
    for (auto& row : fixture_.db->query(sql)) {
      std::string text = what;
      for (std::size_t i = 0; i < row.size(); ++i)
        text += ' ' + (i == log_column ? name(core::log_id{std::stoll(row[i])}) : row[i]);
      texts.push_back(text);
    }
    std::sort(texts.begin(), texts.end());
    lines_.insert(lines_.end(), texts.begin(), texts.end());
  };
  dump_table("failed", "SELECT log_id, job, fire_ms FROM rm_failed_run", 0);
  dump_table("intent",
             "SELECT origin_log_id, kind, job, fire_ms, shard, shard_total, param, retry_left, state, node, incarnation, "
             "created_ms FROM rm_intent",
             0);
  dump_table("claim", "SELECT first_log_id, node, incarnation, maybe_sent FROM rm_claim", 0);
  dump_table("schedule", "SELECT job, next_ms, last_ms, revision FROM rm_schedule", 99);
  dump_table("status", "SELECT id, trigger_status FROM xxl_job_info", 99);
}

} // namespace ringmaster::test

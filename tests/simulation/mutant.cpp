#include "tests/simulation/mutant.hpp"

#include <algorithm>
#include <map>

#include "tests/support/forwarding_jobs.hpp"
#include "tests/support/forwarding_store.hpp"

namespace ringmaster::simulation {

namespace {

using test::forwarding_store;

/// A process that starts, or comes back after its deadline, takes its former incarnation again.
class old_incarnation final : public forwarding_store {
public:
  using forwarding_store::forwarding_store;

private:
  core::result<core::node_incarnation> enter(const std::string& node, const std::string& address,
                                      const core::entry_terms& entry) override {
    auto rows = inner_.cluster().nodes();
    if (rows)
      for (const auto& row : *rows)
        if (row.id == node && row.state == core::node_state::up)
          return core::node_incarnation{node, row.incarnation};
    return forwarding_store::enter(node, address, entry);
  }
};

/// An adopter reads the orphans before another one has taken them, and does not see that they are gone.
class adopts_without_winning final : public forwarding_store {
public:
  using forwarding_store::forwarding_store;

private:
  core::result<std::vector<core::adopted_run>> adopt(const core::node_incarnation& owner, std::int64_t sequence,
                                                     std::size_t limit) override {
    auto mine = forwarding_store::adopt(owner, sequence, limit);
    if (!mine)
      return mine;
    auto next = sequence;
    for (const auto& run : *mine) {
      next = std::max(next, run.claim + 1);
      taken_.push_back({owner.node, run});
      believed_[owner.node].push_back(run.id);
    }
    for (const auto& [node, run] : taken_) {
      auto& known = believed_[owner.node];
      if (node == owner.node || std::find(known.begin(), known.end(), run.id) != known.end() || is_decided(run.id))
        continue;
      known.push_back(run.id);
      twice_[owner.node].push_back(run.id);
      mine->push_back(run);
      mine->back().claim = next++;
    }
    return mine;
  }
  core::result<std::vector<bool>> permit_resend(const core::node_incarnation& owner,
                                                std::span<const core::resend> runs) override {
    auto granted = forwarding_store::permit_resend(owner, runs);
    if (granted)
      for (std::size_t i = 0; i < runs.size(); ++i)
        if (!(*granted)[i] && std::erase(twice_[owner.node], runs[i].run) > 0 && !is_decided(runs[i].run))
          (*granted)[i] = true;
    return granted;
  }
  [[nodiscard]] bool is_decided(core::log_id id) {
    std::vector<core::log_id> one{id};
    auto rows = inner_.logs().rows(one);
    return !rows || rows->empty() || rows->front().trigger_code != 0 || rows->front().handle_code != 0;
  }

  std::vector<std::pair<std::string, core::adopted_run>> taken_;
  std::map<std::string, std::vector<core::log_id>> believed_;
  std::map<std::string, std::vector<core::log_id>> twice_;
};

/// The decision about an unknown run does not check whether its result is there.
class blind_to_results final : public forwarding_store {
public:
  using forwarding_store::forwarding_store;

private:
  core::result<std::vector<core::log_row>> rows(std::span<const core::log_id> ids) override {
    auto found = forwarding_store::rows(ids);
    if (found)
      for (auto& row : *found)
        row.handle_code = 0;
    return found;
  }
  core::result<std::vector<core::adopted_run>> adopt(const core::node_incarnation& owner, std::int64_t sequence,
                                                     std::size_t limit) override {
    auto runs = forwarding_store::adopt(owner, sequence, limit);
    if (runs)
      for (auto& run : *runs)
        run.handle_code = 0;
    return runs;
  }
  core::result<std::vector<bool>> permit_resend(const core::node_incarnation& owner,
                                                std::span<const core::resend> runs) override {
    auto granted = forwarding_store::permit_resend(owner, runs);
    if (granted)
      for (std::size_t i = 0; i < runs.size(); ++i)
        if (std::find(permitted_.begin(), permitted_.end(), runs[i].run) == permitted_.end()) {
          permitted_.push_back(runs[i].run);
          (*granted)[i] = true;
        }
    return granted;
  }

  std::vector<core::log_id> permitted_;
};

/// A failure that a fenced owner met is recorded as if its incarnation were current.
class fenced_owner_fails final : public forwarding_store {
public:
  using forwarding_store::forwarding_store;

private:
  core::result<core::record_outcome> record(const core::record_batch& batch, core::time_point now) override {
    auto changed = batch;
    if (auto rows = inner_.cluster().nodes())
      for (const auto& row : *rows)
        if (row.state == core::node_state::up)
          changed.owner = {row.id, row.incarnation};
    changed.resolved_claims.clear();
    auto outcome = forwarding_store::record(changed, now);
    if (!batch.resolved_claims.empty()) {
      core::record_batch claims{.owner = batch.owner, .triggers = {}, .callbacks = {}, .resolved_claims = batch.resolved_claims};
      static_cast<void>(forwarding_store::record(claims, now));
    }
    return outcome;
  }
};

/// A run whose delivery is unknown keeps its retries.
class retries_the_unknown final : public forwarding_store {
public:
  using forwarding_store::forwarding_store;

private:
  core::result<core::record_outcome> record(const core::record_batch& batch, core::time_point now) override {
    auto changed = batch;
    for (auto& trigger : changed.triggers)
      trigger.delivery_unknown = false;
    return forwarding_store::record(changed, now);
  }
};

/// Retries and children come in a transaction after the one that causes them.
class decides_later final : public forwarding_store {
public:
  decides_later(storage::store& inner, mutant_tools& tools) : forwarding_store{inner}, what_{tools.decisions} {}

private:
  core::result<core::record_outcome> record(const core::record_batch& batch, core::time_point now) override {
    auto outcome = forwarding_store::record(batch, now);
    what_.last.clear();
    if (outcome)
      for (const auto& intent : outcome->intents)
        what_.last.push_back(core::number(intent.id));
    return outcome;
  }
  core::result<std::vector<core::intent>> waiting_intents(const core::intent_search& search) override {
    auto found = forwarding_store::waiting_intents(search);
    if (found)
      std::erase_if(*found, [&](const core::intent& one) { return what_.lost.contains(core::number(one.id)); });
    return found;
  }

  lost_decisions& what_;
};

/// A node does not search the store for claims of its own that it has forgotten.
class forgets_own_claims final : public forwarding_store {
public:
  using forwarding_store::forwarding_store;

private:
  core::result<std::vector<std::int64_t>> open_claims(const core::node_incarnation&) override {
    return std::vector<std::int64_t>{};
  }
};

/// Edits are answered at once, whatever was claimed before.
class answers_edits_at_once final : public forwarding_store, private test::forwarding_jobs {
public:
  explicit answers_edits_at_once(storage::store& inner) : forwarding_store{inner}, forwarding_jobs{inner.jobs()} {}
  storage::job_store& jobs() override { return *this; }

private:
  core::result<std::size_t> runs_on_their_way(std::span<const core::job_id>) override { return std::size_t{0}; }
};

template <class Store>
std::unique_ptr<storage::store> without(storage::store& inner, mutant_tools&) {
  return std::make_unique<Store>(inner);
}

bool is_run(const protocol::http_call& call) { return call.target.ends_with("/run"); }

void repeat_is_a_failure(const protocol::http_call& call, protocol::http_result& result) {
  if (is_run(call) && result.body.find("repeat trigger job") != std::string::npos)
    result.body = R"({"code":500,"msg":"refused"})";
}

void unknown_is_a_failure(const protocol::http_call& call, protocol::http_result& result) {
  if (is_run(call) && result.state == protocol::delivery::unknown)
    result.state = protocol::delivery::not_sent;
}

} // namespace

const std::vector<mutant>& all_mutants() {
  static const std::vector<mutant> all{
    {.rule = "newinc", .store = without<old_incarnation>},
    {.rule = "repeatok", .answer = repeat_is_a_failure},
    {.rule = "unknown", .answer = unknown_is_a_failure},
    {.rule = "adoptcas", .store = without<adopts_without_winning>},
    {.rule = "handfirst", .store = without<blind_to_results>},
    {.rule = "ownerfail", .store = without<fenced_owner_fails>},
    {.rule = "noretry", .store = without<retries_the_unknown>},
    {.rule = "askorder", .log_first = true},
    {.rule = "retrytx",
     .store = [](storage::store& inner, mutant_tools& tools) -> std::unique_ptr<storage::store> {
       return std::make_unique<decides_later>(inner, tools);
     },
     .decides_apart = true},
    {.rule = "selfrec", .store = without<forgets_own_claims>},
    {.rule = "editwait", .store = without<answers_edits_at_once>},
  };
  return all;
}

const std::vector<mutant>& shared_mutants() {
  static const std::vector<mutant> all{
    {.rule = "reservelock", .shared = {.reserves_under_lock = false}},
    {.rule = "editlock", .shared = {.edits_under_lock = false}},
    {.rule = "keeplast", .shared = {.keeps_last = false}},
    {.rule = "keepreserved", .shared = {.keeps_reserved = false}},
    {.rule = "lookagain", .shared = {.looks_again = false}},
    {.rule = "remember", .shared = {.remembers_taken = false}},
    {.rule = "backinorder", .shared = {.gives_back_in_order = false}},
    {.rule = "backdue", .shared = {.gives_back_due = false}},
    {.rule = "takenext", .shared = {.takes_over_next = false}},
    {.rule = "closetable", .shared = {.closes_table = false}},
    {.rule = "stayclosed", .shared = {.stays_closed = false}},
  };
  return all;
}

const mutant* find_mutant(const std::string& rule) {
  for (const auto* all : {&all_mutants(), &guard_mutants(), &slot_mutants(), &shared_mutants()})
    for (const auto& one : *all)
      if (one.rule == rule)
        return &one;
  return nullptr;
}

} // namespace ringmaster::simulation

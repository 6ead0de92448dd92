#pragma once

// Tells the checker of every commit that the protocol is about, also of those whose answer is lost.

#include "tests/simulation/checker.hpp"
#include "tests/support/forwarding_store.hpp"

namespace ringmaster::simulation {

class witness_store final : public test::forwarding_store {
public:
  witness_store(storage::store& inner, protocol_checker& checker) : forwarding_store{inner}, checker_{checker} {}

private:
  core::result<core::claim_outcome> claim(const core::claim_batch& batch, core::time_point now) override {
    auto outcome = forwarding_store::claim(batch, now);
    if (outcome)
      checker_.claimed(batch, *outcome, now);
    return outcome;
  }
  core::result<core::record_outcome> record(const core::record_batch& batch, core::time_point now) override {
    auto outcome = forwarding_store::record(batch, now);
    if (outcome)
      checker_.recorded(batch, *outcome);
    return outcome;
  }
  core::result<std::vector<core::adopted_run>> adopt(const core::node_life& owner, std::int64_t sequence,
                                                     std::size_t limit) override {
    auto runs = forwarding_store::adopt(owner, sequence, limit);
    if (runs)
      checker_.adopted(owner, *runs);
    return runs;
  }
  core::result<core::deploy_report> apply(const core::declared_set& declared, bool dry_run, bool prune,
                                          core::time_point now) override {
    auto report = forwarding_store::apply(declared, dry_run, prune, now);
    if (report && !dry_run)
      checker_.edited(declared.revision, report->edited);
    return report;
  }
  core::result<std::vector<bool>> permit_resend(const core::node_life& owner, std::span<const core::resend> runs) override {
    auto granted = forwarding_store::permit_resend(owner, runs);
    if (granted)
      checker_.permitted(owner, runs, *granted);
    return granted;
  }
  core::result<core::node_life> enter(const std::string& node, const std::string& address) override {
    auto life = forwarding_store::enter(node, address);
    if (life)
      checker_.entered(*life);
    return life;
  }
  core::result<bool> fence(const core::node_row& seen) override {
    auto done = forwarding_store::fence(seen);
    if (done && *done)
      checker_.fenced(seen);
    return done;
  }
  core::result<void> leave(const core::node_life& life) override {
    auto done = forwarding_store::leave(life);
    if (done)
      checker_.left(life);
    return done;
  }

  protocol_checker& checker_;
};

} // namespace ringmaster::simulation

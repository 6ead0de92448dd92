// Mutants of nodes that come and go.

#include "tests/simulation/mutant.hpp"
#include "tests/support/forwarding_store.hpp"

namespace ringmaster::simulation {

namespace {

using test::forwarding_store;

/// A node that stops plans nothing more, and the others do not notice before it is down.
class leaves_silently final : public forwarding_store {
public:
  using forwarding_store::forwarding_store;

private:
  core::result<void> serve(const core::node_incarnation& life, bool serves) override {
    return serves ? forwarding_store::serve(life, true) : core::result<void>{};
  }
};

/// A node that starts takes its slots before it knows their jobs.
class joins_without_jobs final : public forwarding_store {
public:
  using forwarding_store::forwarding_store;

private:
  core::result<core::node_incarnation> enter(const std::string& node, const std::string& address,
                                             const core::entry_terms& entry) override {
    auto changed = entry;
    changed.serves = true;
    return forwarding_store::enter(node, address, changed);
  }
};

template <class Store>
std::unique_ptr<storage::store> leaving_out(storage::store& inner, mutant_tools&) {
  return std::make_unique<Store>(inner);
}

} // namespace

const std::vector<mutant>& slot_mutants() {
  static const std::vector<mutant> all{
    {.rule = "leaveearly", .store = leaving_out<leaves_silently>, .breaks = "handed_over"},
    {.rule = "joinearly", .store = leaving_out<joins_without_jobs>, .breaks = "handed_over"},
  };
  return all;
}

} // namespace ringmaster::simulation

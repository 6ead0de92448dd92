// A world in which Java admins plan, too.

#include <utility>

#include "tests/simulation/node.hpp"
#include "tests/simulation/world.hpp"
#include "tests/support/virtual_time.hpp"

namespace ringmaster::simulation {

namespace {

constexpr span switch_retry = 100ms;
/// Time after which `takeover` cuts the connections of the nodes; it gives up after three times as long.
constexpr span switch_patience = 5s;

} // namespace

void world::begin_shared() {
  shared_ = database_->make_schedule({.rules = rule_off_ ? rule_off_->shared : shared_rules{},
                                      .checker = shared_checker_,
                                      .now = [this] { return true_time(); },
                                      .ended = [this](const core::node_incarnation& life) { checker_.ended_by_switch(life); }});
  for (std::size_t i = 0; i < what_.java.size(); ++i)
    java_.push_back(
      std::make_unique<java_admin>(*this, *shared_, shared_checker_, "java-" + std::to_string(i + 1), what_.java[i]));
}

void world::schedule_java() {
  for (auto& admin : java_)
    admin->start();
  for (const auto& one : what_.console)
    at(one.at, [this, &one] { java_.at(one.admin)->edit(one); });
  for (const auto& one : what_.stops)
    at(one.at, [this, &one] { node(one.node)->stop(one.lasts); });
  for (const auto& one : what_.switches)
    at(one.at, [this, &one] {
      say(one.to == core::cluster_mode::native ? "takeover" : "takeover --back");
      if (shared_->announce(one.to) && !one.dies)
        try_switch(one.to, now_);
    });
}

void world::try_switch(core::cluster_mode to, span since) {
  if (now_ - since > switch_patience && node(shared_->lock_holder()) != nullptr)
    shared_->cut_lock();
  if (!shared_->lock("takeover") && now_ - since <= 3 * switch_patience)
    return after(switch_retry, [this, to, since] { try_switch(to, since); });
  if (shared_->lock_holder() != "takeover") {
    say("the switch gives up");
    shared_checker_.switch_failed();
    return shared_->give_up();
  }
  shared_->switch_mode(to);
  shared_->unlock("takeover");
  checker_.switched();
  say(std::string{"the mode is now "} + std::string{core::stored_name(to)} + ".");
}

std::vector<std::string> world::due_in_table() {
  std::vector<std::string> due;
  if (!shared_)
    return due;
  if (shared_->mode().switching)
    due.emplace_back("the mode is being switched");
  if (shared_->mode().mode == core::cluster_mode::shared)
    for (const auto& row : shared_->table().due(test::virtual_time::start + std::chrono::hours{24}))
      due.push_back("job " + std::to_string(core::number(row.id)) + " is due in the table");
  return due;
}

} // namespace ringmaster::simulation

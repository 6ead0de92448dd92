#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "protocol/messages.hpp"

namespace ringmaster::actors {

/// Executors in the registry, now and since this process began. Invariant: the listed addresses are those of the last view, and
/// an address of an automatic group is remembered after it left, up to a limit. Part of the state of lost_monitor.
class known_executors {
public:
  /// Maximum of addresses that are remembered.
  static constexpr std::size_t remembered_max = 100'000;

  /// Takes a new view. Returns the addresses that left the list.
  std::vector<std::string> update(std::shared_ptr<const protocol::registry_view> view) {
    view_ = std::move(view);
    auto before = std::exchange(listed_, {});
    for (const auto& [id, group] : view_->groups)
      for (const auto& address : group.addresses) {
        listed_.insert(address);
        if (group.type == core::address_type::automatic && once_registered_.size() < remembered_max)
          once_registered_.insert(address);
      }
    std::erase_if(before, [this](const auto& address) { return listed_.contains(address); });
    return {before.begin(), before.end()};
  }

  [[nodiscard]] const std::unordered_set<std::string>& listed() const noexcept { return listed_; }
  /// Returns true if executors of the group register themselves, or if this address did at some time of this process.
  [[nodiscard]] bool was_registered(core::group_id group, const std::string& address) const {
    const auto found = view_->groups.find(core::number(group));
    return (found != view_->groups.end() && found->second.type == core::address_type::automatic)
           || once_registered_.contains(address);
  }

private:
  std::shared_ptr<const protocol::registry_view> view_ = std::make_shared<protocol::registry_view>();
  std::unordered_set<std::string> listed_;
  std::unordered_set<std::string> once_registered_;
};

} // namespace ringmaster::actors

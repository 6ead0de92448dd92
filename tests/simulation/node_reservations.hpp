#pragma once

// Reservations on one connection of a node, with the node's faults.

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "storage/reservations.hpp"
#include "tests/simulation/shared_schedule.hpp"
#include "tests/support/faulty_store.hpp"

namespace ringmaster::simulation {

class node_reservations final : public storage::reservation_store {
public:
  struct surroundings {
    std::function<test::store_fault(std::string_view method)> fault_of;
    std::function<void(std::string_view method)> after;
    std::function<core::time_point()> civil;
  };

  node_reservations(shared_schedule& of, std::string node, surroundings seen)
    : of_{of}, node_{std::move(node)}, seen_{std::move(seen)} {}

  core::result<core::mode_state> mode() override {
    return call("mode", [&]() -> core::result<core::mode_state> { return of_.mode(); });
  }
  core::result<core::reserve_outcome> reserve(const core::node_incarnation& owner, const core::reserve_window& window) override {
    return call("reserve", [&] { return of_.reserve(owner, window); });
  }
  core::result<std::vector<core::job_id>> unplanned() override { return std::vector<core::job_id>{}; }
  core::result<core::drop_outcome> drop(const core::node_incarnation& owner,
                                        std::span<const core::dropped_instant> instants) override {
    return call("drop", [&] { return of_.drop(owner, instants, seen_.civil()); });
  }
  core::result<std::size_t> put_back(const core::node_incarnation& owner) override {
    return call("put_back", [&] { return of_.put_back(owner); });
  }
  core::result<std::size_t> forget(core::time_point before, std::size_t limit) override {
    return call("forget", [&] { return of_.forget(before, limit); });
  }
  core::result<bool> hold() override {
    return call("hold", [&]() -> core::result<bool> { return of_.hold(node_); });
  }
  core::result<void> let_go() override {
    return call("let_go", [&]() -> core::result<void> {
      of_.unlock(node_);
      return {};
    });
  }
  /// Used by a command only, not by a node.
  core::result<core::mode_switch> switch_mode(core::cluster_mode, core::milliseconds) override {
    return core::fail(core::errc::unsupported, "not from a node");
  }
  core::result<core::note_rewrite> rewrite_notes(core::log_id) override {
    return core::fail(core::errc::unsupported, "not from a node");
  }

private:
  template <class Call>
  auto call(std::string_view method, Call make) -> decltype(make()) {
    const auto fault = seen_.fault_of(method);
    if (fault == test::store_fault::away)
      return core::fail(core::errc::unavailable, "the database is away");
    auto outcome = make();
    seen_.after(method);
    if (fault == test::store_fault::answer_lost)
      return core::fail(core::errc::unavailable, "the answer was lost");
    if (fault == test::store_fault::answer_wrong)
      return core::fail(core::errc::internal, "the driver is confused");
    return outcome;
  }

  shared_schedule& of_;
  std::string node_;
  surroundings seen_;
};

} // namespace ringmaster::simulation

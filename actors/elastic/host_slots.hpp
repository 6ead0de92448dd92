#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "core/elastic/host.hpp"
#include "protocol/elastic_messages.hpp"

namespace ringmaster::actors {

/// Free slots of the hosts, counted for all elastic jobs of a node: those of the last heartbeats, changed by what each job has
/// granted and heard since. Otherwise jobs that fire in one instant would grant the same slot, and the host would refuse all runs
/// but one. Grants of other nodes are not counted. Any thread; holds its lock for microseconds.
class host_slots {
public:
  /// Changes that one job has made since the last list of hosts. Owned by one actor.
  class share {
  public:
    explicit share(std::shared_ptr<host_slots> slots) : slots_{std::move(slots)} {}
    ~share();
    share(const share&) = delete;
    share& operator=(const share&) = delete;

    /// Takes the slots of a new list, if this is the only share.
    void set(const protocol::known_hosts& known) {
      slots_->set(known);
      slots_->wake();
    }
    /// Returns the free slots of a host; may be negative.
    [[nodiscard]] std::int32_t free(core::elastic::host_number host) const;
    /// Takes a slot if there is a free one.
    [[nodiscard]] bool take(core::elastic::host_number host);
    /// Adds free slots, or takes them away if negative.
    void add(core::elastic::host_number host, std::int32_t slots);
    /// Takes all free slots of a host.
    void take_all(core::elastic::host_number host);
    /// Takes the changes back.
    void clear();
    /// Takes the changes back with the next list: an idle job does not get each.
    void end_with_list();

    /// Calls `wake` from the thread that frees a slot, with the lock held: it may only send a message.
    void set_wake(std::function<void()> wake) { wake_ = std::move(wake); }
    /// Waits once for a free slot of a host. Waiting jobs are woken first come, first served, and a woken job holds a slot until
    /// `relay`: the job that has freed it must not take it back each time.
    void await(core::elastic::host_number host);
    /// Returns whether the job was woken since the last call.
    [[nodiscard]] bool take_wake();
    /// Gives up the slots that it holds and has not taken, and wakes other jobs for those that are free.
    void relay();

  private:
    friend class host_slots;
    using slot_list = std::vector<std::pair<std::int32_t, std::int32_t>>;
    /// Returns the place of a host in a list, which is added if it is not there.
    static std::int32_t& place_of(slot_list& all, std::int32_t host);
    void change(std::int32_t host, std::int32_t slots);
    [[nodiscard]] std::int32_t held(std::int32_t host) const;

    std::shared_ptr<host_slots> slots_;
    /// By number of the host, ascending. Most jobs have none at a moment. Guarded by the lock of `slots_`.
    slot_list changes_;
    /// Slots for which it was woken, by number of the host; in `changes_` they are taken. Guarded by the same lock.
    slot_list held_;
    std::function<void()> wake_;
    bool is_woken_ = false;
  };

  /// Takes the slots of a new list. `wake` follows, once the list was sent to the jobs: they look for slots with it anyway.
  void set(const protocol::known_hosts& known);
  /// Wakes jobs that wait for a slot that is free.
  void wake();

private:
  [[nodiscard]] std::int32_t free(std::int32_t host) const;
  void clear(share& of);
  void wake_waiting();
  void wake_first(std::int32_t host, std::deque<share*>& waiting);

  std::mutex mutex_;
  /// By number of the host, as in the list.
  std::map<std::int32_t, std::int32_t> known_;
  /// Sums of the changes of all shares.
  std::map<std::int32_t, std::int32_t> changes_;
  std::set<share*> idle_;
  /// Jobs that wait for a slot, by number of the host.
  std::map<std::int32_t, std::deque<share*>> waiting_;
};

} // namespace ringmaster::actors

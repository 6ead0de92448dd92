#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "core/elastic/store_ops.hpp"
#include "core/run/run.hpp"
#include "protocol/elastic_messages.hpp"

namespace ringmaster::actors {

/// Writes of coordinators that wait for the store, in the order of their arrival, and the batch under way. Writes of one job are
/// never reordered: a mark may precede the end of the run that it belongs to. The store locks rows in the order of their keys
/// whatever the order of the writes. Invariant: the batch under way has the first messages of the queue. Bounded by the
/// coordinators, which wait for answers. Pure state of elastic_writer.
class write_queue {
public:
  /// Answer to all writes of one message.
  struct answered {
    protocol::elastic_coordinator to;
    protocol::elastic_stored what;
  };
  using answers = std::vector<answered>;
  using batch_ptr = std::shared_ptr<const core::elastic::elastic_batch>;

  /// Adds a message with at least one write.
  void add(protocol::elastic_ops&& message);

  [[nodiscard]] bool empty() const noexcept { return messages_.empty(); }
  /// Returns the batch under way; null: there is none.
  [[nodiscard]] batch_ptr under_way() const noexcept { return batch_; }

  /// Begins the next batch: as many messages as have room. A message that is larger than a batch is divided between writes.
  /// Requires a message, and no batch under way.
  [[nodiscard]] batch_ptr begin(const core::node_incarnation& owner);

  // Each ends the batch under way, and returns the messages that are answered completely.

  /// `stored` has one answer for each write of the batch.
  [[nodiscard]] answers finish(std::vector<core::elastic::elastic_answer>&& stored);
  /// The store refused the batch because of its content. Its messages are tried again, one by one; a message that was alone has
  /// lost its guards. `lost` becomes true for such a message.
  [[nodiscard]] answers refuse(bool& lost);
  /// The incarnation of the batch is over: all writes of its messages are fenced.
  [[nodiscard]] answers fence();

  /// Fences the messages that are not part of the batch under way.
  [[nodiscard]] answers fence_waiting();

private:
  struct waiting {
    protocol::elastic_ops message;
    /// Answers to its first writes.
    std::vector<core::elastic::elastic_answer> answers;
  };

  /// Moves writes of a message into the batch. Returns the number of item writes that still have room.
  std::size_t take(waiting& from, std::size_t room);
  /// Ends the batch with the same outcome for all of its writes.
  [[nodiscard]] answers finish_all(core::elastic::write_outcome outcome);
  /// Fences the writes of a message that have no answer yet.
  static void fence_rest(waiting& of);
  [[nodiscard]] bool agrees(const core::elastic::slot_lease& lease) const;
  [[nodiscard]] answers pop_answered(std::size_t messages);

  std::deque<waiting> messages_;
  std::shared_ptr<core::elastic::elastic_batch> batch_;
  /// Number of writes of each of the first messages that are in the batch.
  std::vector<std::size_t> taken_;
  /// Number of messages that must be alone in their batch.
  std::size_t alone_ = 0;
};

} // namespace ringmaster::actors

#pragma once

// The conditions of E4 to E10, decided on rows in memory: one home for both databases.

#include "storage/elastic/batch_rows.hpp"

namespace ringmaster::storage {

/// Decides the ops of one batch, one after another. An op that loses changes nothing.
class batch_rules {
public:
  explicit batch_rules(batch_rows& rows) : rows_{rows} {}

  /// Decides one op. `answer` stays where it is until the rows are written.
  void decide(const core::elastic::elastic_op& op, core::elastic::elastic_answer& answer);

private:
  void decide(const core::elastic::fire_write& op, core::elastic::elastic_answer& answer);
  /// Notes the items that the request of a fire owes.
  void mark_lost(const core::elastic::fire_write& op, const core::elastic::elastic_answer& answer);
  void owe_rest(const core::elastic::fire_write& op, const core::elastic::elastic_answer& answer);
  void decide(const core::elastic::fire_step_write& op, core::elastic::elastic_answer& answer);
  /// `tries`: the write may happen; otherwise an earlier call has done it, or it is lost.
  void decide_item(const core::elastic::item_write& what, bool tries, core::elastic::item_answer& answer);

  using outcome = core::elastic::write_outcome;
  outcome grant(const item_key& key, held_item* row, const core::elastic::item_grant& what, bool tries,
                core::elastic::item_answer& answer);
  outcome end(const item_key& key, held_item* row, const core::elastic::item_write& what, bool tries,
              core::elastic::item_answer& answer);
  outcome lose(const item_key& key, held_item* row, const core::elastic::item_write& what, bool tries,
               core::elastic::item_answer& answer);
  outcome end_wait(const item_key& key, held_item* row, const core::elastic::item_write& what, bool tries,
                   core::elastic::item_answer& answer);
  outcome mark(held_item* row, const core::elastic::write_mark& what, bool tries);
  outcome remove(held_item* row, bool tries);
  outcome save_cursor(const item_key& key, held_item* row, const core::elastic::write_cursor& what, bool tries);
  /// Closes the run of an open row, with its alarm, and gives the row its next state.
  template <class RunEnd>
  void close(const item_key& key, held_item& row, const RunEnd& how, const core::elastic::item_write& what,
             core::elastic::item_answer& answer);
  /// Gives the row its next state, and the next grant if its conditions hold.
  void go_on(const item_key& key, held_item& row, const core::elastic::item_next& next, const core::elastic::item_write& what,
             core::elastic::item_answer& answer);
  /// Answers a write whose conditions do not hold: repeated if the run has this end.
  outcome after_loss(const item_key& key, held_item* row, core::elastic::item_run_id run, core::elastic::item_run_end how,
                     const core::elastic::item_next& next, core::elastic::item_answer& answer);

  batch_rows& rows_;
};

} // namespace ringmaster::storage

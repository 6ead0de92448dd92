#pragma once

#include "executor/sdk/elastic/item_context.hpp"

namespace ringmaster::executor::elastic {

/// A job in the form of a class. Items of one job run at the same time: an object that several runs share must allow it.
struct simple_job {
  virtual ~simple_job() = default;
  /// Runs one item. May block. An exception fails the run, with the exception's text.
  virtual void execute(item_context& context) = 0;
};

} // namespace ringmaster::executor::elastic

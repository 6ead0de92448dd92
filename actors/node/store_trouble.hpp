#pragma once

// Failures of the store, as a node reports them.

#include <string>
#include <utility>

#include "actors/logger.hpp"
#include "core/result.hpp"

namespace ringmaster::actors {

/// Last failure of the store. Invariant: its text is empty while the store answers, and the log has one line for the first
/// failure and one for the first answer after it. Part of the state of node_actor.
class store_trouble {
public:
  store_trouble(std::string node, logger log) : node_{std::move(node)}, log_{std::move(log)} {}

  /// Records a failed request; a store that refuses one does answer.
  void note_failure(const core::error& error) {
    // After a conflict, the row changed while it was read: it is read again.
    if (error.code == core::errc::conflict || error.code == core::errc::fenced)
      return;
    if (text_.empty())
      log_->warn("node={} the database does not answer: {}: {}", node_, core::to_string(error.code), error.context);
    text_ = error.context.empty() ? std::string{core::to_string(error.code)} : error.context;
  }

  void note_success() {
    if (!text_.empty())
      log_->info("node={} the database answers again", node_);
    text_.clear();
  }

  [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
  std::string node_;
  logger log_;
  std::string text_;
};

} // namespace ringmaster::actors

#pragma once

// Calls of the error handler that a program has added, for the failed items of one job.

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "executor/sdk/elastic/error_handler.hpp"

namespace ringmaster::executor::elastic {

using error_handler_factories = std::map<std::string, error_handler_factory, std::less<>>;

/// Outcome of one call.
struct handled_error {
  error_verdict verdict = error_verdict::proceed;
  /// Why the handler could not do its work; empty: it did.
  std::string trouble = {};
};

/// Error handler of one job. Made at the first failure, and again when its name or the props of the job change. Any thread; each
/// call blocks as long as the handler does, and those before it.
class job_errors {
public:
  explicit job_errors(std::shared_ptr<const error_handler_factories> known) : known_{std::move(known)} {}

  /// Lets the handler of this name handle a failure. `props`: in the canonical form. Never throws.
  [[nodiscard]] handled_error handle(const std::string& name, const std::string& props, const item_failure& failure);

private:
  [[nodiscard]] std::string make(const std::string& name, const std::string& props);

  const std::shared_ptr<const error_handler_factories> known_;
  std::mutex guard_;
  std::string name_;
  std::string props_;
  /// Null: not made yet, or its factory or `configure` failed.
  std::shared_ptr<error_handler> handler_;
};

} // namespace ringmaster::executor::elastic

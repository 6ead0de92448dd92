#pragma once

// Access token of all executors, which may be replaced while the server runs.

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "core/access/access_token.hpp"

namespace ringmaster::protocol {

/// Handle to the common token of a running node. Copies share the token. Any thread.
class access_token_source {
public:
  // Implicit: a parameter of this type also accepts a fixed token.
  access_token_source(core::common_tokens tokens) : holder_{std::make_shared<holder>()} { replace(std::move(tokens)); }
  access_token_source(std::string current) : access_token_source{core::common_tokens{std::move(current)}} {}
  access_token_source(const char* current) : access_token_source{std::string{current}} {}

  /// Returns the current tokens; never null. A different pointer means that the tokens were replaced.
  [[nodiscard]] std::shared_ptr<const core::common_tokens> get() const {
    const std::lock_guard lock{holder_->mutex};
    return holder_->tokens;
  }

  void replace(core::common_tokens tokens) {
    auto fresh = std::make_shared<const core::common_tokens>(std::move(tokens));
    const std::lock_guard lock{holder_->mutex};
    holder_->tokens = std::move(fresh);
  }

private:
  struct holder {
    std::mutex mutex;
    std::shared_ptr<const core::common_tokens> tokens;
  };
  std::shared_ptr<holder> holder_;
};

} // namespace ringmaster::protocol

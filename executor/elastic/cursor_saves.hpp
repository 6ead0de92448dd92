#pragma once

// Saves of the cursor of one item run that wait until a node has stored it.

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "core/result.hpp"
#include "executor/elastic/boot_clock.hpp"
#include "executor/sdk/elastic/item_context.hpp"

namespace ringmaster::executor::elastic {

/// The saves of one run, numbered from 1. A stored value ends the waits of all saves up to its own. Any thread. Functions that
/// are called with an outcome must neither block nor save.
class cursor_saves {
public:
  using saved = std::function<void(core::result<void>)>;
  /// Passes a value on; called in the order of the numbers. Must not block.
  using sender = std::function<void(std::uint64_t number, std::string&& value)>;

  cursor_saves() = default;
  cursor_saves(const cursor_saves&) = delete;
  cursor_saves& operator=(const cursor_saves&) = delete;
  /// Ends all waits with `unavailable`.
  ~cursor_saves();

  /// Sets the way to the nodes. Saves before it fail with `unavailable`.
  void open(sender send);
  /// Begins a save. Errors, by `done`: `too_large`; that of `end`; `unavailable` after `save_limit`.
  void save(std::string&& value, saved done, boot_time now);
  /// Takes the news that this value is stored.
  void take_stored(std::uint64_t number);
  /// Ends all waits, and refuses later saves. Only the first call has an effect.
  void end(const core::error& why);
  /// Ends the waits whose time limit is over.
  void pass_time(boot_time now);

private:
  struct waiting {
    saved done;
    boot_time until{0};
  };

  std::mutex guard_;
  sender send_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, waiting> waiting_;
  std::optional<core::error> ended_;
};

} // namespace ringmaster::executor::elastic

#pragma once

// The thread that makes the checks of the doctor in a running node.

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "apps/server/declared_bodies.hpp"
#include "core/maintenance/finding.hpp"
#include "protocol/examiner.hpp"

namespace ringmaster::apps {

/// Makes all checks of a configuration and hands over their findings; stops when `take` returns false. Blocks.
using server_checks =
  std::function<void(const assembled& what, const std::function<bool(std::vector<core::finding>&&)>& take)>;

class doctor_thread final : public protocol::examiner {
public:
  /// `what`: its present configuration is checked at each start, with the bound `address` in place of `server.listen`, whose port
  /// may be 0 or was changed since the start.
  doctor_thread(std::shared_ptr<const live_assembly> what, server_checks checks, std::string address)
    : what_{std::move(what)}, checks_{std::move(checks)}, address_{std::move(address)} {}
  /// Blocks until the check that runs has ended.
  ~doctor_thread() override { stop(); }

  bool start(taker take) override;

  /// Leaves out the remaining checks; starts no more. Does not block.
  void leave_rest() { stopping_ = true; }

  /// As `leave_rest`, and blocks until the check that runs has ended. Called before the receiver of findings is destroyed.
  void stop();

private:
  void run(const taker& take);

  std::shared_ptr<const live_assembly> what_;
  server_checks checks_;
  const std::string address_;
  std::atomic<bool> stopping_ = false;
  /// Set while checks run.
  std::atomic<bool> busy_ = false;
  std::mutex guard_;
  /// Guarded; joined before it is replaced.
  std::thread thread_;
};

} // namespace ringmaster::apps

#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "core/run/trigger_request.hpp"

namespace ringmaster::actors {

/// Results in the order of their arrival, and the requests made of them.
class report_queue {
public:
  /// Reports per request: the number that Java executors send, and that proxies with usual limits accept.
  static constexpr std::size_t batch_max = 50;
  /// Encoded size. Messages are sent twice to admins of the old family.
  static constexpr std::size_t batch_bytes_max = 400 * 1024;

  void add(core::run_report&& report);
  /// Puts reports in front of all others.
  void put_back(std::vector<core::run_report>&& reports);
  /// Returns the next request: no run twice, and at least one report if there is any. A duplicate report is taken once.
  [[nodiscard]] std::vector<core::run_report> take(std::size_t reports_max = batch_max);
  /// Appends the waiting reports to `to`.
  void copy_to(std::vector<core::run_report>& to) const { to.insert(to.end(), waiting_.begin(), waiting_.end()); }

  [[nodiscard]] bool empty() const noexcept { return waiting_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return waiting_.size(); }
  /// Returns the approximate size, encoded or in memory, whichever is larger.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
  [[nodiscard]] static std::size_t bytes_of(const core::run_report& report) noexcept;

  std::deque<core::run_report> waiting_;
  std::size_t bytes_ = 0;
};

} // namespace ringmaster::actors

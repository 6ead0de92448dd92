#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "core/run/trigger_request.hpp"

namespace ringmaster::actors {

/// Results in the order in which they came, and the requests that they make.
class report_queue {
public:
  /// Of one request: what Java's executors send, and what a proxy with usual limits lets through.
  static constexpr std::size_t batch_max = 50;
  /// As they are encoded. Messages go out twice to admins of the old family.
  static constexpr std::size_t batch_bytes_max = 400 * 1024;

  void add(core::run_report&& report);
  /// In front of all others.
  void put_back(std::vector<core::run_report>&& reports);
  /// The next request: no run twice, at least one report when there is any. A report that is there twice is taken once.
  [[nodiscard]] std::vector<core::run_report> take(std::size_t reports_max = batch_max);
  /// Behind what `to` holds.
  void copy_to(std::vector<core::run_report>& to) const { to.insert(to.end(), waiting_.begin(), waiting_.end()); }

  [[nodiscard]] bool empty() const noexcept { return waiting_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return waiting_.size(); }
  /// Roughly, encoded or in memory, whichever is more.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
  [[nodiscard]] static std::size_t bytes_of(const core::run_report& report) noexcept;

  std::deque<core::run_report> waiting_;
  std::size_t bytes_ = 0;
};

} // namespace ringmaster::actors

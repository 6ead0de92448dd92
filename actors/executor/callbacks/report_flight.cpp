#include "actors/executor/callbacks/report_flight.hpp"

#include <algorithm>
#include <utility>

namespace ringmaster::actors {

report_flight::report_flight(std::vector<core::run_report>&& reports, unsigned refused_before) : refused_{refused_before} {
  for (auto& report : reports)
    rest_.add(std::move(report));
}

const report_flight::batch_ptr& report_flight::next() {
  batch_ = std::make_shared<const std::vector<core::run_report>>(rest_.take(limit_));
  return batch_;
}

report_flight::step report_flight::accepted() {
  for (const auto& report : *batch_)
    told_.insert(report.run);
  const auto told = batch_->size();
  batch_ = std::make_shared<std::vector<core::run_report>>();
  any_taken_ = true;
  refused_ = 0;
  // If these were accepted, the refused report must be among the remaining ones.
  suspects_ -= std::min(suspects_, told);
  limit_ = suspects_ > 0 ? std::max<std::size_t>(suspects_ / 2, 1) : report_queue::batch_max;
  return onward();
}

report_flight::step report_flight::refused() {
  constexpr unsigned refused_max = 2;
  auto batch = *std::exchange(batch_, std::make_shared<std::vector<core::run_report>>());
  if (batch.size() > 1) {
    suspects_ = batch.size();
    limit_ = suspects_ / 2;
    rest_.put_back(std::move(batch));
    return step::go_on;
  }
  std::move(batch.begin(), batch.end(), std::back_inserter(aside_));
  suspects_ = 0;
  if (any_taken_)
    limit_ = report_queue::batch_max;
  else if (++refused_ >= refused_max)
    return step::give_up;
  return onward();
}

std::vector<core::run_report> report_flight::untold() const {
  auto out = aside_;
  out.insert(out.end(), batch_->begin(), batch_->end());
  rest_.copy_to(out);
  return out;
}

std::size_t report_flight::size() const noexcept { return aside_.size() + batch_->size() + rest_.size(); }

} // namespace ringmaster::actors

#include "bench/watched_half.hpp"

#include "bench/load_place.hpp"
#include "bench/server_process.hpp"

namespace ringmaster::bench {

watched_half::watched_half(const load_window& window, pid_t server)
  : whole_{window}, server_{server}, middle_ms_{window.begin_ms + (window.end_ms - window.begin_ms) / 2000 * 1000} {}

void watched_half::begin(std::uint16_t port, const std::filesystem::path& data_dir, std::size_t viewers) {
  const auto before = cpu_seconds(server_);
  wait_until(middle_ms_);
  first_half_s_ = cpu_seconds(server_) - before;
  viewers_.emplace(port, data_dir, viewers);
  // The sign-ins do not count: their passwords are expensive on purpose.
  began_ms_ = now_ms();
  cpu_at_begin_ = cpu_seconds(server_);
}

void watched_half::end() {
  const auto lasted_s = static_cast<double>(now_ms() - began_ms_) / 1000;
  const auto used_s = cpu_seconds(server_) - cpu_at_begin_;
  account_ = viewers_->finish();
  account_.percent_without = first_half_s_ * 100 / (static_cast<double>(middle_ms_ - whole_.begin_ms) / 1000);
  account_.percent_with = used_s * 100 / lasted_s;
}

viewer_account watched_half::account(const run_book& book) const {
  auto out = account_;
  out.late_without = account_of(book, {whole_.begin_ms, middle_ms_}).late;
  out.late_with = account_of(book, {(began_ms_ / 1000 + 1) * 1000, whole_.end_ms}).late;
  return out;
}

} // namespace ringmaster::bench

#include "bench/api_readers.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace ringmaster::bench {

namespace {

using std::chrono::steady_clock;

constexpr std::size_t threads = 4;

/// Returns the requests of many open consoles, and of programs.
std::string target_of(std::size_t turn, std::size_t jobs) {
  switch (turn % 4) {
  case 0: return "/api/v1/jobs?limit=20";
  case 1: return "/api/v1/runs?limit=20";
  case 2: return "/api/v1/runs?limit=20&job=" + std::to_string(1 + turn % jobs);
  default: return "/api/v1/jobs/" + std::to_string(1 + turn % jobs);
  }
}

} // namespace

api_readers::api_readers(std::uint16_t port, const std::filesystem::path& data_dir, std::size_t per_second, std::size_t jobs)
  : per_second_{per_second}, jobs_{std::max<std::size_t>(1, jobs)}, readers_(threads) {
  for (auto& one : readers_) {
    one.client = std::make_unique<api_client>(port);
    one.client->sign_in(data_dir);
  }
  began_ = steady_clock::now();
  for (std::size_t i = 0; i < readers_.size(); ++i)
    readers_[i].thread = std::thread{[this, i] { read(readers_[i], i); }};
}

api_readers::~api_readers() {
  over_ = true;
  for (auto& one : readers_)
    if (one.thread.joinable())
      one.thread.join();
}

void api_readers::read(reader& one, std::size_t index) {
  const std::chrono::duration<double> step{1.0 / static_cast<double>(per_second_)};
  try {
    for (auto turn = index; !over_; turn += threads) {
      const auto due = began_ + std::chrono::duration_cast<steady_clock::duration>(step * static_cast<double>(turn));
      std::this_thread::sleep_until(due);
      const auto reply = one.client->get(target_of(turn, jobs_));
      // The wait of a delayed request counts, too.
      one.took_ms.push_back(std::chrono::duration<double, std::milli>{steady_clock::now() - due}.count());
      one.failed += reply.status == 200 ? 0 : 1;
    }
  } catch (const std::runtime_error&) {
    ++one.failed;
  }
}

read_account api_readers::finish() {
  over_ = true;
  read_account account;
  std::vector<double> all;
  for (auto& one : readers_) {
    one.thread.join();
    account.failed += one.failed;
    all.insert(all.end(), one.took_ms.begin(), one.took_ms.end());
  }
  const std::chrono::duration<double> lasted = steady_clock::now() - began_;
  account.per_second = static_cast<double>(all.size()) / lasted.count();
  account.ms = spread_of(all);
  return account;
}

} // namespace ringmaster::bench

#include "bench/now_viewers.hpp"

#include <algorithm>
#include <stdexcept>

namespace ringmaster::bench {

namespace {

using std::chrono::steady_clock;

constexpr std::size_t rooms_max = 4;
constexpr std::chrono::seconds viewed_every{2};

/// Returns the value of the ETag header; empty without one.
std::string tag_in(std::string_view headers) {
  constexpr std::string_view name = "ETag: ";
  const auto at = headers.find(name);
  if (at == std::string_view::npos)
    return {};
  const auto begin = at + name.size();
  return std::string{headers.substr(begin, headers.find('\r', begin) - begin)};
}

} // namespace

now_viewers::now_viewers(std::uint16_t port, const std::filesystem::path& data_dir, std::size_t viewers)
  : viewers_{viewers}, rooms_(std::min(rooms_max, viewers)) {
  for (std::size_t i = 0; i < rooms_.size(); ++i) {
    api_client visitor{port};
    visitor.sign_in(data_dir);
    for (auto viewer = i; viewer < viewers; viewer += rooms_.size()) {
      auto client = std::make_unique<api_client>(port);
      client->share_session(visitor);
      client->show("Accept-Encoding", "gzip");
      rooms_[i].viewers.push_back({std::move(client), {}});
    }
  }
  began_ = steady_clock::now();
  for (std::size_t i = 0; i < rooms_.size(); ++i)
    rooms_[i].thread = std::thread{[this, i] { watch(rooms_[i], i); }};
}

now_viewers::~now_viewers() {
  over_ = true;
  for (auto& one : rooms_)
    if (one.thread.joinable())
      one.thread.join();
}

// The requests of all viewers are evenly spread over the interval.
void now_viewers::watch(room& one, std::size_t index) {
  const std::chrono::duration<double> step = std::chrono::duration<double>{viewed_every} / static_cast<double>(viewers_);
  try {
    for (std::size_t turn = 0; !over_; ++turn) {
      const auto round = turn / one.viewers.size(), place = turn % one.viewers.size();
      const auto within = step * static_cast<double>(place * rooms_.size() + index);
      const auto due = began_ + viewed_every * round + std::chrono::duration_cast<steady_clock::duration>(within);
      std::this_thread::sleep_until(due);
      if (!over_)
        look(one, one.viewers[place], due);
    }
  } catch (const std::runtime_error&) {
    ++one.failed;
  }
}

void now_viewers::look(room& one, viewer& who, steady_clock::time_point due) {
  const auto reply = who.client->get("/api/v1/now", who.tag.empty() ? std::string{} : "If-None-Match: " + who.tag + "\r\n");
  // The wait of a delayed request counts, too.
  one.took_ms.push_back(std::chrono::duration<double, std::milli>{steady_clock::now() - due}.count());
  one.bytes += reply.headers.size() + reply.body.size();
  if (reply.status == 304)
    ++one.unchanged;
  else if (reply.status == 200)
    who.tag = tag_in(reply.headers);
  else
    ++one.failed;
}

viewer_account now_viewers::finish() {
  over_ = true;
  viewer_account account;
  account.viewers = viewers_;
  std::vector<double> all;
  std::size_t bytes = 0, unchanged = 0;
  for (auto& one : rooms_) {
    one.thread.join();
    account.reads.failed += one.failed;
    unchanged += one.unchanged;
    bytes += one.bytes;
    all.insert(all.end(), one.took_ms.begin(), one.took_ms.end());
  }
  const std::chrono::duration<double> lasted = steady_clock::now() - began_;
  account.reads.per_second = static_cast<double>(all.size()) / lasted.count();
  account.reads.ms = spread_of(all);
  account.unchanged = all.empty() ? 0 : static_cast<double>(unchanged) / static_cast<double>(all.size());
  account.bytes = all.empty() ? 0 : static_cast<double>(bytes) / static_cast<double>(all.size());
  return account;
}

} // namespace ringmaster::bench

#include "bench/now_viewers.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>

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
  // The requests of all viewers are evenly spread over the interval.
  const auto due = [this](std::size_t thread, std::size_t turn) {
    const auto here = rooms_[thread].viewers.size();
    const std::chrono::duration<double> step = std::chrono::duration<double>{viewed_every} / static_cast<double>(viewers_);
    const auto within = step * static_cast<double>(turn % here * rooms_.size() + thread);
    return viewed_every * (turn / here) + std::chrono::duration_cast<steady_clock::duration>(within);
  };
  requests_.emplace(rooms_.size(), due, [this](std::size_t thread, std::size_t turn) {
    auto& one = rooms_[thread];
    return look(one, one.viewers[turn % one.viewers.size()]);
  });
}

bool now_viewers::look(room& one, viewer& who) {
  const auto reply = who.client->get("/api/v1/now", who.tag.empty() ? std::string{} : "If-None-Match: " + who.tag + "\r\n");
  ++one.looks;
  one.bytes += reply.headers.size() + reply.body.size();
  if (reply.status == 304)
    ++one.unchanged;
  else if (reply.status == 200)
    who.tag = tag_in(reply.headers);
  return reply.status == 304 || reply.status == 200;
}

viewer_account now_viewers::finish() {
  viewer_account account;
  account.viewers = viewers_;
  account.reads = requests_->finish();
  room all;
  for (const auto& one : rooms_) {
    all.looks += one.looks;
    all.unchanged += one.unchanged;
    all.bytes += one.bytes;
  }
  account.unchanged = all.looks == 0 ? 0 : static_cast<double>(all.unchanged) / static_cast<double>(all.looks);
  account.bytes = all.looks == 0 ? 0 : static_cast<double>(all.bytes) / static_cast<double>(all.looks);
  return account;
}

} // namespace ringmaster::bench

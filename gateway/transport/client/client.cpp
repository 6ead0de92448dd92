#include "gateway/transport/client/client.hpp"

#include <algorithm>
#include <utility>

#include "gateway/transport/client/origin.hpp"
#include "gateway/transport/io/reply_text.hpp"

namespace ringmaster::gateway::http {

namespace {

constexpr std::size_t answer_read_bytes = 64 * 1024;
constexpr std::chrono::milliseconds right_of_way{2};
/// Pause in which answers gather: one wake-up then reads many of them, and an executor on this machine is not interrupted by
/// each.
constexpr std::chrono::microseconds rest_max{500};
/// Shortly before an instant there is no pause.
constexpr std::chrono::milliseconds rest_room{1};
/// Pause between two steps of opening connections ahead.
constexpr std::chrono::milliseconds opening_pause{2};

} // namespace

client::client(engine& shared, const config::trigger_settings& trigger, const config::security_settings& security,
               std::shared_ptr<tls_source> tls, std::thread::id io, std::function<void(const std::string& origin)> forgotten)
  : shared_(shared),
    settings_(trigger),
    networks_(security.executor_networks),
    tls_(std::move(tls)),
    names_(shared, io),
    forgotten_(std::move(forgotten)),
    read_buffer_(answer_read_bytes),
    posted_(io, [this] { asio::post(shared_.io, [this] { on_posted(); }); }),
    held_timer_(std::in_place, shared_.io),
    opening_timer_(std::in_place, shared_.io),
    ahead_max_(settings_.connections_ahead_max / std::max<std::size_t>(1, settings_.io_threads)),
    burst_(
      shared_.io, [this](ended_call&& ended) { pass_on(std::move(ended)); },
      [this](auto now) { rest(now); }) {}

client::~client() = default;

void client::post(std::vector<protocol::http_call>&& calls, completion done) {
  if (calls.empty())
    return;
  const auto now = deadline::clock::now();
  for (auto& call : calls)
    call.not_before = std::max(call.not_before, now);
  auto batch = std::make_shared<call_batch>(call_batch{std::move(calls), std::move(done), {}});
  if (!posted_.post(batch))
    refuse(*batch);
}

void client::on_posted() {
  posted_.take(taken_);
  const auto now = deadline::clock::now();
  for (const auto& batch : taken_)
    take(batch, now);
  taken_.clear();
  arm_held();
}

// Late calls leave at once and begin no burst: a node that is late needs the results of earlier calls.
void client::take(const std::shared_ptr<call_batch>& batch, deadline::clock::time_point now) {
  const auto& calls = batch->calls;
  count(shared_.calls, static_cast<std::int64_t>(calls.size()));
  for (std::size_t first = 0, end = 0; first < calls.size(); first = end) {
    const auto due = calls[first].not_before;
    while (end < calls.size() && calls[end].not_before == due)
      ++end;
    held_calls together{batch, first, end};
    if (due <= now)
      (void)submit(together);
    else
      make_ready(std::move(together));
  }
}

void client::open_ahead(origin& to) {
  if (std::find(opening_.begin(), opening_.end(), &to) == opening_.end())
    opening_.push_back(&to);
  arm_opening(deadline::clock::now());
}

void client::on_closed() {
  --connections_;
  if (!opening_.empty())
    arm_opening(deadline::clock::now() + opening_pause);
}

// Does nothing from within `go_on_opening`: a connection that fails at once is closed, and may look its name up again and ask for
// more.
void client::arm_opening(deadline::clock::time_point when) {
  if (opening_armed_ || opening_.empty() || room_ahead() == 0)
    return;
  opening_armed_ = true;
  opening_timer_->expires_at(when);
  opening_timer_->async_wait([this](error_code ec) {
    if (!ec)
      go_on_opening();
  });
}

void client::go_on_opening() {
  const auto now = deadline::clock::now();
  std::erase_if(opening_, [this, now](auto* each) { return room_ahead() > 0 && !each->open_ahead(now); });
  opening_armed_ = false;
  arm_opening(now + opening_pause);
}

void client::make_ready(held_calls&& calls) {
  auto& batch = *calls.batch;
  batch.texts.resize(batch.calls.size());
  for (auto i = calls.first, same = i; i < calls.end; ++i) {
    auto& call = batch.calls[i];
    if (request_defect(call).empty())
      append_request(batch.texts[i], origin_of(call.origin).address().authority, call);
    if (i + 1 < calls.end && batch.calls[i + 1].origin == call.origin)
      continue;
    origin_of(call.origin).expect(i + 1 - same, call.not_before);
    same = i + 1;
  }
  held_.emplace(batch.calls[calls.first].not_before, std::move(calls));
}

std::size_t client::submit(const held_calls& calls) {
  // Most batches go to one origin; it is not forgotten while it is given calls.
  const std::string* key = nullptr;
  origin* to = nullptr;
  for (auto i = calls.first; i < calls.end; ++i) {
    const auto& wanted = calls.batch->calls[i].origin;
    if (key == nullptr || wanted != *key) {
      key = &wanted;
      to = &origin_of(wanted);
    }
    burst_.on_due();
    to->submit({calls.batch, i});
  }
  return calls.end - calls.first;
}

origin& client::origin_of(const std::string& key) {
  auto found = origins_.find(key);
  if (found == origins_.end())
    found = origins_.emplace(key, std::make_unique<origin>(*this, key)).first;
  return *found->second;
}

void client::on_held_timer() {
  held_armed_ = deadline::never;
  const auto now = deadline::clock::now();
  if (held_.empty())
    return;
  if (const auto next = held_.begin()->first; next <= now)
    release_held(now);
  else if (next <= now + right_of_way && many_leave_next())
    priority_.raise();
  arm_held();
}

// Sends all calls that are due before the first answer is read, because the instant is urgent and reading is not.
void client::release_held(deadline::clock::time_point now) {
  const bool behind = burst_.is_behind();
  std::size_t left = 0;
  while (!held_.empty() && held_.begin()->first <= now) {
    const auto due = std::move(held_.begin()->second);
    held_.erase(held_.begin());
    left += submit(due);
  }
  if (!behind)
    burst_.begin(left, now);
  if (held_.empty() || held_.begin()->first > now + right_of_way || !many_leave_next())
    priority_.lower();
}

/// Returns true when the next calls are so many that a preempted thread would delay the last of them.
bool client::many_leave_next() const {
  std::size_t calls = 0;
  for (auto next = held_.begin(); next != held_.end() && next->first == held_.begin()->first && calls < burst::many_calls; ++next)
    calls += next->second.end - next->second.first;
  return calls >= burst::many_calls;
}

void client::arm_held() {
  if (held_.empty())
    return;
  auto wake = held_.begin()->first;
  // Wakes up before many calls are due, to have the realtime priority when they are.
  if (const auto early = wake - right_of_way; early > deadline::clock::now() && many_leave_next())
    wake = early;
  if (held_armed_ <= wake)
    return;
  held_armed_ = wake;
  held_timer_->expires_at(wake);
  held_timer_->async_wait([this](error_code ec) {
    if (!ec)
      on_held_timer();
  });
}

void client::rest(deadline::clock::time_point now) {
  if (held_.empty() || held_.begin()->first > now + rest_room)
    posted_.wait_for_item(rest_max);
}

void client::forget(std::string key) {
  if (const auto found = origins_.find(key); found != origins_.end()) {
    std::erase(opening_, found->second.get());
    origins_.erase(found);
  }
  forgotten_(key);
}

void client::finish(pending_call&& call, protocol::http_result&& result) {
  result.elapsed = std::chrono::duration_cast<std::chrono::microseconds>(deadline::clock::now() - call.due());
  burst_.end({std::move(call), std::move(result)});
}

void client::pass_on(ended_call&& ended) {
  count(shared_.calls_ended);
  try {
    ended.call.batch->done(ended.call.index, std::move(ended.result));
  } catch (...) {
    // A defect of the caller must not end the calls of others.
  }
}

void client::refuse(call_batch& batch) {
  for (std::size_t i = 0; i < batch.calls.size(); ++i)
    batch.done(i, stopped(batch.calls[i]));
}

void client::stop() {
  for (const auto& batch : posted_.close())
    refuse(*batch);
  held_timer_.reset();
  opening_timer_.reset();
  opening_.clear();
  for (const auto& [due, calls] : std::exchange(held_, {}))
    for (auto i = calls.first; i < calls.end; ++i)
      pass_on({{calls.batch, i}, stopped(calls.batch->calls[i])});
  names_.stop();
  for (auto& [key, item] : origins_)
    item->stop();
  origins_.clear();
  burst_.stop();
}

} // namespace ringmaster::gateway::http

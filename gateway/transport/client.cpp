#include "gateway/transport/client.hpp"

#include <algorithm>
#include <utility>

#include "gateway/transport/connection.hpp"
#include "gateway/transport/reply_text.hpp"

namespace ringmaster::gateway::http {

namespace {

using protocol::delivery;

/// How long the addresses of a name are used without asking again.
constexpr std::chrono::seconds name_life{10};
constexpr std::chrono::milliseconds open_pause{100};
constexpr std::size_t answer_read_bytes = 64 * 1024;
/// Even at an executor that answers, only slowly, no call waits longer than this many connect timeouts.
constexpr int patience_max = 10;
constexpr std::chrono::milliseconds right_of_way{2};
constexpr std::size_t many_calls = 32;

protocol::http_result not_sent(std::string error) { return {delivery::not_sent, 0, {}, std::move(error), {}, {}}; }

} // namespace

protocol::http_result gate_closed() { return {delivery::gate_closed, 0, {}, "this node may not send any more", {}, {}}; }

// A node that stops may not send any more, either: what has a gate is left to the node's next life.
protocol::http_result stopped(const protocol::http_call& call) {
  return call.gate ? gate_closed() : not_sent("this node is stopping");
}

origin::origin(client& owner, std::string_view key) : deadline(owner.shared().limits), owner_(owner), key_(key) {
  auto parsed = parse_origin(key);
  if (parsed)
    address_ = std::move(*parsed);
  else
    defect_ = parsed.error().context;
}

origin::~origin() = default;

void origin::submit(pending_call&& call) {
  std::string_view defect{defect_};
  if (defect.empty() && !call.ready())
    defect = request_defect(call.call());
  if (!defect.empty()) {
    owner_.finish(std::move(call), not_sent(std::string(defect)));
    return end_turn();
  }
  waiting_.push_back(std::move(call));
  pump();
}

void origin::pump() {
  if (pumping_)
    return;
  pumping_ = true;
  while (!waiting_.empty()) {
    if (!idle_.empty())
      send_on_idle();
    else if (!open())
      break;
  }
  pumping_ = false;
  end_turn();
}

void origin::send_on_idle() {
  auto free = std::move(idle_.back());
  idle_.pop_back();
  switch (free->send(waiting_.front())) {
  case connection::sending::begun: return waiting_.pop_front();
  case connection::sending::stale: return;
  case connection::sending::gate_closed:
    auto call = std::move(waiting_.front());
    waiting_.pop_front();
    idle_.push_back(std::move(free));
    owner_.finish(std::move(call), gate_closed());
  }
}

bool origin::open() {
  if (connections_.size() >= owner_.settings().connections_per_executor)
    return false;
  if (established_ > 0 && clock::now() < no_open_before_)
    return false;
  if (!resolve())
    return false;
  auto call = std::move(waiting_.front());
  waiting_.pop_front();
  connect(std::move(call));
  return true;
}

void origin::connect(pending_call&& call) {
  auto opened = std::make_shared<connection>(*this);
  connections_.emplace(opened.get(), opened);
  opened->open(std::move(call), endpoints_);
}

void origin::expect(std::size_t calls) {
  if (!address_.tls || !defect_.empty())
    return;
  expected_ = std::max(expected_, std::min(calls, owner_.settings().connections_per_executor));
  if (clock::now() < resolved_until_)
    open_ahead();
  else
    (void)resolve();
  end_turn();
}

void origin::open_ahead() {
  const auto wanted = std::exchange(expected_, 0);
  if (endpoints_.empty() || (established_ > 0 && clock::now() < no_open_before_))
    return;
  for (auto there = idle_.size() + connections_.size() - established_; there < wanted; ++there)
    if (connections_.size() < owner_.settings().connections_per_executor)
      connect({});
}

void origin::keep_session(tls_session session, const tls_context& context) {
  session_ = std::move(session);
  session_context_ = context;
}

bool origin::resolve() {
  if (clock::now() < resolved_until_)
    return true;
  if (!resolving_) {
    resolving_ = true;
    owner_.names().start(address_.host, [this](auto&& found, auto&& error) { on_resolved(std::move(found), std::move(error)); });
  }
  return !resolving_ && !waiting_.empty();
}

void origin::on_resolved(std::vector<asio::ip::address>&& found, std::string&& error) {
  resolving_ = false;
  endpoints_.clear();
  for (const auto& address : found) {
    if (owner_.networks().allows(address))
      endpoints_.emplace_back(address, address_.port);
  }
  if (!endpoints_.empty())
    resolved_until_ = clock::now() + name_life;
  else
    fail_waiting(found.empty() ? error : address_.host + " is outside security.executor_networks");
  pump();
  open_ahead();
}

void origin::fail_waiting(const std::string& error) {
  for (auto& call : std::exchange(waiting_, {})) {
    auto result = not_sent(error);
    result.unreachable = true;
    owner_.finish(std::move(call), std::move(result));
  }
}

void origin::on_free(std::shared_ptr<connection> free, clock::time_point now) {
  free->park(now);
  idle_.push_back(std::move(free));
  pump();
}

void origin::on_closed(connection& closed, bool was_established) {
  if (was_established)
    --established_;
  std::erase_if(idle_, [&closed](const auto& item) { return item.get() == &closed; });
  connections_.erase(&closed);
  pump();
}

void origin::on_connect_failed(const std::string& error) {
  if (established_ == 0)
    fail_waiting(error);
  else
    no_open_before_ = clock::now() + open_pause;
  pump();
}

void origin::stop() {
  pumping_ = true; // Nothing is sent any more.
  for (auto& call : std::exchange(waiting_, {})) {
    auto result = stopped(call.call());
    owner_.finish(std::move(call), std::move(result));
  }
  for (auto& [key, item] : connections_)
    item->stop();
  idle_.clear();
  connections_.clear();
}

/// A call waits as long as others get their answers, but not for a peer that gives none.
deadline::clock::time_point origin::patience(const pending_call& call) const {
  const auto timeout = call.call().connect_timeout;
  return std::min(std::max(call.due(), answered_at_) + timeout, call.due() + patience_max * timeout);
}

void origin::end_turn() {
  if (!waiting_.empty())
    expire_at(patience(waiting_.front()));
  else if (connections_.empty() && !resolving_)
    expire_after(owner_.settings().connection_idle);
  else
    expire_never();
}

void origin::expired() {
  if (waiting_.empty()) {
    if (connections_.empty() && !resolving_)
      owner_.forget(key_);
    return;
  }
  const auto now = clock::now();
  std::deque<pending_call> given_up;
  for (auto& call : std::exchange(waiting_, {}))
    (patience(call) <= now ? given_up : waiting_).push_back(std::move(call));
  for (auto& call : given_up)
    owner_.finish(std::move(call), not_sent("no connection to " + address_.authority + " became free in time"));
  end_turn();
}

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
    held_timer_(std::in_place, shared_.io) {}

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

void client::take(const std::shared_ptr<call_batch>& batch, deadline::clock::time_point now) {
  const auto& calls = batch->calls;
  count(shared_.calls, static_cast<std::int64_t>(calls.size()));
  for (std::size_t first = 0, end = 0; first < calls.size(); first = end) {
    const auto due = calls[first].not_before;
    while (end < calls.size() && calls[end].not_before == due)
      ++end;
    held_calls together{batch, first, end};
    if (due <= now)
      submit(together);
    else
      make_ready(std::move(together));
  }
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
    origin_of(call.origin).expect(i + 1 - same);
    same = i + 1;
  }
  held_.emplace(batch.calls[calls.first].not_before, std::move(calls));
}

void client::submit(const held_calls& calls) {
  // Most batches go to one origin; it is not forgotten while it is given calls.
  const std::string* key = nullptr;
  origin* to = nullptr;
  for (auto i = calls.first; i < calls.end; ++i) {
    const auto& wanted = calls.batch->calls[i].origin;
    if (key == nullptr || wanted != *key) {
      key = &wanted;
      to = &origin_of(wanted);
    }
    to->submit({calls.batch, i});
  }
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
    urgency_.raise();
  arm_held();
}

// All that are due leave before the first answer is read: reading is not urgent, the instant is.
void client::release_held(deadline::clock::time_point now) {
  while (!held_.empty() && held_.begin()->first <= now) {
    const auto due = std::move(held_.begin()->second);
    held_.erase(held_.begin());
    submit(due);
  }
  if (held_.empty() || held_.begin()->first > now + right_of_way || !many_leave_next())
    urgency_.lower();
}

/// So many that a thread which is made to wait in between would hold up the last of them.
bool client::many_leave_next() const {
  std::size_t calls = 0;
  for (auto next = held_.begin(); next != held_.end() && next->first == held_.begin()->first && calls < many_calls; ++next)
    calls += next->second.end - next->second.first;
  return calls >= many_calls;
}

void client::arm_held() {
  if (held_.empty())
    return;
  auto wake = held_.begin()->first;
  // Awake before many are due, to have the right of way when they are.
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

void client::forget(std::string key) {
  origins_.erase(key);
  forgotten_(key);
}

void client::finish(pending_call&& call, protocol::http_result&& result) {
  count(shared_.calls_ended);
  result.elapsed = std::chrono::duration_cast<std::chrono::microseconds>(deadline::clock::now() - call.due());
  try {
    call.batch->done(call.index, std::move(result));
  } catch (...) {
    // The caller's own defect must not end the calls of others.
  }
  call.batch.reset();
}

void client::refuse(call_batch& batch) {
  for (std::size_t i = 0; i < batch.calls.size(); ++i)
    batch.done(i, stopped(batch.calls[i]));
}

void client::stop() {
  for (const auto& batch : posted_.close())
    refuse(*batch);
  held_timer_.reset();
  for (const auto& [due, calls] : std::exchange(held_, {}))
    for (auto i = calls.first; i < calls.end; ++i)
      finish({calls.batch, i}, stopped(calls.batch->calls[i]));
  names_.stop();
  for (auto& [key, item] : origins_)
    item->stop();
  origins_.clear();
}

} // namespace ringmaster::gateway::http

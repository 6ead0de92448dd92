#include "gateway/transport/client/origin.hpp"

#include <algorithm>
#include <utility>

#include "gateway/transport/client/client.hpp"
#include "gateway/transport/client/connection.hpp"
#include "gateway/transport/io/reply_text.hpp"

namespace ringmaster::gateway::http {

namespace {

using protocol::delivery;

/// Time for which the addresses of a name are used without another look-up.
constexpr std::chrono::seconds name_life{10};
constexpr std::chrono::milliseconds open_pause{100};
/// Maximum wait of a call in connect timeouts, also for an executor that answers slowly.
constexpr int patience_max = 10;
/// Connections are opened ahead in such steps, so that the executor's queue of new connections does not overflow.
constexpr std::size_t opened_together = 32;
/// No more connections are opened in this time before the instant: the writes need it.
constexpr std::chrono::milliseconds opening_end{4};

protocol::http_result not_sent(std::string error) { return {delivery::not_sent, 0, {}, std::move(error), {}, {}}; }

} // namespace

protocol::http_result gate_closed() { return {delivery::gate_closed, 0, {}, "this node may not send any more", {}, {}}; }

// A stopping node may not send any more, either: calls with a gate are left to the node's next incarnation.
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
  expect_none_until(call.due());
  waiting_.push_back(std::move(call));
  owner_.on_waiting(1);
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
  case connection::sending::begun: (void)take_first(); return;
  case connection::sending::stale: return;
  case connection::sending::gate_closed:
    auto call = take_first();
    idle_.push_back(std::move(free));
    owner_.finish(std::move(call), gate_closed());
  }
}

bool origin::open() {
  if (connections_.size() >= owner_.settings().connections_on_demand())
    return false;
  if (established_ > 0 && clock::now() < no_open_before_)
    return false;
  if (!resolve())
    return false;
  connect(take_first());
  return true;
}

pending_call origin::take_first() {
  auto call = std::move(waiting_.front());
  waiting_.pop_front();
  owner_.on_waiting(-1);
  return call;
}

std::deque<pending_call> origin::take_all() {
  owner_.on_waiting(-static_cast<std::ptrdiff_t>(waiting_.size()));
  return std::exchange(waiting_, {});
}

void origin::connect(pending_call&& call) {
  auto opened = std::make_shared<connection>(*this);
  connections_.emplace(opened.get(), opened);
  owner_.on_opened();
  opened->open(std::move(call), endpoints_);
}

void origin::expect(std::size_t calls, clock::time_point when) {
  if (!defect_.empty())
    return;
  expected_[when] += calls;
  if (clock::now() < resolved_until_)
    owner_.open_ahead(*this);
  else
    (void)resolve();
  end_turn();
}

bool origin::open_ahead(clock::time_point now) {
  expect_none_until(now + opening_end);
  if (endpoints_.empty() || (established_ > 0 && now < no_open_before_))
    return false;
  // Consecutive instants use the same connections.
  std::size_t wanted = 0;
  for (const auto& [when, calls] : expected_)
    wanted = std::max(wanted, calls);
  const auto most = owner_.settings().connections_per_executor;
  const auto there = idle_.size() + connections_.size() - established_;
  if (there >= wanted || connections_.size() >= most)
    return false;
  if (established_ == 0 && !connections_.empty())
    return true; // The first connection shows whether the executor is there.
  const auto missing = std::min(wanted - there, most - connections_.size());
  const auto some = std::min({established_ > 0 ? opened_together : 1, missing, owner_.room_ahead()});
  for (std::size_t i = 0; i < some; ++i)
    connect({});
  return some < missing;
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
  if (!expected_.empty())
    owner_.open_ahead(*this);
}

void origin::fail_waiting(const std::string& error) {
  for (auto& call : take_all()) {
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
  if (connections_.erase(&closed) > 0)
    owner_.on_closed();
  pump();
}

void origin::on_connect_failed(const std::string& error) {
  if (established_ == 0) {
    expected_.clear();
    fail_waiting(error);
  } else {
    no_open_before_ = clock::now() + open_pause;
  }
  pump();
}

void origin::stop() {
  pumping_ = true; // nothing is sent any more
  for (auto& call : take_all()) {
    auto result = stopped(call.call());
    owner_.finish(std::move(call), std::move(result));
  }
  for (auto& [key, item] : connections_)
    item->stop();
  idle_.clear();
  connections_.clear();
}

/// Returns the time at which a call stops waiting. It waits as long as other calls get answers, but not for a peer that gives
/// none.
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
  for (auto& call : take_all())
    (patience(call) <= now ? given_up : waiting_).push_back(std::move(call));
  owner_.on_waiting(static_cast<std::ptrdiff_t>(waiting_.size()));
  for (auto& call : given_up)
    owner_.finish(std::move(call), not_sent("no connection to " + address_.authority + " became free in time"));
  end_turn();
}

} // namespace ringmaster::gateway::http

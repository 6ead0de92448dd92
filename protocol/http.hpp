#pragma once

// HTTP as the rest of Ringmaster sees it: plain requests and responses, an abstract client, an abstract reply. No socket, no
// Beast, no CAF.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringmaster::protocol {

using http_headers = std::vector<std::pair<std::string, std::string>>;

struct http_request {
  /// As sent, e.g. `POST`.
  std::string method;
  /// Path and query as sent.
  std::string target;
  http_headers headers;
  std::string body;
  /// Address of the peer without its port.
  std::string remote_address;
  bool remote_is_loopback = false;
  /// The client speaks TLS: with this server, or with a proxy that is trusted.
  bool is_https = false;
  /// The host that the client asked a trusted proxy for; empty: what the Host header says.
  std::string forwarded_host = {};
  /// The body was longer than the server's rule for this request permits, and was not read.
  bool body_omitted = false;

  /// Value of the first header of that name, compared without case; null when absent.
  [[nodiscard]] const std::string* find_header(std::string_view name) const noexcept;
};

struct http_response {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body;
  http_headers headers;
  /// Sent in place of `body` unless it is empty; lives as long as the process. Costs no memory for each client.
  std::string_view fixed_body = {};

  [[nodiscard]] std::string_view content() const noexcept { return fixed_body.empty() ? std::string_view{body} : fixed_body; }
};

/// The way back to one waiting client. Move-only use; answering twice does nothing; dropped unanswered it answers 500 from its
/// destructor. Any thread.
class http_reply {
public:
  virtual ~http_reply() = default;
  virtual void send(http_response&& response) = 0;
  /// From now on nobody answers but `send`: a reply that is late or lost ends with its connection, unanswered, at the server's
  /// limit. For work that may still happen, where a failure would be believed.
  virtual void keep_silent() = 0;
  /// The answer may come so much later than the server's limit says; whether the client is still there is looked at meanwhile.
  virtual void hold(std::chrono::milliseconds /*longer*/) {}
  /// False once the connection has ended: nobody reads the answer. Without `hold` that is seen late.
  [[nodiscard]] virtual bool is_awaited() const noexcept { return true; }
};
using http_reply_ptr = std::shared_ptr<http_reply>;

/// Called on the io thread for each whole request; must hand it over at once and never block.
using http_handler = std::function<void(http_request&&, http_reply_ptr)>;

/// Returns how many bytes of body the server may read of a request; asked on the io thread, for bodies that announce more than a
/// few KiB. An empty rule permits what the server's settings permit.
using body_rule = std::function<std::size_t(std::string_view method, std::string_view target)>;

/// Open for the runs of one life of this node while its lease lasts: otherwise no byte of a `/run` may be written. A run that was
/// claimed under a former life stays behind it however late it comes, because that run may have been adopted since. Shared by
/// node_actor (the one writer) and the transport (reads right before the socket write). Times are CLOCK_BOOTTIME.
class send_gate {
public:
  /// The life with this incarnation may send until then, in nanoseconds; every other life may not.
  void open_until(std::int64_t incarnation, std::int64_t boottime_ns) noexcept {
    if (incarnation_.load(std::memory_order_relaxed) != incarnation) {
      close();
      incarnation_.store(incarnation, std::memory_order_release);
    }
    until_.store(boottime_ns, std::memory_order_release);
  }

  void close() noexcept { until_.store(0, std::memory_order_release); }

  [[nodiscard]] bool open_at(std::int64_t incarnation, std::int64_t boottime_ns) const noexcept {
    // In this order: who sees the time of a life sees its incarnation, too.
    auto until = until_.load(std::memory_order_acquire);
    return boottime_ns < until && incarnation_.load(std::memory_order_acquire) == incarnation;
  }

private:
  std::atomic<std::int64_t> until_{0};
  std::atomic<std::int64_t> incarnation_{0};
};

/// CLOCK_BOOTTIME in nanoseconds.
[[nodiscard]] std::int64_t boottime_ns() noexcept;

/// One POST to an executor.
struct http_call {
  /// Scheme, host and port, e.g. `http://10.0.0.3:9999`; connections are kept per origin.
  std::string origin;
  /// Path, e.g. `/run`, with the address's own prefix.
  std::string target;
  /// Beyond Host, Content-Type and Content-Length; written in exactly this case.
  http_headers headers;
  std::string body;
  std::chrono::milliseconds connect_timeout{3000};
  /// From the first byte written to the last byte read.
  std::chrono::milliseconds request_timeout{3000};
  /// Checked right before the first byte is written; null: always open.
  std::shared_ptr<const send_gate> gate;
  /// The life whose gate it is.
  std::int64_t incarnation = 0;
  /// No byte is written before. Calls that are posted ahead of their time leave together and at once when it comes; time limits
  /// count from then.
  std::chrono::steady_clock::time_point not_before{};
  /// Larger replies are cut off and reported as unknown.
  std::size_t reply_bytes_max = 1024 * 1024;
};

/// How far a call came. Nothing is ever repeated by the transport once a byte of the request was written.
enum class delivery : std::uint8_t {
  /// Nothing was written: no connection came about, the address is none, or the node stops.
  not_sent,
  /// The gate was closed right before the write.
  gate_closed,
  /// Bytes were written, and no complete answer was read.
  unknown,
  /// A complete answer.
  answered,
};

struct http_result {
  delivery state = delivery::not_sent;
  unsigned status = 0;
  std::string body;
  /// For a person; empty when answered.
  std::string error;
  /// From the call's submission, or the time it waited for, to its end.
  std::chrono::microseconds elapsed{0};
  /// When its first byte was written; the epoch when none was.
  std::chrono::steady_clock::time_point sent_at{};
  /// Not sent because no connection came about: the name is unknown, nobody listens, or nobody answers.
  bool unreachable = false;
  /// The answer's body was longer than the call allows.
  bool too_large = false;
};

/// Sends in batches. Any thread may call; `done(i, result)` comes once for each call, on an io thread, in any order, and must not
/// block. Calls of one origin end on one thread, those of several may end at the same time.
class http_client {
public:
  virtual ~http_client() = default;
  using completion = std::function<void(std::size_t index, http_result&& result)>;
  virtual void post(std::vector<http_call>&& calls, completion done) = 0;
};

/// Splits an executor's registered address: `127.0.0.1:7002` and `http://h:80/job/` become (`http://127.0.0.1:7002`, ``) and
/// (`http://h:80`, `/job`).
struct address_parts {
  std::string origin;
  std::string prefix;
};
[[nodiscard]] address_parts split_address(std::string_view address);

} // namespace ringmaster::protocol

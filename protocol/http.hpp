#pragma once

// HTTP types without socket, Beast or CAF: plain requests and responses, an abstract client, an abstract reply.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringmaster::protocol {

using http_headers = std::vector<std::pair<std::string, std::string>>;

struct http_request {
  /// Method as sent, e.g. `POST`.
  std::string method;
  /// Path and query as sent.
  std::string target;
  http_headers headers;
  std::string body;
  /// Address of the peer without its port.
  std::string remote_address;
  bool remote_is_loopback = false;
  /// The client uses TLS, with this server or with a trusted proxy.
  bool is_https = false;
  /// Host that the client asked a trusted proxy for; empty: the one of the Host header.
  std::string forwarded_host = {};
  /// The body was longer than the server's rule for this request permits, and was not read.
  bool body_omitted = false;

  /// Returns the value of the first header of that name, compared without case; null when absent.
  [[nodiscard]] const std::string* find_header(std::string_view name) const noexcept;
};

/// Body of a response that is made while it is sent. Called on an io thread, and must not block.
class http_body_source {
public:
  enum class state : std::uint8_t {
    ready,
    not_yet,
    failed,
    /// The body is complete. Only of a source that does not know its size.
    ended,
  };

  virtual ~http_body_source() = default;
  /// Returns the size of the whole body; empty: unknown before its end.
  [[nodiscard]] virtual std::optional<std::uint64_t> bytes() const noexcept = 0;
  /// Replaces `piece` with the next bytes, at least one and at most 256 KiB. If they are not there yet, the connection asks again
  /// a few milliseconds later. After a failure the connection ends.
  [[nodiscard]] virtual state next(std::string& piece) = 0;
};

struct http_response {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body;
  http_headers headers;
  /// Sent in place of `body` unless it is empty; lives as long as the process. Costs no memory for each client.
  std::string_view fixed_body = {};
  /// Sent in place of both unless it is null.
  std::shared_ptr<http_body_source> source = {};

  /// Returns the size of the body; empty: unknown before its end.
  [[nodiscard]] std::optional<std::uint64_t> content_bytes() const noexcept {
    return source ? source->bytes() : std::optional<std::uint64_t>{content().size()};
  }
  [[nodiscard]] std::string_view content() const noexcept { return fixed_body.empty() ? std::string_view{body} : fixed_body; }
};

/// Reply to one waiting client. Move-only use; a second answer does nothing; dropped without an answer it answers 500 from its
/// destructor. Any thread.
class http_reply {
public:
  virtual ~http_reply() = default;
  virtual void send(http_response&& response) = 0;
  /// Leaves only `send` to answer from now on: a late or lost reply ends with its connection, unanswered, at the server's limit.
  /// For work that may still happen, where the client would believe a failure.
  virtual void keep_silent() = 0;
  /// Extends the server's limit for the answer; meanwhile the connection is watched.
  virtual void hold(std::chrono::milliseconds /*longer*/) {}
  /// Returns false once the connection has ended and the answer would not be read. Without `hold` that is noticed late.
  [[nodiscard]] virtual bool is_awaited() const noexcept { return true; }
};
using http_reply_ptr = std::shared_ptr<http_reply>;

/// Called on the io thread for each whole request; must hand it over at once and never block.
using http_handler = std::function<void(http_request&&, http_reply_ptr)>;

/// Returns the number of body bytes that the server may read of a request. Asked on the io thread, for bodies that announce more
/// than a few KiB. An empty rule permits the limit of the server's settings.
using body_rule = std::function<std::size_t(std::string_view method, std::string_view target)>;

/// Gate for the runs of one incarnation of this node. Open while its lease lasts; otherwise no byte of a `/run` may be written. A
/// run that was claimed under an earlier incarnation stays blocked however late it comes, because that run may have been adopted
/// since. Shared by node_actor (the one writer) and the transport (reads right before the socket write). Times are
/// CLOCK_BOOTTIME.
class send_gate {
public:
  /// Lets this incarnation send until the given time, in nanoseconds; every other incarnation may not.
  void open_until(std::int64_t incarnation, std::int64_t boottime_ns) noexcept {
    if (incarnation_.load(std::memory_order_relaxed) != incarnation) {
      close();
      incarnation_.store(incarnation, std::memory_order_release);
    }
    until_.store(boottime_ns, std::memory_order_release);
  }

  void close() noexcept { until_.store(0, std::memory_order_release); }

  [[nodiscard]] bool open_at(std::int64_t incarnation, std::int64_t boottime_ns) const noexcept {
    // In this order: a reader that sees an incarnation's time sees the incarnation, too.
    auto until = until_.load(std::memory_order_acquire);
    return boottime_ns < until && incarnation_.load(std::memory_order_acquire) == incarnation;
  }

private:
  std::atomic<std::int64_t> until_{0};
  std::atomic<std::int64_t> incarnation_{0};
};

/// Returns CLOCK_BOOTTIME in nanoseconds.
[[nodiscard]] std::int64_t boottime_ns() noexcept;

/// Receiver of the body of an answer, for answers of any size. All but the constructor is called on an io thread and must not
/// block.
class http_body_sink {
public:
  virtual ~http_body_sink() = default;
  /// Begins an answer. Bytes that came before are of another answer, and void.
  virtual void begin() = 0;
  /// Takes the next bytes, all of them, at most 64 KiB. Returns false if the rest is not wanted: then the call ends as unknown.
  virtual bool take(std::string_view bytes) = 0;
  /// Returns true while no more bytes should come. The connection does not read meanwhile, and asks again every few milliseconds.
  [[nodiscard]] virtual bool is_full() const noexcept = 0;
};

/// One POST to an executor.
struct http_call {
  /// Scheme, host and port, e.g. `http://10.0.0.3:9999`; connections are kept per origin.
  std::string origin;
  /// Path, e.g. `/run`, with the address's own prefix.
  std::string target;
  /// Headers in addition to Host, Content-Type and Content-Length; written in exactly this case.
  http_headers headers;
  std::string body;
  std::chrono::milliseconds connect_timeout{3000};
  /// From the first byte written to the last byte read.
  std::chrono::milliseconds request_timeout{3000};
  /// Checked right before the first byte is written; null: always open.
  std::shared_ptr<const send_gate> gate;
  /// Incarnation that must be able to pass the gate.
  std::int64_t incarnation = 0;
  /// No byte is written before this time. Calls that are posted ahead of their time leave together and at once when it comes;
  /// time limits count from then.
  std::chrono::steady_clock::time_point not_before{};
  /// Larger replies are cut off and reported as unknown.
  std::size_t reply_bytes_max = 1024 * 1024;
  /// Receiver of the answer's body. Null: the body is in the result. With a sink the result has only the first 16 KiB, and
  /// `request_timeout` is the limit for each pause in the answer.
  std::shared_ptr<http_body_sink> sink = {};
  /// With a sink: limit for the whole call, pauses of the sink included.
  std::chrono::milliseconds stream_timeout{0};
};

/// Progress of a call. The transport never repeats a call once a byte of the request was written.
enum class delivery : std::uint8_t {
  /// Nothing was written: no connection was made, the address is invalid, or the node stops.
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
  /// Text for operators; empty when answered.
  std::string error;
  /// Time from the call's submission, or the time that it waited for, to its end.
  std::chrono::microseconds elapsed{0};
  /// Time at which its first byte was written; the epoch when none was.
  std::chrono::steady_clock::time_point sent_at{};
  /// Not sent because no connection was made: the name is unknown, the connection was refused, or the peer does not answer.
  bool unreachable = false;
  /// The answer's body was longer than the call allows.
  bool too_large = false;
  /// The call's sink took the whole body.
  bool streamed = false;
};

/// HTTP client that sends in batches. Any thread may call. `done(i, result)` comes once for each call, on an io thread, in any
/// order, and must not block. Calls of one origin end on one thread, those of several may end at the same time.
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

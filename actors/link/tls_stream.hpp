#pragma once

// One TLS connection below CAF's BASP, and what accepts them.

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include <caf/all.hpp>
#include <caf/io/all.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/network/doorman_impl.hpp>
#include <openssl/ssl.h>

namespace ringmaster::actors {

using tls_context = std::shared_ptr<SSL_CTX>;

/// Connections whose handshake is not over. Strangers may open them: the oldest go when there are too many, or when they take
/// long. Any thread.
class handshakes {
public:
  static constexpr std::size_t count_max = 256;
  static constexpr std::chrono::seconds age_max{5};

  struct entry {
    int fd = -1;
    std::chrono::steady_clock::time_point since;
  };
  using ticket = std::list<entry>::iterator;

  ticket enter(int fd);
  void leave(ticket which);

private:
  std::mutex mutex_;
  std::list<entry> open_;
};

/// Why a handshake failed, for whoever dialled. Any thread.
class tls_trouble {
public:
  void set(std::string text);
  [[nodiscard]] std::string get() const;

private:
  mutable std::mutex mutex_;
  std::string text_;
};

/// What CAF's stream needs: reads and writes without blocking, the handshake first. Used on the thread of the multiplexer alone.
class tls_policy {
public:
  using native_socket = caf::io::network::native_socket;
  using rw_state = caf::io::network::rw_state;
  enum class side { dials, accepts };

  /// `trouble` and `guests` may be null.
  tls_policy(tls_context context, int fd, side which, std::shared_ptr<tls_trouble> trouble, std::shared_ptr<handshakes> guests);
  tls_policy(const tls_policy&) = delete;
  tls_policy& operator=(const tls_policy&) = delete;
  ~tls_policy();

  rw_state read_some(std::size_t& result, native_socket, void* to, std::size_t size);
  rw_state write_some(std::size_t& result, native_socket, const void* from, std::size_t size);
  bool must_read_more(native_socket, std::size_t threshold);

private:
  [[nodiscard]] rw_state shake_hands();
  [[nodiscard]] rw_state outcome_of(int returned, bool in_handshake);
  void end_handshake();

  tls_context context_;
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
  std::shared_ptr<tls_trouble> trouble_;
  std::shared_ptr<handshakes> guests_;
  handshakes::ticket ticket_;
  bool shaken_ = false;
  bool signal_blocked_ = false;
};

/// A connection as BASP has it.
[[nodiscard]] caf::io::scribe_ptr make_scribe(caf::io::network::default_multiplexer& loop, int fd, tls_context context,
                                              tls_policy::side which, std::shared_ptr<tls_trouble> trouble,
                                              std::shared_ptr<handshakes> guests);

/// Accepts connections on a listening socket, which it owns. `context` is asked for each.
[[nodiscard]] caf::io::doorman_ptr make_doorman(caf::io::network::default_multiplexer& loop, int fd,
                                                std::function<tls_context()> context);

} // namespace ringmaster::actors

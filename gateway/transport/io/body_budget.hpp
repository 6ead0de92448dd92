#pragma once

// Budget for the request bodies of all sessions together. Bodies are read before it is known whether the client may send one.
// Beyond the budget sessions stop reading, and TCP slows the clients down, until other requests are done.

#include <cstddef>
#include <list>

namespace ringmaster::gateway::http {

class body_budget;

/// Bytes that one session holds; the session derives from it. Belongs to the io thread. Destroyed before its budget.
class body_share {
public:
  explicit body_share(body_budget& budget) noexcept : budget_(budget) {}
  virtual ~body_share() { give_back(); }
  body_share(const body_share&) = delete;
  body_share& operator=(const body_share&) = delete;

  /// Holds `bytes` from now on, never fewer than before. Returns false and changes nothing when there is no room; `room_came`
  /// follows once there is.
  [[nodiscard]] bool hold(std::size_t bytes);
  /// Releases all bytes and stops waiting. Calls `room_came` of the shares that waited for the room.
  void give_back();

private:
  friend class body_budget;
  virtual void room_came() = 0;

  body_budget& budget_;
  std::size_t held_ = 0;
  /// Bytes that the share waits for; not 0: it is in the line.
  std::size_t wanted_ = 0;
};

/// Budget, served first come, first served. One share at a time may exceed it, so that one request can always be completed, even
/// when half-read bodies take all the room.
class body_budget {
public:
  explicit body_budget(std::size_t bytes_max) noexcept : bytes_max_(bytes_max) {}

  [[nodiscard]] std::size_t held() const noexcept { return held_; }

private:
  friend class body_share;
  [[nodiscard]] bool grant(body_share& share, std::size_t bytes) noexcept;
  void take_back(body_share& share) noexcept;
  void serve_line();

  const std::size_t bytes_max_;
  std::size_t held_ = 0;
  std::list<body_share*> line_;
  /// Share that may exceed the budget.
  body_share* ahead_ = nullptr;
};

} // namespace ringmaster::gateway::http

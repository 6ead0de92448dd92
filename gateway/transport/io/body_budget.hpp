#pragma once

// What all sessions together may hold of request bodies, which are read before anybody can say whether the client may send one.
// Beyond it they stop reading, and TCP holds the clients back, until others are done.

#include <cstddef>
#include <list>

namespace ringmaster::gateway::http {

class body_budget;

/// What one session holds; its owner derives from it. Belongs to the io thread. Ends before its budget.
class body_share {
public:
  explicit body_share(body_budget& budget) noexcept : budget_(budget) {}
  virtual ~body_share() { give_back(); }
  body_share(const body_share&) = delete;
  body_share& operator=(const body_share&) = delete;

  /// Holds `bytes` from now on, never fewer than before. False: there is no room, and nothing changes; `room_came` follows once
  /// there is.
  [[nodiscard]] bool hold(std::size_t bytes);
  /// Holds nothing and waits for nothing any more. Calls `room_came` of those who waited for it.
  void give_back();

private:
  friend class body_budget;
  virtual void room_came() = 0;

  body_budget& budget_;
  std::size_t held_ = 0;
  /// Not 0: in the line.
  std::size_t wanted_ = 0;
};

/// First come, first served. One share at a time may go beyond the budget: so there is always one that gets done, also when all
/// room is taken by bodies that are half read.
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
  /// The one that may go beyond the budget.
  body_share* ahead_ = nullptr;
};

} // namespace ringmaster::gateway::http

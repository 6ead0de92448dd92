#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace ringmaster::gateway::http {

/// Bytes that were read and not yet parsed, in one piece.
class byte_buffer {
public:
  struct space {
    char* data = nullptr;
    std::size_t size = 0;
  };

  [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }
  [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.get() + begin_, size()}; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  void commit(std::size_t n) noexcept { end_ += n; }
  void consume(std::size_t n) noexcept {
    begin_ += n;
    if (empty())
      begin_ = end_ = 0;
  }

  /// Returns the free space after the held bytes; at least one byte, and the whole buffer has at least `capacity` bytes.
  [[nodiscard]] space prepare(std::size_t capacity) {
    if (begin_ != 0) {
      std::memmove(bytes_.get(), bytes_.get() + begin_, size());
      end_ -= begin_;
      begin_ = 0;
    }
    if (capacity < end_ + 1)
      capacity = end_ + end_ / 2 + 1;
    if (capacity_ < capacity) {
      auto larger = std::make_unique_for_overwrite<char[]>(capacity);
      if (end_ != 0)
        std::memcpy(larger.get(), bytes_.get(), end_);
      bytes_ = std::move(larger);
      capacity_ = capacity;
    }
    return {bytes_.get() + end_, capacity_ - end_};
  }

  /// Frees the memory when no bytes are held.
  void release() noexcept {
    if (empty()) {
      bytes_.reset();
      capacity_ = 0;
    }
  }

private:
  std::unique_ptr<char[]> bytes_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

} // namespace ringmaster::gateway::http

#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "executor/job_log.hpp"

namespace ringmaster::test {

/// Run logs in memory.
class recorded_log {
public:
  /// Called on the thread of the run, with all output so far.
  std::function<void(const std::string& text)> seen;

  [[nodiscard]] executor::log_opener opener() {
    return [this](const core::trigger_request&) { return std::make_unique<writer>(*this); };
  }
  [[nodiscard]] std::vector<std::string> lines() const {
    const std::lock_guard lock{guard_};
    return lines_;
  }
  /// Returns the file, or its substitute, of the last line.
  [[nodiscard]] std::string last_place() const {
    const std::lock_guard lock{guard_};
    return last_place_;
  }
  [[nodiscard]] std::string text() const {
    const std::lock_guard lock{guard_};
    return text_;
  }

private:
  class writer final : public executor::job_log {
  public:
    explicit writer(recorded_log& to) : to_{to} {}
    void line(std::string_view text, const executor::code_place& where) override {
      const std::lock_guard lock{to_.guard_};
      to_.lines_.emplace_back(text);
      to_.last_place_ = where.file;
    }
    void raw(std::string_view output) override {
      {
        const std::lock_guard lock{to_.guard_};
        to_.text_ += output;
      }
      if (to_.seen)
        to_.seen(to_.text());
    }

  private:
    recorded_log& to_;
  };

  mutable std::mutex guard_;
  std::vector<std::string> lines_;
  std::string last_place_;
  std::string text_;
};

} // namespace ringmaster::test

#pragma once

// Doubles of the actors that work for users. They record each request as one line, check the permissions that the catalogue
// promises, and answer the same rows each time.
//
// The test users have group 1; all other groups are foreign. Objects below 1000 are in group 1, others in group 2. The log of run
// 71 is a kept log.

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/actor_interfaces.hpp"
#include "protocol/admin_messages.hpp"
#include "protocol/forecast_messages.hpp"
#include "protocol/caf.hpp"
#include "protocol/error.hpp"
#include "protocol/messages.hpp"

namespace ringmaster::test {

/// Requests to the doubles, and their scripted answers. Any thread.
class admin_script {
public:
  /// Makes the next answer, or the next answers to lines that begin with `of`, this error; session look-ups are not affected.
  void refuse(core::error error, std::string of = {}, int times = 1) {
    std::lock_guard guard{mutex_};
    refusal_ = std::move(error);
    refused_line_ = std::move(of);
    refusals_ = times;
  }
  /// Makes edits of jobs wait this long for their answer, those whose line begins with `of`.
  void slow_down(std::chrono::milliseconds by, std::string of = {}) {
    std::lock_guard guard{mutex_};
    slow_ = by;
    slow_line_ = std::move(of);
  }
  [[nodiscard]] std::chrono::milliseconds delay_of(std::string_view line) {
    std::lock_guard guard{mutex_};
    return line.starts_with(slow_line_) ? slow_ : std::chrono::milliseconds{0};
  }
  /// Returns the lines since the last call, without session look-ups.
  std::vector<std::string> take_asked() {
    std::lock_guard guard{mutex_};
    return std::exchange(asked_, {});
  }

  /// Returns the keys looked up since the last call, with the address.
  std::vector<std::string> take_keys() {
    std::lock_guard guard{mutex_};
    return std::exchange(keys_, {});
  }
  void note_key(std::string line) {
    std::lock_guard guard{mutex_};
    keys_.push_back(std::move(line));
  }

  template <class T>
  caf::result<T> answer(std::string line, T value) {
    if (auto refused = note(std::move(line)))
      return protocol::to_caf(*refused);
    return value;
  }
  /// Answers as above, if `by` has that permission there.
  template <class T>
  caf::result<T> answer(const std::string& line, const core::principal& by, core::result<void> checked, T value) {
    if (auto refused = note(line + " by " + by.name + "@" + by.remote))
      return protocol::to_caf(*refused);
    if (!checked)
      return protocol::to_caf(checked.error());
    return value;
  }
  caf::result<void> answer_done(const std::string& line, const core::principal& by, const core::result<void>& checked) {
    if (auto refused = note(line + " by " + by.name + "@" + by.remote))
      return protocol::to_caf(*refused);
    if (!checked)
      return protocol::to_caf(checked.error());
    return {};
  }
  std::optional<core::error> note(std::string line) {
    std::lock_guard guard{mutex_};
    asked_.push_back(std::move(line));
    if (refusals_ == 0 || !asked_.back().starts_with(refused_line_))
      return std::nullopt;
    --refusals_;
    return refusal_;
  }

private:
  std::mutex mutex_;
  std::vector<std::string> asked_;
  std::vector<std::string> keys_;
  std::optional<core::error> refusal_;
  std::string refused_line_;
  int refusals_ = 0;
  std::chrono::milliseconds slow_{0};
  std::string slow_line_;
};

template <class Id>
core::group_id group_of(Id object) {
  return core::group_id{core::number(object) < 1000 ? 1 : 2};
}

/// Returns `name(a, b, …)`.
template <class... Parts>
std::string line_of(std::string_view name, const Parts&... parts) {
  std::string line{name};
  [[maybe_unused]] const auto add = [&line](const auto& part) {
    using part_type = std::decay_t<decltype(part)>;
    line += line.back() == '(' ? "" : ", ";
    if constexpr (std::is_convertible_v<part_type, std::string_view>)
      line += "'" + std::string{part} + "'";
    else if constexpr (std::is_same_v<part_type, bool>)
      line += part ? "true" : "false";
    else if constexpr (std::is_enum_v<part_type>)
      line += std::to_string(core::number(part));
    else
      line += std::to_string(part);
  };
  line += "(";
  (add(parts), ...);
  return line + ")";
}

/// Returns a number, or `-`.
template <class Value>
std::string text_of(const std::optional<Value>& value) {
  if (!value)
    return "-";
  if constexpr (std::is_same_v<Value, core::time_point>)
    return std::to_string(core::to_ms(*value));
  else if constexpr (std::is_enum_v<Value>)
    return std::to_string(core::number(*value));
  else
    return std::to_string(*value);
}

inline std::string text_of(const core::page_window& window) {
  return std::to_string(window.offset) + "+" + std::to_string(window.limit);
}

using core::group_right;

struct job_admin_double {
  static inline const char* name = "test.job_admin";
  job_admin_double(protocol::job_admin::pointer self, std::shared_ptr<admin_script> of) : self_{self}, script{std::move(of)} {}
  protocol::job_admin::behavior_type make_behavior();
  caf::result<core::job_edit> edit(std::string line, core::job_id job, group_right wanted, const core::principal& by);
  protocol::job_admin::pointer self_;
  std::shared_ptr<admin_script> script;
};

struct run_admin_double {
  static inline const char* name = "test.run_admin";
  run_admin_double(protocol::run_admin::pointer, std::shared_ptr<admin_script> of) : script{std::move(of)} {}
  protocol::run_admin::behavior_type make_behavior();
  std::shared_ptr<admin_script> script;
};

/// Answers with the end of the log after the whole wait.
struct log_follower_double {
  static inline const char* name = "test.log_follower";
  log_follower_double(protocol::log_follower::pointer self, std::shared_ptr<admin_script> of)
    : self_{self}, script{std::move(of)} {}
  protocol::log_follower::behavior_type make_behavior();
  caf::result<core::run_log> follow(const protocol::follow_log& asked);
  protocol::log_follower::pointer self_;
  std::shared_ptr<admin_script> script;
};

struct group_admin_double {
  static inline const char* name = "test.group_admin";
  group_admin_double(protocol::group_admin::pointer, std::shared_ptr<admin_script> of) : script{std::move(of)} {}
  protocol::group_admin::behavior_type make_behavior();
  std::shared_ptr<admin_script> script;
};

/// Returns the API key of one of the users below.
inline std::string key_of(const std::string& name) {
  return std::string{core::api_key_prefix} + name + std::string(43 - name.size(), '-');
}

/// Sessions have the name of their role: admin, viewer, operator, editor, stranger (without any permission) and mona, who must
/// change her password. Keys are made by key_of; `throttled` and `broken` are refused as their names say.
struct user_admin_double {
  static inline const char* name = "test.user_admin";
  user_admin_double(protocol::user_admin::pointer, std::shared_ptr<admin_script> of) : script{std::move(of)} {}
  protocol::user_admin::behavior_type make_behavior();
  caf::result<protocol::identified> identify_key(const protocol::identify_key& m);
  std::shared_ptr<admin_script> script;
};

} // namespace ringmaster::test

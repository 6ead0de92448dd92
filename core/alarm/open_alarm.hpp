#pragma once

// Alarms as administrators see them: those that are not finished, and the latest messages about them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/alarm/alarm.hpp"
#include "core/ids.hpp"
#include "core/time.hpp"

namespace ringmaster::core {

/// An alarm that is not finished: it waits for a node, or a node has taken it and sends its message. Rows of `rm_alarm_open` are
/// others: jobs whose alarm was sent and whose recovery is awaited.
struct open_alarm {
  alarm_id id{};
  alarm_kind kind = alarm_kind::failure;
  job_id job{};
  /// Unset if the job does not exist any more.
  std::optional<std::string> job_name = {};
  /// Unset if the job or its group does not exist any more, as is the title.
  std::optional<group_id> group = {};
  std::optional<std::string> group_title = {};
  /// The failed run; for a recovery, the first that succeeded.
  log_id run{};
  /// Time of the decision to raise the alarm.
  time_point since{};
  /// Node that has taken the alarm and is up; unset: the alarm waits.
  std::optional<std::string> node = {};
  /// Set for an elastic job, which has neither `job` nor `run`.
  std::optional<elastic_subject> elastic = {};
  friend bool operator==(const open_alarm&, const open_alarm&) = default;
};

/// Open alarms, oldest first.
struct open_alarm_list {
  std::vector<open_alarm> rows;
  /// There are more open alarms.
  bool more = false;
};

/// Maximum number of open alarms in one list.
inline constexpr std::size_t open_alarms_max = 200;

/// Outcome of the last attempt to send a message.
enum class message_outcome : std::uint8_t { delivered, will_retry, given_up };

/// Subject of a message.
struct message_subject {
  /// Unset for a summary of alarms that a channel's limit held back; it names no job and no run.
  std::optional<alarm_kind> kind = {};
  job_id job{};
  std::string job_name = {};
  log_id run{};
  /// Number of alarms that the message stands for.
  std::uint64_t count = 1;
  /// Set for an elastic job, which has neither `job` nor `run`.
  std::optional<elastic_subject> elastic = {};
  friend bool operator==(const message_subject&, const message_subject&) = default;
};

/// A message to one recipient that was sent, or could not be sent so far.
struct sent_message {
  /// Equal for each attempt.
  std::string id;
  std::string channel;
  /// Address for mail; empty for other channels.
  std::string recipient;
  message_subject about = {};
  /// Time of the last attempt's outcome.
  time_point at{};
  message_outcome outcome = message_outcome::delivered;
  unsigned attempts = 0;
  /// Why the message was not delivered; empty otherwise.
  std::string detail = {};
  friend bool operator==(const sent_message&, const sent_message&) = default;
};

} // namespace ringmaster::core

#pragma once

// Requests of administrators about alarms that are not finished, and about the messages that a node sent.

#include <string>
#include <vector>

#include "core/access/principal.hpp"
#include "core/alarm/open_alarm.hpp"

namespace ringmaster::protocol {

/// Lists the oldest alarms that are not finished.
struct open_alarms_query {
  core::principal by;
};

struct open_alarms {
  core::open_alarm_list list;
};

/// Lists the latest messages of the node.
struct sent_messages_query {
  core::principal by;
};

struct sent_messages {
  /// Newest first.
  std::vector<core::sent_message> rows;
  /// Id of the node; empty before its first incarnation.
  std::string node;
};

} // namespace ringmaster::protocol

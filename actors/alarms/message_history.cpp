#include "actors/alarms/message_history.hpp"

#include <utility>

#include "core/text/text.hpp"

namespace ringmaster::actors {

void message_history::add(core::sent_message message) {
  const auto detail = core::valid_utf8(message.detail);
  message.detail = core::cut_bytes(detail, detail_bytes_max);
  std::erase_if(all_, [&](const core::sent_message& known) {
    return known.id == message.id && known.channel == message.channel && known.recipient == message.recipient;
  });
  all_.push_front(std::move(message));
  if (all_.size() > messages_max)
    all_.pop_back();
}

} // namespace ringmaster::actors

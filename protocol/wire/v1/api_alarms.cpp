#include "protocol/wire/v1/api_alarms.hpp"

#include "protocol/wire/json/json_object.hpp"
#include "protocol/wire/v1/api_members.hpp"
#include "protocol/wire/v1/api_page.hpp"

namespace ringmaster::protocol::wire {

std::string api_channels(const std::vector<core::alarm_channel>& channels) {
  return json_object_of([&](json_object& list) {
    list.raw("items", json_array(channels, [](std::string& out, const core::alarm_channel& each) {
               json_object row{out};
               row.text("name", each.name);
               row.text("kind", each.kind);
               row.text("place", each.place);
               append_text_or_null(row, "sender", each.sender);
             }));
  });
}

core::result<std::string> parse_api_channel_test(std::string_view body) {
  return read_api_object(body.find_first_not_of(" \t\r\n") == std::string_view::npos ? "{}" : body,
                         [](api_members& in) { return in.text("to"); });
}

std::string api_channel_tested(bool delivered, std::string_view detail, core::milliseconds took) {
  return json_object_of([&](json_object& told) {
    told.boolean("delivered", delivered);
    append_text_or_null(told, "detail", detail);
    told.number("took_ms", took.count());
  });
}

} // namespace ringmaster::protocol::wire

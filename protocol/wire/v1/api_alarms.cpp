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

std::string api_alarm_rules(std::span<const core::held_alarm> rules) {
  return json_array(rules, [](std::string& out, const core::held_alarm& each) {
    const auto& rule = each.rule;
    json_object row{out};
    row.text("key", rule.key);
    row.text("source", each.source);
    append_text_or_null(row, "group", rule.group);
    append_text_or_null(row, "job", rule.job);
    row.raw("channels", json_array(rule.channels));
    row.raw("mail_to", json_array(rule.mail_to));
    row.text("on", core::stored_name(rule.on));
    rule.dedup ? row.number("dedup_ms", rule.dedup->count()) : row.null("dedup_ms");
    row.boolean("recovered", rule.recovered);
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

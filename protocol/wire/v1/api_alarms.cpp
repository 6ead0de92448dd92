#include "protocol/wire/v1/api_alarms.hpp"

#include "protocol/wire/json/json_object.hpp"
#include "protocol/wire/v1/api_members.hpp"
#include "protocol/wire/v1/api_page.hpp"

namespace ringmaster::protocol::wire {

namespace {

std::string_view name_of_kind(const std::optional<core::alarm_kind>& kind, const std::optional<core::elastic_subject>& elastic) {
  if (!kind)
    return "summary";
  if (elastic && elastic->cause)
    return stored_name(kind_of(*elastic->cause));
  return *kind == core::alarm_kind::recovery ? "recovery" : "failure";
}

std::string_view name_of_outcome(core::message_outcome outcome) {
  switch (outcome) {
    case core::message_outcome::delivered:
      return "delivered";
    case core::message_outcome::will_retry:
      return "will_retry";
    case core::message_outcome::given_up:
      break;
  }
  return "given_up";
}

/// Appends the job and the run: those of an ordinary job, or those of an elastic one. `names_job`: there is a job.
void append_subject(json_object& row, bool names_job, core::job_id job, core::log_id run,
                    const std::optional<core::elastic_subject>& elastic) {
  const bool ordinary = names_job && !elastic;
  ordinary ? row.number("job", number(job)) : row.null("job");
  ordinary ? row.number("run", number(run)) : row.null("run");
  elastic ? row.number("elastic_job", core::number(elastic->job)) : row.null("elastic_job");
  elastic && elastic->item != core::elastic::whole_job ? row.number("item", core::number(elastic->item)) : row.null("item");
  const bool has_run = elastic && core::number(elastic->run) != 0;
  has_run ? row.number("item_run", core::number(elastic->run)) : row.null("item_run");
}

void append_open_alarm(std::string& out, const core::open_alarm& alarm) {
  json_object row{out};
  row.number("id", number(alarm.id));
  row.text("kind", name_of_kind(alarm.kind, alarm.elastic));
  append_subject(row, true, alarm.job, alarm.run, alarm.elastic);
  append_text_or_null(row, "job_name", alarm.job_name.value_or(""));
  alarm.group ? row.number("group", number(*alarm.group)) : row.null("group");
  append_text_or_null(row, "group_title", alarm.group_title.value_or(""));
  row.number("since_ms", core::to_ms(alarm.since));
  row.text("state", alarm.node ? "taken" : "waiting");
  append_text_or_null(row, "node", alarm.node.value_or(""));
}

void append_message(std::string& out, const core::sent_message& message) {
  const auto& about = message.about;
  json_object row{out};
  row.number("at_ms", core::to_ms(message.at));
  row.text("channel", message.channel);
  append_text_or_null(row, "recipient", message.recipient);
  row.text("kind", name_of_kind(about.kind, about.elastic));
  append_subject(row, about.kind.has_value(), about.job, about.run, about.elastic);
  append_text_or_null(row, "job_name", about.job_name);
  row.number("count", static_cast<std::int64_t>(about.count));
  row.text("outcome", name_of_outcome(message.outcome));
  row.number("attempts", message.attempts);
  append_text_or_null(row, "detail", message.detail);
}

} // namespace

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
    row.raw("kinds",
            json_array(rule.kinds, [](std::string& to, core::elastic::item_alarm kind) { append_json(to, stored_name(kind)); }));
    row.boolean("recovered", rule.recovered);
  });
}

std::string api_open_alarms(const core::open_alarm_list& open, std::span<const core::sent_message> messages,
                            std::string_view node) {
  return json_object_of([&](json_object& list) {
    list.raw("items", json_array(open.rows, append_open_alarm));
    list.boolean("truncated", open.more);
    list.raw("messages", json_array(messages, append_message));
    append_text_or_null(list, "node", node);
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

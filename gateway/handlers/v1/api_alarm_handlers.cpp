#include <algorithm>
#include <span>
#include <utility>

#include "gateway/exchange/api_request.hpp"
#include "gateway/handlers/v1/handlers.hpp"
#include "protocol/alarm_messages.hpp"
#include "protocol/wire/v1/api_alarms.hpp"

namespace ringmaster::gateway::handlers::v1 {

void channel_list(exchange ex) {
  ex.ask<protocol::channel_list>(ex.services().partners.alarm_tests, protocol::channels_query{ex.who()},
                                 [](const exchange& waiting, const protocol::channel_list& list) {
                                   tell_json(waiting, protocol::wire::api_channels(list.channels));
                                 });
}

// The page is cut out of all rules here, because files declare few.
void alarm_rule_list(exchange ex) {
  const auto from = read_query(ex, [](const protocol::wire::form& sent) { return protocol::wire::api_cursor_of(sent); });
  if (!from)
    return;
  ex.ask<protocol::alarm_rules>(ex.services().partners.jobs, protocol::alarm_rules_query{ex.who()},
                                [from = *from](const exchange& waiting, const protocol::alarm_rules& rules) {
                                  const std::span all{rules.rows};
                                  const auto rest = all.subspan(std::min(static_cast<std::size_t>(from.place), all.size()));
                                  const auto part = rest.first(std::min(from.limit, rest.size()));
                                  const auto total = static_cast<std::int64_t>(all.size());
                                  tell_json(waiting, protocol::wire::api_page(protocol::wire::api_alarm_rules(part),
                                                                              next_position(from, part.size(), total), total));
                                });
}

void open_alarm_list(exchange ex) {
  ex.ask<protocol::open_alarms>(
    ex.services().partners.jobs, protocol::open_alarms_query{ex.who()},
    [](const exchange& waiting, const protocol::open_alarms& open) {
      waiting.ask<protocol::sent_messages>(
        waiting.services().partners.alarms, protocol::sent_messages_query{waiting.who()},
        [list = open.list](const exchange& still, const protocol::sent_messages& sent) {
          tell_json(still, protocol::wire::api_open_alarms(list, sent.rows, sent.node));
        });
    });
}

void channel_test(exchange ex) {
  auto to = read_json(ex, protocol::wire::parse_api_channel_test);
  if (!to)
    return;
  ex.ask<protocol::channel_tested>(ex.services().partners.alarm_tests,
                                   protocol::test_channel{std::string{ex.parameter("name")}, std::move(*to), ex.who()},
                                   [](const exchange& waiting, const protocol::channel_tested& outcome) {
                                     const auto& [delivered, detail, took] = outcome;
                                     tell_json(waiting, protocol::wire::api_channel_tested(delivered, detail, took));
                                   });
}

} // namespace ringmaster::gateway::handlers::v1

#include <utility>

#include "gateway/exchange/api_request.hpp"
#include "gateway/handlers/v1/handlers.hpp"
#include "protocol/wire/v1/api_alarms.hpp"

namespace ringmaster::gateway::handlers::v1 {

void channel_list(exchange ex) {
  ex.ask<protocol::channel_list>(ex.services().partners.alarm_tests, protocol::channels_query{ex.who()},
                                 [](const exchange& waiting, const protocol::channel_list& list) {
                                   tell_json(waiting, protocol::wire::api_channels(list.channels));
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

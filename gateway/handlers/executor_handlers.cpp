#include "gateway/handlers/executor_handlers.hpp"

#include <utility>

#include "protocol/wire/callback_codec.hpp"
#include "protocol/wire/registry_codec.hpp"

namespace ringmaster::gateway::handlers {

namespace {

/// Registrations are answered before anybody took them: so somebody must be there to.
const core::error no_registry{core::errc::unavailable, "the registry is not available"};

} // namespace

void registry(exchange ex) {
  auto wanted = protocol::wire::parse_registry(ex.request().body);
  if (!wanted)
    return ex.fail(wanted.error());
  if (!ex.services().registry_lives)
    return ex.fail(no_registry);
  const bool wants_app_header = !app_header(ex.request()).empty();
  protocol::send(ex.services().self, ex.services().partners.registry,
                 protocol::registry_beat{std::move(wanted->registry_group), std::move(wanted->registry_key),
                                         std::move(wanted->registry_value), wants_app_header});
  ex.succeed();
}

void registry_remove(exchange ex) {
  auto wanted = protocol::wire::parse_registry(ex.request().body);
  if (!wanted)
    return ex.fail(wanted.error());
  if (!ex.services().registry_lives)
    return ex.fail(no_registry);
  protocol::send(ex.services().self, ex.services().partners.registry,
                 protocol::registry_removal{std::move(wanted->registry_group), std::move(wanted->registry_key),
                                            std::move(wanted->registry_value)});
  ex.succeed();
}

void callback(exchange ex) {
  auto batch = protocol::wire::parse_callbacks(ex.request().body);
  if (!batch)
    return ex.fail(batch.error());
  const auto count = batch->items.size();
  ex.services().metrics.count_callbacks(count, batch->skipped);
  if (batch->skipped != 0)
    ex.services().log->warn("callback from {}: {} items name no run", ex.request().remote_address, batch->skipped);
  if (count == 0)
    return ex.succeed();
  ex.drop_body();
  ex.keep_silent();
  ex.ask<protocol::callbacks_stored>(
    ex.services().partners.completion, protocol::callback_batch{std::move(batch->items)},
    [](const exchange& waiting, const protocol::callbacks_stored&) { waiting.succeed(); },
    [count](const exchange& waiting, const core::error& error) {
      waiting.services().log->warn("callback from {}: {} results are not known to be stored: {} ({})",
                                   waiting.request().remote_address, count, error.context, core::to_string(error.code));
      waiting.services().metrics.count_unanswered(count);
      waiting.leave_unanswered();
    });
}

} // namespace ringmaster::gateway::handlers

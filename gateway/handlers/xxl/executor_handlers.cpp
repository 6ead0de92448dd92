#include "gateway/handlers/xxl/handlers.hpp"

#include <utility>

#include "core/text/native_address.hpp"
#include "protocol/wire/executor/callback_codec.hpp"
#include "protocol/wire/executor/registry_codec.hpp"
#include "protocol/wire/xxl/texts.hpp"

namespace ringmaster::gateway::handlers {

namespace {

/// Refuses a registration when the registry's actor has ended: registrations are answered before the actor takes them.
const core::error no_registry{core::errc::unavailable, "the registry is not available"};

/// A group's token admits only the executors of that group.
bool speaks_for(const exchange& ex, const std::string& app_name) {
  const auto& group = ex.admission().group;
  if (!group)
    return true;
  const auto& book = ex.services().tokens;
  const auto named = book ? book->find(app_name) : token_book::const_iterator{};
  if (book && named != book->end() && named->second.group == *group)
    return true;
  ex.refuse(protocol::wire::reply_text::token_or_app_invalid);
  return false;
}

void pass_on_beat(const exchange& ex, protocol::registry_beat beat) {
  protocol::send(ex.services().self, ex.services().partners.registry, std::move(beat));
  ex.succeed();
}

} // namespace

void registry(exchange ex) {
  auto wanted = protocol::wire::parse_registry(ex.request().body);
  if (!wanted)
    return ex.fail(wanted.error());
  if (!ex.services().registry_lives)
    return ex.fail(no_registry);
  if (!speaks_for(ex, wanted->registry_key))
    return;
  if (core::is_native_address(wanted->registry_value))
    return ex.refuse("registryValue: such an address can only be registered over a native link.");
  if (const auto why = ex.services().judge(wanted->registry_value); !why.empty()) {
    ex.note_refused(refused_for::outside_networks, wanted->registry_key, wanted->registry_value);
    return ex.refuse("registryValue: " + why);
  }
  // Accepted, as XXL-JOB does: the group may be created later. Until then no job runs there.
  if (const auto& groups = ex.services().tokens; groups && !groups->contains(wanted->registry_key))
    ex.note_refused(refused_for::unknown_app, wanted->registry_key, wanted->registry_value);
  const bool wants_app_header = !app_header(ex.request()).empty();
  protocol::registry_beat beat{std::move(wanted->registry_group), std::move(wanted->registry_key),
                               std::move(wanted->registry_value), wants_app_header, ex.admission().token};
  if (beat.token == core::token_kind::common)
    return pass_on_beat(ex, std::move(beat));
  ex.ask<protocol::claim_verdict>(ex.services().partners.registry, protocol::address_claim{beat.app_name, beat.address},
                                  [beat](const exchange& waiting, const protocol::claim_verdict& verdict) {
                                    if (!verdict.refusal.empty())
                                      return waiting.refuse("registryValue: " + verdict.refusal);
                                    pass_on_beat(waiting, beat);
                                  });
}

void registry_remove(exchange ex) {
  auto wanted = protocol::wire::parse_registry(ex.request().body);
  if (!wanted)
    return ex.fail(wanted.error());
  if (!ex.services().registry_lives)
    return ex.fail(no_registry);
  if (!speaks_for(ex, wanted->registry_key))
    return;
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
  for (auto& item : batch->items)
    item.only_of = ex.admission().groups;
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

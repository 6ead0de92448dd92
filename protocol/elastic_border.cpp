#include "protocol/elastic_border.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "core/cluster/slot_map.hpp"
#include "core/elastic/elastic_definition.hpp"
#include "core/elastic/item_params.hpp"
#include "core/elastic/plan.hpp"
#include "core/text/text.hpp"

namespace ringmaster::protocol {

namespace {

using elastic_limit = elastic_link_limits;

// Widths of the columns of `ej_node`.
constexpr std::size_t boot_chars = 36;
constexpr std::size_t ip_chars = 50;
constexpr std::size_t node_chars = 64;

/// Overhead of each item in addition to its texts, in bytes.
constexpr std::size_t item_bytes = 96;
constexpr std::int32_t attempt_max = 255;

/// Returns whether a column of this width can hold the text.
bool fits_column(std::string_view text, std::size_t characters) {
  return text.size() <= 4 * characters && core::valid_utf8(text) == text && core::fits(text, characters);
}

/// Returns whether these can be the names of handlers or listeners of a host.
bool are_names(const std::vector<std::string>& names) {
  const auto is_name = [](const std::string& name) {
    return !name.empty() && fits_column(name, core::elastic::elastic_handler_chars);
  };
  return names.size() <= elastic_limit::items_max && std::all_of(names.begin(), names.end(), is_name);
}

bool is_wall_time(core::time_point when) noexcept {
  const auto ms = core::to_ms(when);
  return ms >= 0 && ms <= core::latest_ms;
}

bool is_host_process(const core::elastic::host_process& host) noexcept {
  return core::number(host.host) > 0 && core::number(host.incarnation) > 0;
}

bool is_lease_of_slot(std::uint32_t slot, std::int64_t epoch) noexcept { return slot < core::slot_count && epoch > 0; }

bool is_item(core::elastic::item_number item) noexcept {
  return item >= core::elastic::after_hook_item && core::number(item) < core::elastic::items_max;
}

/// Returns whether job, item, run and fence of an event or of a held run can exist.
template <class Run>
bool names_item_run(const Run& run) noexcept {
  return core::number(run.job) > 0 && is_item(run.item) && core::number(run.run) > 0 && core::number(run.fence) > 0;
}

template <class Run>
bool names_fenced_run(const Run& run) noexcept {
  return core::number(run.run) > 0 && core::number(run.fence) > 0;
}

std::string breach_of_number(std::size_t count, std::string_view what) {
  if (count <= elastic_limit::items_max)
    return {};
  return std::string{what} + " of " + std::to_string(count) + " items";
}

std::string breach_of_bytes(std::size_t bytes, std::size_t bytes_max, std::string_view what) {
  return bytes <= bytes_max ? std::string{} : std::string{what} + " of " + std::to_string(bytes) + " bytes";
}

std::string breach_of_event(const elastic_event& event) {
  if (!names_item_run(event))
    return "an event of an impossible item run";
  if (event.kind > elastic_event_kind::fenced || event.refusal > elastic_refusal::unknown_listener
      || event.outcome > core::elastic::host_outcome::cancelled || !is_wall_time(event.at) || event.child_pid < 0)
    return "an event with an unknown value";
  if ((event.kind == elastic_event_kind::refused) != (event.refusal != elastic_refusal::none))
    return "an event with a wrong reason";
  if (event.text.size() > elastic_limit::text_bytes_max)
    return "an event with a long text";
  const bool may_have_cursor = event.kind == elastic_event_kind::cursor || event.kind == elastic_event_kind::finished;
  if ((event.cursor && !may_have_cursor) || (event.kind == elastic_event_kind::cursor && !event.cursor)
      || event.cursor.has_value() != (event.cursor_number != 0))
    return "an event with a wrong cursor";
  return event.cursor && event.cursor->size() > elastic_limit::cursor_bytes_max ? "an event with a long cursor" : std::string{};
}

std::string breach_of_spec(const elastic_spec& spec) {
  namespace elastic = core::elastic;
  if (core::number(spec.job) <= 0 || spec.version < 0)
    return "a definition of an impossible job";
  if (spec.total < 1 || spec.total > elastic::items_max)
    return "a definition with an impossible number of items";
  if (spec.name.empty())
    return "a definition without a name";
  const auto is_long = [](const std::string* text) { return text->size() > elastic_limit::text_bytes_max; };
  const std::initializer_list<const std::string*> texts{&spec.name_space,    &spec.name,           &spec.kind,
                                                        &spec.handler,       &spec.pool,           &spec.listeners,
                                                        &spec.error_handler, &spec.once_listeners, &spec.props};
  const bool has_long_params = spec.item_params.size() > elastic::item_params_bytes_max;
  return has_long_params || std::any_of(texts.begin(), texts.end(), is_long) ? "a definition with a long text" : std::string{};
}

std::string breach_of_grant(const elastic_grant& grant) {
  if (!is_item(grant.item) || !names_fenced_run(grant))
    return "a grant of an impossible item run";
  if (grant.source > core::elastic::run_source::manual || grant.fire_source > core::elastic::run_source::manual
      || grant.attempt < 1 || grant.attempt > attempt_max
      || !is_wall_time(grant.fire_at))
    return "a grant with an unknown value";
  if (grant.lease <= core::milliseconds{0} || grant.lease > elastic_limit::lease_max)
    return "a grant with an impossible lease";
  return grant.cursor && grant.cursor->size() > elastic_limit::cursor_bytes_max ? "a grant with a long cursor" : std::string{};
}

/// Checks each item, then their number and bytes.
template <class Items, class Check>
std::string breach_of_each(const Items& items, Check check) {
  std::string why;
  for (auto item = items.begin(); why.empty() && item != items.end(); ++item)
    why = check(*item);
  return why;
}

template <class Items>
std::size_t sum_of_bytes(const Items& items) noexcept {
  std::size_t bytes = 0;
  for (const auto& item : items)
    bytes += bytes_of(item);
  return bytes;
}

/// Slots are ascending, so that none occurs twice.
bool are_epochs(const std::vector<core::elastic::slot_lease>& epochs) noexcept {
  for (std::size_t i = 0; i < epochs.size(); ++i)
    if (!is_lease_of_slot(epochs[i].slot, epochs[i].epoch) || (i > 0 && epochs[i].slot <= epochs[i - 1].slot))
      return false;
  return true;
}

} // namespace

bool is_elastic_key(std::string_view text) noexcept {
  return text.size() == elastic_limit::key_digits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::size_t bytes_of(const elastic_event& event) noexcept {
  return item_bytes + event.text.size() + (event.cursor ? event.cursor->size() : 0);
}

std::size_t bytes_of(const elastic_spec& spec) noexcept {
  return item_bytes + spec.name_space.size() + spec.name.size() + spec.kind.size() + spec.handler.size()
         + spec.item_params.size() + spec.pool.size() + spec.error_handler.size() + spec.listeners.size()
         + spec.once_listeners.size() + spec.props.size();
}

std::size_t bytes_of(const elastic_grant& grant) noexcept { return item_bytes + (grant.cursor ? grant.cursor->size() : 0); }

std::string breach_of(const elastic_hello& hello) {
  if (!is_elastic_key(hello.process) || !is_elastic_key(hello.folder))
    return "a host without the key of its process or folder";
  if (hello.boot.empty() || !fits_column(hello.boot, boot_chars) || hello.pid <= 0 || hello.pid_namespace < 0
      || hello.start_ticks < 0)
    return "a host of an impossible process";
  if (hello.ip.empty() || !fits_column(hello.ip, ip_chars))
    return "a host with an impossible address";
  if (hello.labels.size() > elastic_limit::label_bytes_max || !fits_column(hello.labels, elastic_limit::label_bytes_max))
    return "a host with impossible labels";
  if (hello.capacity < 0 || hello.capacity > elastic_limit::capacity_max)
    return "a host of an impossible capacity";
  if (!are_names(hello.handlers))
    return "a host with impossible handlers";
  if (!are_names(hello.listeners) || !are_names(hello.once_listeners))
    return "a host with impossible listeners";
  if (!hello.cluster.empty() && !is_elastic_key(hello.cluster))
    return "a host of an impossible cluster";
  return are_epochs(hello.epochs) ? std::string{} : "a host with impossible epochs";
}

std::string breach_of(const elastic_heartbeat& beat) {
  const bool counts = beat.number > 0 && core::number(beat.incarnation) > 0 && beat.keeper_no >= 0;
  return counts && is_wall_time(beat.wall) && beat.free_slots >= 0 && beat.tainted >= 0 ? std::string{}
                                                                                         : "an impossible heartbeat";
}

std::string breach_of(const elastic_events& batch) {
  if (batch.batch == 0 || batch.events.empty())
    return "an empty batch of events";
  auto why = breach_of_number(batch.events.size(), "a batch of events");
  if (why.empty())
    why = breach_of_each(batch.events, breach_of_event);
  return why.empty() ? breach_of_bytes(sum_of_bytes(batch.events), elastic_limit::bytes_max, "a batch of events") : why;
}

std::string breach_of(const elastic_inventory& part) {
  if (part.question == 0 || !is_lease_of_slot(part.slot, part.epoch))
    return "an inventory without a question";
  if (part.runs.empty() && !part.end)
    return "an empty part of an inventory";
  auto why = breach_of_number(part.runs.size(), "an inventory");
  return why.empty() ? breach_of_each(part.runs, [](const elastic_held_run& run) {
    return names_item_run(run) && run.phase <= elastic_phase::ended ? std::string{} : "an inventory of an impossible item run";
  }) : why;
}

std::string breach_of(const elastic_welcome& welcome) {
  if (welcome.verdict > elastic_verdict::unavailable)
    return "an answer to a hello with an unknown verdict";
  if (welcome.reason.size() > link_limits::name_bytes_max)
    return "an answer to a hello with a long text";
  if (welcome.verdict != elastic_verdict::welcome)
    return {};
  if (!is_elastic_key(welcome.cluster) || welcome.node.empty() || !fits_column(welcome.node, node_chars))
    return "a welcome of an impossible node";
  if (!is_host_process(welcome.host) || welcome.keeper_no < 0)
    return "a welcome of an impossible host";
  constexpr core::milliseconds beat_min{10};
  constexpr core::milliseconds limit_max{60'000};
  const auto& [heartbeat, keeper_lost_after] = welcome.limits;
  return heartbeat >= beat_min && keeper_lost_after >= heartbeat && keeper_lost_after <= limit_max
           ? std::string{}
           : "a welcome with impossible limits";
}

std::string breach_of(const elastic_ack& ack) {
  return ack.number > 0 && ack.keeper_no >= 0 ? std::string{} : "an impossible acknowledgement";
}

std::string breach_of(const elastic_specs& batch) {
  if (batch.specs.empty())
    return "an empty batch of definitions";
  auto why = breach_of_number(batch.specs.size(), "a batch of definitions");
  if (why.empty())
    why = breach_of_each(batch.specs, breach_of_spec);
  return why.empty() ? breach_of_bytes(sum_of_bytes(batch.specs), elastic_limit::bytes_max, "a batch of definitions") : why;
}

std::string breach_of(const elastic_grants& grants) {
  if (!is_host_process(grants.host) || !is_lease_of_slot(grants.slot, grants.epoch) || core::number(grants.job) <= 0
      || grants.version < 0)
    return "grants of an impossible job or host";
  if (grants.items.empty())
    return "empty grants";
  if (grants.param.size() > elastic_limit::text_bytes_max)
    return "grants with a long parameter";
  auto why = breach_of_number(grants.items.size(), "grants");
  if (why.empty())
    why = breach_of_each(grants.items, breach_of_grant);
  return why.empty() ? breach_of_bytes(grants.param.size() + sum_of_bytes(grants.items), elastic_limit::grant_bytes_max, "grants")
                     : why;
}

std::string breach_of(const elastic_orders& orders) {
  if (!is_host_process(orders.host) || !is_lease_of_slot(orders.slot, orders.epoch))
    return "orders of an impossible slot or host";
  if (orders.orders.empty() && orders.inventory == 0)
    return "empty orders";
  auto why = breach_of_number(orders.orders.size(), "orders");
  return why.empty() ? breach_of_each(orders.orders, [](const elastic_run_order& each) {
    return names_fenced_run(each) && each.order <= core::elastic::item_order::close ? std::string{} : "an impossible order";
  }) : why;
}

std::string breach_of(const elastic_receipt& receipt) {
  return receipt.batch > 0 ? std::string{} : "a receipt without a batch";
}

} // namespace ringmaster::protocol

// E12: what operators set and ask for. Coordinators never write these columns (I8).

#include <algorithm>
#include <utility>

#include "core/elastic/elastic_fields.hpp"
#include "core/rules/schedule_repair.hpp"
#include "core/text/text.hpp"
#include "storage/elastic/elastic_edits.hpp"
#include "storage/elastic/elastic_role.hpp"

namespace ringmaster::storage {

namespace {

namespace elastic = core::elastic;

/// Requests of a job that may wait at the same time.
constexpr std::int64_t requests_max = 100;

core::audit_action action_for(elastic::job_status status) {
  switch (status) {
  case elastic::job_status::on: return core::audit_action::enable;
  case elastic::job_status::off: return core::audit_action::disable;
  case elastic::job_status::draining: return core::audit_action::drain;
  case elastic::job_status::shut_down: break;
  }
  return core::audit_action::shutdown;
}

core::audit_action switch_action(bool disabled) {
  return disabled ? core::audit_action::disable : core::audit_action::enable;
}

/// Runs `change(job)`, which answers with the edit, on a job that `by` may operate.
template <class Change>
core::result<elastic::elastic_edit_done> operate(admin_session& own, elastic::elastic_job_id job, const core::principal& by,
                                                 Change change) {
  return own.edit([&]() -> core::result<elastic::elastic_edit_done> {
    if (auto mode = own.begin_edit(); !mode)
      return tl::unexpected{mode.error()};
    auto held = hold_elastic_job(own, job, core::group_right::operate, by);
    if (!held)
      return tl::unexpected{held.error()};
    return change(*held);
  });
}

core::result<void> check_item_of(const elastic::elastic_job_row& job, elastic::item_number item) {
  if (core::number(item) < 0 || core::number(item) >= job.what.total)
    return core::fail(core::errc::not_found, "the elastic job has no item " + std::to_string(core::number(item)));
  return {};
}

elastic::elastic_edit_done unchanged(const elastic::elastic_job_row& job) { return {job.id, job.version, 0, job.next}; }

/// Writes or deletes the row of a server. Returns false if it is so already. Errors: `not_found` for a server without a host.
core::result<bool> switch_server(admin_session& own, const elastic::server_row& server, bool disabled, core::time_point now,
                                 const core::principal& by) {
  const bool known = own.finds("SELECT 1 FROM ej_server WHERE namespace = ? AND job = ? AND server = ?", server.name_space,
                               server.job, server.server);
  if (known == disabled && known)
    return false;
  if (!known && !own.finds("SELECT 1 FROM ej_node WHERE id = ? OR ip = ? LIMIT 1", server.server, server.server))
    return core::fail(core::errc::not_found, "no host has the id or IP address " + server.server);
  if (known == disabled)
    return false;
  const std::string name{core::cut_characters(by.name, 64)};
  if (disabled)
    own.execute("INSERT INTO ej_server (namespace, job, server, set_by, set_ms) VALUES (?, ?, ?, ?, ?)", server.name_space,
                server.job, server.server, name, now);
  else
    own.execute("DELETE FROM ej_server WHERE namespace = ? AND job = ? AND server = ?", server.name_space, server.job,
                server.server);
  return true;
}

/// Stores the status; `on` plans the next instant.
core::result<void> store_status(admin_session& own, elastic::elastic_job_row& held, elastic::job_status status,
                                core::time_point now) {
  core::counted_again times{std::nullopt, held.last};
  if (status == elastic::job_status::on) {
    auto again = times_from(own.schedule_zone(), held.what, held.id, held.last, now);
    if (!again)
      return tl::unexpected{again.error()};
    times = *again;
  }
  held.next = times.next;
  own.execute("UPDATE ej_job SET status = ? WHERE id = ?", status, held.id);
  store_times(own, held.id, times);
  return {};
}

/// A run, and the item that it belongs to.
struct run_place {
  elastic::elastic_job_id job{};
  elastic::item_number item{};
};

std::optional<run_place> place_of(admin_session& own, elastic::item_run_id run) {
  auto row = own.query("SELECT job, item FROM ej_run WHERE id = ?", run);
  if (!row.next())
    return std::nullopt;
  return run_place{row.id<elastic::elastic_job_id>(0), row.id<elastic::item_number>(1)};
}

/// Cancels a run of a job that the transaction has locked.
core::result<elastic::elastic_edit_done> cancel_held(admin_session& own, const elastic::elastic_job_row& held,
                                                     const run_place& place, elastic::item_run_id run, core::time_point now,
                                                     const core::principal& by) {
  const auto number = std::to_string(core::number(run));
  const auto item = std::to_string(core::number(place.item));
  {
    auto row = own.query("SELECT state, run, cancel_run FROM ej_item WHERE job = ? AND item = ? $for_update", held.id,
                         place.item);
    const bool known = row.next() && row.number(1) == core::number(run);
    const auto state = known ? elastic::stored_item_state{static_cast<std::uint8_t>(row.number(0))}
                             : elastic::stored_item_state::idle;
    if (state == elastic::stored_item_state::wanted)
      return core::fail(core::errc::conflict, "run " + number + " was lost, and item " + item
                                                + " waits for another host: disable the item to end its wait");
    if (state != elastic::stored_item_state::open)
      return core::fail(core::errc::conflict, "run " + number + " of item " + item + " has ended");
    if (row.number(2) == core::number(run))
      return unchanged(held);
  }
  own.execute("UPDATE ej_item SET cancel_run = ? WHERE job = ? AND item = ?", run, held.id, place.item);
  const auto revision = note_elastic_edit(own, held.id);
  audit_elastic(own, by, core::audit_action::cancel, held.id, held.what.name,
                {core::remark_line("run: " + number), core::remark_line("item: " + item)}, now);
  return elastic::elastic_edit_done{held.id, held.version, revision, held.next};
}

core::result<void> check_request(const elastic::request_row& request) {
  if (core::number(request.id) <= 0)
    return core::fail(core::errc::invalid_argument, "a request needs an id");
  if (!request.param)
    return {};
  if (request.param->size() > static_cast<std::size_t>(elastic::param_bytes))
    return core::fail(core::errc::too_large, "param: longer than " + std::to_string(elastic::param_bytes) + " bytes");
  if (core::valid_utf8(*request.param) != *request.param)
    return core::fail(core::errc::invalid_argument, "param: not a text in UTF-8");
  return {};
}

/// Checks that a repeated request asks for the same as the stored one. Returns false if none is stored. Errors: `conflict`.
core::result<bool> has_request(admin_session& own, const elastic::request_row& request) {
  auto row = own.query("SELECT item, policy, param FROM ej_request WHERE id = ? AND job = ?", request.id, request.job);
  if (!row.next())
    return false;
  const auto item = row.optional_number(0);
  const bool is_same_item = item.has_value() == request.item.has_value() && (!item || *item == core::number(*request.item));
  if (is_same_item && row.number(1) == static_cast<std::int64_t>(request.policy) && row.optional_string(2) == request.param)
    return true;
  return core::fail(core::errc::conflict, "elastic job " + std::to_string(core::number(request.job)) +
                                            " was already triggered with this key and another item, parameter or policy");
}

core::result<void> insert_request(admin_session& own, const elastic::request_row& request) {
  if (own.finds("SELECT 1 FROM ej_request WHERE id = ?", request.id))
    return core::fail(core::errc::conflict, "another elastic job has a request with this id");
  auto count = own.query("SELECT COUNT(*) FROM ej_request WHERE job = ?", request.job);
  if (count.next() && count.number(0) >= requests_max)
    return core::fail(core::errc::conflict, std::to_string(requests_max) + " requests of the elastic job wait already");
  own.execute("INSERT INTO ej_request (id, job, item, policy, param, at_ms) VALUES (?, ?, ?, ?, ?, ?)", request.id, request.job,
              request.item, request.policy, request.param, request.at);
  return {};
}

} // namespace

core::result<elastic::elastic_edit_done> switch_status(admin_session& own, elastic::elastic_job_row held,
                                                       elastic::job_status status, core::time_point now,
                                                       const core::principal& by) {
  if (held.status == status)
    return unchanged(held);
  if (auto stored = store_status(own, held, status, now); !stored)
    return tl::unexpected{stored.error()};
  const auto revision = note_elastic_edit(own, held.id);
  audit_elastic(own, by, action_for(status), held.id, held.what.name, {}, now);
  return elastic::elastic_edit_done{held.id, held.version, revision, held.next};
}

core::result<elastic::elastic_edit_done> elastic_role::set_status(elastic::elastic_job_id job, elastic::job_status status,
                                                                  core::time_point now, const core::principal& by) {
  return operate(own_, job, by, [&](elastic::elastic_job_row& held) {
    return switch_status(own_, std::move(held), status, now, by);
  });
}

core::result<elastic::elastic_edit_done> elastic_role::count_again(elastic::elastic_job_id job, core::time_point now,
                                                                   const core::principal& by) {
  return operate(own_, job, by, [&](elastic::elastic_job_row& held) -> core::result<elastic::elastic_edit_done> {
    const auto rule = rule_of(own_.schedule_zone(), held.what);
    if (!rule)
      return tl::unexpected{rule.error()};
    core::stored_times stored{core::job_id{core::number(job)}, held.next, held.last};
    // A wrong clock may have been later than the end of the schedule.
    if (held.status == elastic::job_status::on)
      stored.next = held.next.value_or(now);
    const auto repaired = core::repair_times(stored, **rule, now, own_.schedule_zone());
    store_times(own_, job, repaired.times);
    const auto revision = note_elastic_edit(own_, job);
    audit_elastic(own_, by, core::audit_action::update, job, held.what.name, repaired.changes, now);
    return elastic::elastic_edit_done{job, held.version, revision, repaired.times.next};
  });
}

core::result<elastic::elastic_edit_done> elastic_role::set_item_disabled(elastic::elastic_job_id job, elastic::item_number item,
                                                                         bool disabled, core::time_point now,
                                                                         const core::principal& by) {
  return operate(own_, job, by, [&](elastic::elastic_job_row& held) -> core::result<elastic::elastic_edit_done> {
    if (auto known = check_item_of(held, item); !known)
      return tl::unexpected{known.error()};
    // One statement is the condition and the change: 1 is the flag of operators, 2 that of surplus items.
    const auto changed =
      own_.execute("UPDATE ej_item SET flags = flags + ? WHERE job = ? AND item = ? AND flags IN (?, ?)", disabled ? 1 : -1, job,
                   item, disabled ? 0 : 1, disabled ? 2 : 3);
    if (changed == 0)
      return unchanged(held);
    const auto revision = note_elastic_edit(own_, job);
    audit_elastic(own_, by, switch_action(disabled), job, held.what.name,
                  {core::remark_line("item: " + std::to_string(core::number(item)))}, now);
    return elastic::elastic_edit_done{job, held.version, revision, held.next};
  });
}

// Coordinators read which run is cancelled, and tell its host. A run that they have not heard of yet is cancelled as well.
core::result<elastic::elastic_edit_done> elastic_role::restart(elastic::elastic_job_id job, core::time_point now,
                                                               const core::principal& by) {
  return operate(own_, job, by, [&](elastic::elastic_job_row& held) -> core::result<elastic::elastic_edit_done> {
    const auto cancelled =
      own_.execute("UPDATE ej_item SET cancel_run = run WHERE job = ? AND state = 1 AND cancel_run <> run", held.id);
    const bool is_on = held.status == elastic::job_status::on;
    if (is_on && cancelled == 0)
      return unchanged(held);
    if (auto stored = is_on ? core::result<void>{} : store_status(own_, held, elastic::job_status::on, now); !stored)
      return tl::unexpected{stored.error()};
    const auto revision = note_elastic_edit(own_, held.id);
    audit_elastic(own_, by, core::audit_action::restart, held.id, held.what.name,
                  {core::remark_line("runs cancelled: " + std::to_string(cancelled))}, now);
    return elastic::elastic_edit_done{held.id, held.version, revision, held.next};
  });
}

core::result<elastic::elastic_edit_done> elastic_role::cancel_run(elastic::item_run_id run, core::time_point now,
                                                                  const core::principal& by) {
  return own_.edit([&]() -> core::result<elastic::elastic_edit_done> {
    if (auto mode = own_.begin_edit(); !mode)
      return tl::unexpected{mode.error()};
    const auto place = place_of(own_, run);
    if (!place)
      return core::fail(core::errc::not_found, "unknown run " + std::to_string(core::number(run)) + " of an elastic job");
    const auto held = hold_elastic_job(own_, place->job, core::group_right::operate, by);
    if (!held)
      return tl::unexpected{held.error()};
    return cancel_held(own_, *held, *place, run, now, by);
  });
}

core::result<elastic::elastic_edit_done> elastic_role::set_server_disabled(elastic::elastic_job_id job,
                                                                           const std::string& server, bool disabled,
                                                                           core::time_point now, const core::principal& by) {
  if (auto sound = check_server(server); !sound)
    return tl::unexpected{sound.error()};
  return operate(own_, job, by, [&](elastic::elastic_job_row& held) -> core::result<elastic::elastic_edit_done> {
    const auto changed = switch_server(own_, {held.what.name_space, held.id, server}, disabled, now, by);
    if (!changed)
      return tl::unexpected{changed.error()};
    if (!*changed)
      return unchanged(held);
    const auto revision = note_elastic_edit(own_, held.id);
    audit_elastic(own_, by, switch_action(disabled), held.id, held.what.name, {core::remark_line("server: " + server)}, now);
    return elastic::elastic_edit_done{held.id, held.version, revision, held.next};
  });
}

core::result<elastic::elastic_edit_done> elastic_role::add_request(const elastic::request_row& request, core::time_point now,
                                                                   const core::principal& by) {
  if (auto sound = check_request(request); !sound)
    return tl::unexpected{sound.error()};
  return operate(own_, request.job, by, [&](elastic::elastic_job_row& held) -> core::result<elastic::elastic_edit_done> {
    if (auto known = request.item ? check_item_of(held, *request.item) : core::result<void>{}; !known)
      return tl::unexpected{known.error()};
    const auto known_request = has_request(own_, request);
    if (!known_request)
      return tl::unexpected{known_request.error()};
    if (*known_request)
      return unchanged(held);
    if (auto added = insert_request(own_, request); !added)
      return tl::unexpected{added.error()};
    const auto revision = note_elastic_edit(own_, request.job);
    audit_elastic(own_, by, core::audit_action::trigger, request.job, held.what.name, {}, now);
    return elastic::elastic_edit_done{request.job, held.version, revision, held.next};
  });
}

} // namespace ringmaster::storage

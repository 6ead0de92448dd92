#include "protocol/wire/v1/api_elastic.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "core/elastic/elastic_fields.hpp"
#include "protocol/wire/v1/api_elastic_drafts.hpp"
#include "protocol/wire/v1/api_members.hpp"

namespace ringmaster::protocol::wire {

namespace {

namespace elastic = core::elastic;

constexpr std::array<std::string_view, 4> status_names{"disabled", "enabled", "shut_down", "draining"};
constexpr std::array<std::string_view, 3> item_state_names{"idle", "running", "waiting"};
constexpr std::array<std::string_view, 4> source_names{"normal", "misfire", "failover", "manual"};
constexpr std::array<std::string_view, 4> host_state_names{"up", "silent", "dead", "left"};
constexpr std::array<std::string_view, 4> host_mode_names{"enabled", "disabled", "draining", "removed"};

template <class Enum, std::size_t Size>
std::string_view name_in(const std::array<std::string_view, Size>& names, Enum value) {
  const auto at = static_cast<std::size_t>(value);
  return at < Size ? names[at] : std::string_view{"unknown"};
}

std::string_view schedule_name(core::schedule_type type) { return name_in(elastic::fields::schedule_types, type); }

void append_nonzero(json_object& row, std::string_view name, std::int64_t id) {
  id == 0 ? row.null(name) : row.number(name, id);
}

void append_optional_text(json_object& row, std::string_view name, const std::optional<std::string>& text) {
  text ? row.text(name, *text) : row.null(name);
}

void append_brief(std::string& out, const elastic::elastic_brief& job) {
  json_object row{out};
  row.number("id", core::number(job.id));
  row.text("namespace", job.name_space);
  row.text("name", job.name);
  row.number("group", core::number(job.group));
  row.text("type", job.kind);
  row.text("handler", job.handler);
  row.number("total", job.total);
  row.text("schedule_type", schedule_name(job.schedule));
  row.text("schedule", job.schedule_conf);
  row.text("time_zone", job.time_zone);
  row.text("status", api_name_of(job.status));
  append_instant(row, "next_ms", job.next);
  append_instant(row, "last_ms", job.last);
  append_optional_text(row, "source", job.source);
  row.text("description", job.description);
  if (!job.items)
    return row.null("items");
  row.raw("items", json_object_of([&](json_object& counts) {
            counts.number("running", job.items->running);
            counts.number("waiting", job.items->waiting);
            counts.number("disabled", job.items->disabled);
            counts.number("unassigned", job.items->unassigned);
          }));
}

void append_item(std::string& out, const elastic::elastic_item& item) {
  const auto& stored = item.row;
  const bool idle = stored.state == elastic::stored_item_state::idle;
  json_object row{out};
  row.number("item", core::number(stored.item));
  row.text("state", name_in(item_state_names, stored.state));
  append_text_or_null(row, "host", item.host);
  append_nonzero(row, "run", idle ? 0 : core::number(stored.run));
  idle ? row.null("source") : row.text("source", api_name_of(stored.cause.source));
  row.number("attempt", stored.attempt);
  row.number("fence", core::number(stored.fence));
  append_instant(row, "granted_ms", idle ? core::time_point{} : stored.granted);
  row.boolean("missed", stored.missed);
  row.boolean("disabled", stored.disabled);
  row.boolean("surplus", stored.surplus);
  row.boolean("cancelled", stored.state == elastic::stored_item_state::open && stored.cancel_run == stored.run);
  append_text_or_null(row, "planned_host", item.planned_host);
  append_text_or_null(row, "gap", item.planned ? to_string(item.planned->reason) : std::string_view{});
  append_optional_text(row, "param", item.param);
}

void append_host(std::string& out, const elastic::host_row& host, std::int64_t running) {
  json_object row{out};
  row.number("number", core::number(host.process.host));
  row.text("id", host.facts.id);
  row.text("app_name", host.facts.app_name);
  row.text("state", name_in(host_state_names, host.state));
  row.text("mode", name_in(host_mode_names, host.mode));
  row.text("ip", host.facts.ip);
  row.number("pid", host.facts.pid);
  row.text("labels", host.facts.labels);
  row.number("capacity", host.facts.capacity);
  row.number("running", running);
  row.number("incarnation", core::number(host.process.incarnation));
  row.text("keeper", host.keeper.node);
}

template <class Read>
auto read_body(std::string_view body, Read read) {
  const bool is_empty = body.find_first_not_of(" \t\r\n") == std::string_view::npos;
  return read_api_object(is_empty ? "{}" : body, read);
}

std::optional<elastic::item_number> read_item(api_members& in) {
  const auto item = in.maybe_number("item", 0, elastic::items_max - 1);
  return item ? std::optional{elastic::item_number{static_cast<std::int32_t>(*item)}} : std::nullopt;
}

} // namespace

std::string_view api_name_of(elastic::job_status status) noexcept { return name_in(status_names, status); }

std::string_view api_name_of(elastic::run_source source) noexcept { return name_in(source_names, source); }

std::string api_elastic_jobs(const std::vector<elastic::elastic_brief>& jobs) { return json_array(jobs, append_brief); }

std::string api_elastic_job(const elastic::elastic_card& card) {
  const auto& job = card.job;
  return json_object_of([&](json_object& row) {
    row.number("id", core::number(job.id));
    row.text("namespace", job.what.name_space);
    row.text("name", job.what.name);
    row.number("group", core::number(job.what.group));
    row.text("type", job.what.kind);
    row.text("handler", job.what.handler);
    row.number("total", job.what.total);
    row.text("status", api_name_of(job.status));
    row.number("version", job.version);
    append_instant(row, "next_ms", job.next);
    append_instant(row, "last_ms", job.last);
    append_optional_text(row, "source", job.source);
    row.raw("options", api_elastic_options(job.what.options));
    row.raw("props", api_elastic_props(job.what.props));
    row.raw("items", json_object_of([&](json_object& counts) {
              counts.number("running", card.running);
              counts.number("waiting", card.waiting);
              counts.number("disabled", card.disabled);
            }));
    row.number("requests", card.requests);
    row.raw("disabled_servers", json_array(card.disabled_servers));
  });
}

std::string api_elastic_items(const std::vector<elastic::elastic_item>& items) { return json_array(items, append_item); }

std::string api_elastic_hosts(const std::vector<elastic::host_row>& hosts,
                              const std::vector<elastic::elastic_host_load>& loads) {
  std::map<elastic::host_number, std::int64_t> running;
  for (const auto& load : loads)
    running.emplace(load.host, load.running);
  return json_object_of([&](json_object& list) {
    list.raw("items", json_array(hosts, [&](std::string& out, const elastic::host_row& host) {
               const auto found = running.find(host.process.host);
               append_host(out, host, found == running.end() ? 0 : found->second);
             }));
  });
}

std::string api_elastic_servers(const std::vector<elastic::elastic_server>& servers) {
  return json_object_of([&](json_object& list) {
    list.raw("items", json_array(servers, [](std::string& out, const elastic::elastic_server& server) {
               json_object row{out};
               row.text("ip", server.ip);
               row.raw("hosts", json_array(server.hosts));
               row.number("up", server.up);
               row.number("silent", server.silent);
               row.number("down", server.down);
               row.number("disabled", server.disabled);
               row.number("running", server.running);
               row.number("jobs", server.jobs);
               row.number("disabled_jobs", server.disabled_jobs);
             }));
  });
}

std::string api_elastic_dump(const elastic::elastic_dump& dump) {
  return json_object_of([&](json_object& list) {
    list.raw("items", json_array(elastic::dump_lines(dump), [](std::string& out, const elastic::dump_line& line) {
               json_object row{out};
               row.text("path", line.path);
               row.text("value", line.value);
             }));
  });
}

std::string api_elastic_host_edit(const elastic::host_edit_done& done) {
  return json_object_of([&](json_object& row) {
    row.raw("hosts", json_array(done.hosts));
    row.boolean("changed", done.changed);
  });
}

std::string api_elastic_plan(const std::vector<elastic::elastic_preview_share>& shares) {
  return json_object_of([&](json_object& list) {
    list.raw("items", json_array(shares, [](std::string& out, const elastic::elastic_preview_share& share) {
               json_object row{out};
               append_text_or_null(row, "host", share.host);
               append_text_or_null(row, "gap", to_string(share.reason));
               row.raw("ranges", json_array(share.items, [](std::string& text, const elastic::item_range& range) {
                         json_object each{text};
                         each.number("first", range.first);
                         each.number("last", range.last);
                       }));
             }));
  });
}

std::string api_elastic_edit(const elastic::elastic_edit_done& done) {
  return json_object_of([&](json_object& row) {
    row.number("id", core::number(done.id));
    row.boolean("changed", done.revision != 0);
    append_instant(row, "next_ms", done.next);
  });
}

std::string api_elastic_request(elastic::request_id request) {
  return json_object_of([&](json_object& row) { row.text("request", std::to_string(core::number(request))); });
}

core::result<elastic::elastic_search> api_elastic_search_of(const form& sent, const api_cursor& from) {
  elastic::elastic_search out;
  const auto group = api_id_of(sent, "group");
  if (!group)
    return tl::unexpected{group.error()};
  if (*group)
    out.group = core::group_id{**group};
  if (const auto status = sent.text("status")) {
    const auto at = std::find(status_names.begin(), status_names.end(), *status) - status_names.begin();
    if (static_cast<std::size_t>(at) == status_names.size())
      return core::fail(core::errc::invalid_argument, "the parameter status must be enabled, disabled, shut_down or draining");
    out.status = static_cast<elastic::job_status>(at);
  }
  out.name_part = sent.text_or_empty("name");
  out.window = {static_cast<std::size_t>(from.place), from.limit};
  return out;
}

core::result<bool> api_elastic_masked_of(const form& sent) {
  return boolean_of(sent, "mask").map([](std::optional<bool> mask) { return mask.value_or(true); });
}

core::result<std::optional<elastic::item_number>> parse_api_elastic_switch(std::string_view body) {
  return read_body(body, [](api_members& in) { return read_item(in); });
}

core::result<api_elastic_order> parse_api_elastic_order(std::string_view body) {
  return read_body(body, [](api_members&) { return api_elastic_order{}; });
}

core::result<api_elastic_trigger> parse_api_elastic_trigger(std::string_view body) {
  return read_body(body, [](api_members& in) {
    api_elastic_trigger out;
    out.item = read_item(in);
    out.param = in.maybe_text("param");
    if (const auto policy = in.maybe_text("policy")) {
      constexpr auto& names = elastic::fields::trigger_policies;
      const auto at = std::find(names.begin(), names.end(), *policy) - names.begin();
      if (static_cast<std::size_t>(at) == names.size())
        in.wrong("policy", "must be discard, queue or coalesce");
      else
        out.policy = static_cast<elastic::request_policy>(at);
    }
    return out;
  });
}

} // namespace ringmaster::protocol::wire

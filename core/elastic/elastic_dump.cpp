#include "core/elastic/elastic_dump.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>

#include "core/elastic/elastic_fields.hpp"

namespace ringmaster::core::elastic {

namespace {

std::string text_of_number(std::int64_t value) { return std::to_string(value); }

/// `name=value name=value`.
class dump_values {
public:
  dump_values& add(std::string_view name, std::string_view value) {
    text_.append(text_.empty() ? "" : " ").append(name).append("=").append(value);
    return *this;
  }
  dump_values& add(std::string_view name, std::int64_t value) { return add(name, text_of_number(value)); }
  [[nodiscard]] std::string take() { return std::move(text_); }

private:
  std::string text_;
};

std::string process_text(const host_process& process) {
  return text_of_number(number(process.host)) + '/' + text_of_number(number(process.incarnation));
}

class dump_writer {
public:
  void add(std::string path, std::string value) { lines_.push_back({std::move(path), std::move(value)}); }
  void add(std::string path, std::int64_t value) { add(std::move(path), text_of_number(value)); }

  void add_job(const elastic_job_row& job) {
    add("/job/id", number(job.id));
    add("/job/namespace", job.what.name_space);
    add("/job/name", job.what.name);
    add("/job/group", number(job.what.group));
    add("/job/type", job.what.kind);
    add("/job/handler", job.what.handler);
    add("/job/total", job.what.total);
    add("/job/status", number(job.status));
    add("/job/version", job.version);
    add("/job/source", job.source.value_or(""));
    add("/job/next_ms", job.next ? to_ms(*job.next) : 0);
    add("/job/last_ms", to_ms(job.last));
    add("/job/revision", job.revision);
    for (const auto& field : elastic_fields) {
      const auto value = field.get(job.what.options);
      if (!std::holds_alternative<std::monostate>(value))
        add("/job/options/" + std::string{field.name},
            field.is_text() ? std::string{text_of(value)} : text_of_number(number_of(value)));
    }
    add("/job/props", text_of_number(static_cast<std::int64_t>(job.what.props.size())) + " bytes");
  }

  void add_plan(const plan_row& plan) {
    add("/plan/version", plan.version);
    add("/plan/total", plan.total);
    add("/plan/members", plan.members);
    add("/plan/at_ms", to_ms(plan.at));
    add("/plan/assignment", plan.assignment);
  }

  void add_item(const item_row& row) {
    dump_values text;
    text.add("state", number(row.state)).add("fence", number(row.fence)).add("run", number(row.run));
    text.add("host", process_text(row.host)).add("attempt", row.attempt).add("missed", row.missed);
    text.add("disabled", row.disabled).add("surplus", row.surplus).add("lease_ms", row.lease.count());
    text.add("source", number(row.cause.source)).add("fire_ms", to_ms(row.cause.fire.at));
    text.add("request", number(row.cause.fire.request)).add("granted_ms", to_ms(row.granted));
    text.add("cancel_run", number(row.cancel_run));
    add("/items/" + text_of_number(number(row.item)), text.take());
  }

  void add_fire(const fire_row& row) {
    dump_values text;
    text.add("state", number(row.state)).add("expected", row.expected).add("dropped", row.dropped);
    text.add("plan_version", row.plan_version).add("config_version", row.config_version);
    add("/fires/" + text_of_number(to_ms(row.key.at)) + '-' + text_of_number(number(row.key.source)) + '-' +
          text_of_number(number(row.key.request)),
        text.take());
  }

  void add_request(const request_row& row) {
    dump_values text;
    text.add("item", row.item ? text_of_number(number(*row.item)) : "all").add("policy", number(row.policy));
    text.add("at_ms", to_ms(row.at)).add("param_bytes", static_cast<std::int64_t>(row.param ? row.param->size() : 0));
    add("/requests/" + text_of_number(number(row.id)), text.take());
  }

  void add_host(const host_row& row) {
    const auto& facts = row.facts;
    dump_values text;
    text.add("id", facts.id).add("app_name", facts.app_name).add("state", number(row.state)).add("mode", number(row.mode));
    text.add("ip", facts.ip).add("pid", facts.pid).add("incarnation", number(row.process.incarnation));
    text.add("ended", number(row.ended)).add("capacity", facts.capacity).add("labels", facts.labels);
    text.add("keeper", row.keeper.node).add("keeper_no", row.keeper_no).add("change_no", row.change_no);
    add("/hosts/" + text_of_number(number(row.process.host)), text.take());
  }

  [[nodiscard]] std::vector<dump_line> take() { return std::move(lines_); }

private:
  std::vector<dump_line> lines_;
};

/// Returns the length of the IPv4 address at the begin of a text; 0: none.
std::size_t address_length(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && (at == end || *at++ != '.'))
      return 0;
    std::uint8_t byte = 0;
    const auto [stop, failure] = std::from_chars(at, end, byte);
    if (failure != std::errc{})
      return 0;
    at = stop;
  }
  return static_cast<std::size_t>(at - text.data());
}

class address_mask {
public:
  /// `known`: addresses that are replaced in any form, e.g. IPv6.
  explicit address_mask(const std::vector<host_row>& known) {
    for (const auto& host : known)
      if (!host.facts.ip.empty() && address_length(host.facts.ip) != host.facts.ip.size())
        others_.insert(host.facts.ip);
  }

  [[nodiscard]] std::string masked(const std::string& text) {
    std::string out;
    bool inside = false;
    for (std::size_t at = 0; at < text.size();) {
      const bool is_digit = text[at] >= '0' && text[at] <= '9';
      const auto length = length_at(text, at, inside);
      if (length > 0)
        out += name_of(text.substr(at, length));
      else
        out += text[at];
      at += std::max<std::size_t>(length, 1);
      inside = length == 0 && is_digit;
    }
    return out;
  }

private:
  [[nodiscard]] std::size_t length_at(const std::string& text, std::size_t at, bool inside) const {
    for (const auto& other : others_)
      if (text.compare(at, other.size(), other) == 0)
        return other.size();
    return inside ? 0 : address_length(std::string_view{text}.substr(at));
  }

  std::string name_of(const std::string& address) {
    const auto [found, is_new] = names_.emplace(address, "");
    if (is_new)
      found->second = "ip" + std::to_string(names_.size());
    return found->second;
  }

  std::set<std::string> others_;
  std::map<std::string, std::string> names_;
};

} // namespace

std::vector<dump_line> dump_lines(const elastic_dump& of) {
  dump_writer out;
  const auto& state = of.state;
  out.add_job(state.job);
  if (state.plan)
    out.add_plan(*state.plan);
  const auto shown = std::min(state.items.size(), dump_items_max);
  for (std::size_t i = 0; i < shown; ++i)
    out.add_item(state.items[i]);
  if (shown < state.items.size())
    out.add("/items", text_of_number(static_cast<std::int64_t>(state.items.size() - shown)) + " more");
  for (const auto& fire : state.fires)
    out.add_fire(fire);
  for (const auto& request : state.requests)
    out.add_request(request);
  for (const auto& cursor : of.cursors)
    out.add("/cursors/" + text_of_number(number(cursor.item)),
            dump_values{}.add("fence", number(cursor.fence)).add("bytes", cursor.bytes).take());
  for (const auto& result : state.inbox)
    out.add(
      "/inbox/" + text_of_number(number(result.run)),
      dump_values{}.add("fence", number(result.fence)).add("bytes", static_cast<std::int64_t>(result.outcome.size())).take());
  for (std::size_t i = 0; i < state.disabled_servers.size(); ++i)
    out.add("/disabled_servers/" + std::to_string(i), state.disabled_servers[i]);
  for (const auto& host : of.hosts)
    out.add_host(host);
  auto lines = out.take();
  if (of.masked) {
    address_mask mask{of.hosts};
    for (auto& line : lines)
      line.value = mask.masked(line.value);
  }
  return lines;
}

} // namespace ringmaster::core::elastic

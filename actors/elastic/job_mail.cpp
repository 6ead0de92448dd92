#include "actors/elastic/job_mail.hpp"

#include <utility>
#include <variant>

#include "protocol/elastic_border.hpp"

namespace ringmaster::actors {

namespace {

using link_limit = protocol::elastic_link_limits;

std::size_t bytes_of_grants(const protocol::elastic_grants& grants) {
  std::size_t bytes = grants.param.size();
  for (const auto& each : grants.items)
    bytes += protocol::bytes_of(each);
  return bytes;
}

} // namespace

std::vector<protocol::host_message>& job_mail::to(const core::elastic::host_process& host) {
  return messages_[{core::number(host.host), core::number(host.incarnation)}];
}

void job_mail::specs(const core::elastic::host_process& to, protocol::elastic_spec spec) {
  protocol::elastic_specs message;
  message.specs.push_back(std::move(spec));
  this->to(to).push_back({0, std::move(message)});
}

void job_mail::grant(const core::elastic::host_process& to, std::int64_t version, const std::string& param,
                     protocol::elastic_grant&& grant) {
  auto& messages = this->to(to);
  if (!messages.empty())
    if (auto* last = std::get_if<protocol::elastic_grants>(&messages.back().what);
        last != nullptr && last->version == version && last->param == param && last->items.size() < link_limit::items_max
        && (!grant.cursor || bytes_of_grants(*last) + protocol::bytes_of(grant) <= link_limit::grant_bytes_max)) {
      last->items.push_back(std::move(grant));
      return;
    }
  protocol::elastic_grants message{to, lease_.slot, lease_.epoch, job_, version, param, {}};
  message.items.push_back(std::move(grant));
  messages.push_back({life_, std::move(message)});
}

protocol::elastic_orders job_mail::empty_orders(const core::elastic::host_process& to) const {
  return {to, lease_.slot, lease_.epoch, {}, 0};
}

void job_mail::order(const core::elastic::host_process& to, const protocol::elastic_run_order& order) {
  auto& messages = this->to(to);
  auto* last = messages.empty() ? nullptr : std::get_if<protocol::elastic_orders>(&messages.back().what);
  if (last == nullptr || last->inventory != 0 || last->orders.size() >= link_limit::items_max) {
    messages.push_back({0, empty_orders(to)});
    last = &std::get<protocol::elastic_orders>(messages.back().what);
  }
  last->orders.push_back(order);
}

void job_mail::ask(const core::elastic::host_process& to, std::uint64_t question) {
  auto orders = empty_orders(to);
  orders.inventory = question;
  this->to(to).push_back({0, std::move(orders)});
}

std::vector<protocol::host_send> job_mail::take() {
  std::vector<protocol::host_send> out;
  for (auto& [key, messages] : messages_)
    for (auto& each : messages)
      out.push_back({{core::elastic::host_number{key.first}, core::elastic::host_incarnation{key.second}}, std::move(each)});
  messages_.clear();
  return out;
}

} // namespace ringmaster::actors

#include "gateway/transport/client/spread_client.hpp"

#include <algorithm>
#include <utility>

namespace ringmaster::gateway::http {

std::size_t origin_homes::of(const std::string& origin) {
  std::lock_guard guard{mutex_};
  if (auto known = homes_.find(origin); known != homes_.end())
    return known->second;
  const auto least = std::min_element(origins_.begin(), origins_.end());
  const auto client = static_cast<std::size_t>(least - origins_.begin());
  homes_.emplace(origin, client);
  ++*least;
  return client;
}

void origin_homes::forget(std::size_t client, const std::string& origin) {
  std::lock_guard guard{mutex_};
  auto known = homes_.find(origin);
  if (known == homes_.end() || known->second != client)
    return;
  homes_.erase(known);
  --origins_[client];
}

spread_client::spread_client(std::vector<std::shared_ptr<protocol::http_client>> clients, std::shared_ptr<origin_homes> homes)
  : clients_(std::move(clients)), homes_(std::move(homes)) {}

void spread_client::post(std::vector<protocol::http_call>&& calls, completion done) {
  if (calls.empty())
    return;
  const auto& first = calls.front().origin;
  // The usual case: all calls of a batch go to one executor.
  if (std::all_of(calls.begin() + 1, calls.end(), [&first](const auto& call) { return call.origin == first; }))
    return clients_[homes_->of(first)]->post(std::move(calls), std::move(done));
  split(std::move(calls), std::move(done));
}

void spread_client::split(std::vector<protocol::http_call>&& calls, completion done) {
  std::vector<std::vector<protocol::http_call>> parts(clients_.size());
  std::vector<std::vector<std::size_t>> places(clients_.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto home = homes_->of(calls[i].origin);
    places[home].push_back(i);
    parts[home].push_back(std::move(calls[i]));
  }
  const auto told = std::make_shared<const completion>(std::move(done));
  for (std::size_t home = 0; home < parts.size(); ++home)
    clients_[home]->post(std::move(parts[home]),
                         [told, at = std::move(places[home])](std::size_t i, protocol::http_result&& result) {
                           (*told)(at[i], std::move(result));
                         });
}

} // namespace ringmaster::gateway::http

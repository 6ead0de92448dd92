#pragma once

// Shared compiled schedules: a hundred thousand jobs have a few hundred texts and few zones.

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/job/job.hpp"
#include "core/schedule/schedule.hpp"
#include "core/zone/zone.hpp"

namespace ringmaster::core {

/// Cache of compiled schedules. Owned by one actor or one call; not thread-safe.
class schedule_rules {
public:
  using rule = std::shared_ptr<const schedule>;

  /// Creates the cache. `where`: the zone of jobs that name none.
  explicit schedule_rules(zone where) : where_{std::move(where)} {}

  /// Returns the compiled schedule. Errors: those of `schedule::compile`; `invalid_argument` for a zone that this machine does
  /// not know.
  [[nodiscard]] result<rule> of(schedule_type type, std::string_view conf, const schedule_options& options);
  [[nodiscard]] result<rule> of(const job& spec) { return of(spec.schedule, spec.schedule_conf, spec.timing); }

private:
  [[nodiscard]] const result<zone>& zone_of(const std::string& name);
  void keep(std::string text, const rule& compiled);

  zone where_;
  /// Zones by name, including unknown ones, so that each is looked up once.
  std::unordered_map<std::string, result<zone>> zones_;
  /// Rules by all their inputs; a rule without an owner is removed.
  std::unordered_map<std::string, std::weak_ptr<const schedule>> rules_;
  std::size_t rules_swept_at_ = 1024;
};

} // namespace ringmaster::core

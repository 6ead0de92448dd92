#pragma once

// Rows of other writers that hold what XXL-JOB does not write: NULL, unknown names, things that are no address. The firing path
// reads all of them and none hurts another one; people want to know before a run fails.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "storage/open.hpp"

namespace ringmaster::storage {

/// What a job is triggered by; nothing for NULL.
struct job_values {
  std::int64_t id = 0;
  std::int64_t group = 0;
  bool switched_on = false;
  std::optional<std::string> route;
  std::optional<std::string> block;
  std::optional<std::string> misfire;
  std::optional<std::string> glue_type;
  std::optional<std::string> handler;
  std::optional<std::string> children;
  std::int64_t timeout_s = 0;
};

struct group_values {
  std::int64_t id = 0;
  std::string app_name;
  std::int64_t address_type = 0;
  std::optional<std::string> addresses;
};

/// Collects findings, groups before jobs, and tells of at most twenty.
class data_check_report {
public:
  void add(const group_values& group);
  void add(const job_values& job);
  /// A registration that is never used: `core::misfit_of`, or no address.
  void add_registration(std::string_view registry_group, std::string_view app_name, std::string_view address);
  /// Runs without a trigger time, of those that were looked at.
  void add_timeless(std::int64_t runs);
  /// One finding for all: a failure when runs of a job that is switched on are bound to fail.
  [[nodiscard]] database_finding finding() const;

private:
  void say(const std::string& row, const std::string& what);

  std::set<std::int64_t> groups_;
  std::size_t count_ = 0;
  bool hurts_ = false;
  std::string text_;
};

} // namespace ringmaster::storage

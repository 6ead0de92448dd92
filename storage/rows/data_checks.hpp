#pragma once

// Checks of rows with values that XXL-JOB does not write: NULL, unknown names, invalid addresses. The firing path reads all of
// them, and no such row affects another one; operators want to know about them before a run fails.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "storage/open.hpp"

namespace ringmaster::storage {

/// The values that decide how a job is triggered; empty for NULL.
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

/// Collects findings, groups before jobs, and names at most twenty.
class data_check_report {
public:
  void add(const group_values& group);
  void add(const job_values& job);
  /// Adds a registration; it is a finding if it is never used: `core::misfit_of`, or an invalid address.
  void add_registration(std::string_view registry_group, std::string_view app_name, std::string_view address);
  /// Adds the number of checked runs without a trigger time.
  void add_timeless(std::int64_t runs);
  /// Returns one finding for all: a failure when runs of an enabled job are bound to fail.
  [[nodiscard]] database_finding finding() const;

private:
  void say(const std::string& row, const std::string& what);

  std::set<std::int64_t> groups_;
  std::size_t count_ = 0;
  bool hurts_ = false;
  std::string text_;
};

} // namespace ringmaster::storage

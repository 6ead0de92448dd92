#pragma once

// The folder that a node keeps its own things in, and who may use it.

#include <string>

#include "config/settings.hpp"
#include "core/result.hpp"

namespace ringmaster::apps {

/// Creates the data folder (0700) if it is missing. Errors: `unavailable` naming the folder and why.
[[nodiscard]] core::result<void> prepare_data_dir(const config::settings& settings);

/// The same, when the database lives in that folder; else nothing is needed. For commands that only open the database.
[[nodiscard]] core::result<void> prepare_database_folder(const config::settings& settings);

/// Held by the one server that a data folder may have. Ends with the object, and with the process however that ends.
class data_lock {
public:
  /// Errors: `conflict` naming the folder and the process that has it, `unavailable`.
  [[nodiscard]] static core::result<data_lock> take(const config::settings& settings);

  data_lock() = default;
  ~data_lock();
  data_lock(data_lock&& other) noexcept;
  data_lock& operator=(data_lock&& other) noexcept;

private:
  explicit data_lock(int file) : file_{file} {}
  int file_ = -1;
};

} // namespace ringmaster::apps

#include "storage/rules/outdated_callbacks.hpp"

#include <string>
#include <vector>

namespace ringmaster::storage {

bool drop_outdated(core::run_update& update, std::string_view triggered, datetime_text& dates) {
  const auto row_time = dates.read(triggered);
  const auto is_outdated = [&](const core::callback* each) {
    if (!row_time || each->log_time == core::time_point{})
      return false;
    const auto as_stored = dates.read(std::string{dates.of(each->log_time)});
    return as_stored && core::is_of_earlier_run(*as_stored, *row_time);
  };
  auto dropped = std::erase_if(update.others, is_outdated) > 0;
  if (update.callback && is_outdated(update.callback)) {
    dropped = true;
    update.callback = update.others.empty() ? nullptr : update.others.front();
    if (update.callback)
      update.others.erase(update.others.begin());
  }
  return dropped;
}

} // namespace ringmaster::storage

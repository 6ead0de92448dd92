#pragma once

// The findings of `ringmaster doctor`.

#include <string>
#include <vector>

namespace ringmaster::apps {

enum class verdict { fine, warning, failure };

struct finding {
  verdict how = verdict::fine;
  /// Subject, one or two words.
  std::string what;
  /// Detail, one line.
  std::string detail;
};

using finding_list = std::vector<finding>;

} // namespace ringmaster::apps

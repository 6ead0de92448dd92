#pragma once

// What `ringmaster doctor` collects.

#include <string>
#include <vector>

namespace ringmaster::apps {

enum class verdict { fine, warning, failure };

struct finding {
  verdict how = verdict::fine;
  /// One or two words.
  std::string what;
  /// One line.
  std::string detail;
};

using finding_list = std::vector<finding>;

} // namespace ringmaster::apps

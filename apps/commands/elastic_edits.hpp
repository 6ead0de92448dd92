#pragma once

// The edits of definitions of `ringmaster elastic`: add, edit, remove, export.

#include <functional>

namespace CLI {
class App;
}

namespace ringmaster::apps {

/// Adds the commands to the family. Parsing the line sets `chosen` to the given command.
void add_elastic_edits(CLI::App& elastic, std::function<int()>& chosen);

} // namespace ringmaster::apps

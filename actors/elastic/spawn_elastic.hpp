#pragma once

#include <memory>

#include "actors/elastic/elastic_actors.hpp"
#include "actors/elastic/process_watch.hpp"

namespace ringmaster::actors {

/// Returns the spawner of the actors of this room. `draw_id` draws an id of 32 hexadecimal digits. `processes`: never null; used
/// by one set of actors.
[[nodiscard]] elastic_spawner make_elastic_spawner(std::shared_ptr<process_watch> processes,
                                                   std::function<std::string()> draw_id);

} // namespace ringmaster::actors

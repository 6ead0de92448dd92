#include "actors/elastic/spawn_elastic.hpp"

#include <utility>

#include "actors/elastic/elastic_director.hpp"
#include "actors/elastic/elastic_hosts.hpp"
#include "actors/elastic/elastic_writer.hpp"
#include "actors/elastic/error_notifier.hpp"

namespace ringmaster::actors {

elastic_spawner make_elastic_spawner(std::shared_ptr<process_watch> processes, std::function<std::string()> draw_id) {
  return [processes = std::move(processes), draw_id = std::move(draw_id)](caf::actor_system& system,
                                                                          const elastic_surroundings& with) {
    elastic_actors made;
    made.writer = system.spawn<protocol::with_state<elastic_writer_state, protocol::elastic_writer>>(
      with.write_worker, with.clock, with.log, with.marks);
    made.errors = system.spawn<protocol::with_state<error_notifier_state, protocol::error_notifier>>(with.notifier, with.log);
    made.director = system.spawn<protocol::with_state<elastic_director_state, protocol::elastic_director>>(
      elastic_director_parts{made.writer, with.worker, with.schedule_zone, with.edit_poll, with.clock, with.log, made.errors,
                             with.settings});
    made.hosts = system.spawn<protocol::with_state<elastic_hosts_state, protocol::elastic_hosts>>(
      elastic_hosts_parts{with.node, with.hosts_worker, made.director, processes, draw_id, with.clock, with.log});
    protocol::anon_send(made.director, protocol::hosts_subscription{made.hosts});
    return made;
  };
}

} // namespace ringmaster::actors

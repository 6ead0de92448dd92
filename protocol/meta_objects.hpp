#pragma once

namespace ringmaster::protocol {

/// Registers the type ids of CAF and of Ringmaster. Called once by main before the first actor_system.
void init_meta_objects();

} // namespace ringmaster::protocol

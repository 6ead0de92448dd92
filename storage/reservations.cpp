#include "storage/reservations.hpp"

#include <string>

#include "storage/store.hpp"

namespace ringmaster::storage {

core::result<core::cluster_mode> agreed_mode(store& of, std::string_view wanted) {
  core::mode_state known;
  if (auto* shared = of.reservations()) {
    auto read = shared->mode();
    if (!read)
      return tl::unexpected{read.error()};
    known = *read;
  }
  if (wanted.empty() || wanted == core::stored_name(known.mode))
    return known.mode;
  const bool native = known.mode == core::cluster_mode::native;
  return core::fail(core::errc::conflict, "cluster.mode is \"" + std::string{wanted} + "\", but the database is in " +
                                            std::string{core::stored_name(known.mode)} + " mode; run `ringmaster takeover" +
                                            (native ? " --back" : "") + "` to switch it, or change cluster.mode");
}

} // namespace ringmaster::storage

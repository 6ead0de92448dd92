#include "executor/handlers.hpp"

#include <utility>

namespace ringmaster::executor {

core::result<void> handlers::add(std::string name, handler run, handler_hooks hooks) {
  if (name.empty())
    return core::fail(core::errc::invalid_argument, "a job handler needs a name");
  if (!run)
    return core::fail(core::errc::invalid_argument, "job handler \"" + name + "\" has no function");
  auto made = std::make_shared<const entry>(entry{std::move(run), std::move(hooks)});
  if (!by_name_.emplace(name, std::move(made)).second)
    return core::fail(core::errc::conflict, "job handler \"" + name + "\" is registered twice");
  return {};
}

} // namespace ringmaster::executor

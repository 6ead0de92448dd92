#include "executor/sdk/elastic/elastic_handlers.hpp"

#include <stdexcept>
#include <utility>

#include "core/elastic/elastic_definition.hpp"
#include "core/text/text.hpp"

namespace ringmaster::executor::elastic {

core::result<void> elastic_handlers::add(std::string name, elastic_body body) {
  using core::errc;
  if (name.empty())
    return core::fail(errc::invalid_argument, "a handler of elastic jobs needs a name");
  if (core::valid_utf8(name) != name || core::count_characters(name) > core::elastic::elastic_handler_chars)
    return core::fail(errc::invalid_argument, "elastic handler \"" + core::valid_utf8(name) +
                                                "\" must have at most 255 characters, in UTF-8");
  if (!body)
    return core::fail(errc::invalid_argument, "elastic handler \"" + name + "\" has no function");
  auto made = std::make_shared<const elastic_body>(std::move(body));
  if (!by_name_.emplace(name, std::move(made)).second)
    return core::fail(errc::conflict, "elastic handler \"" + name + "\" is registered twice");
  return {};
}

core::result<void> elastic_handlers::add_job(std::string name, job_factory factory) {
  if (!factory)
    return add(std::move(name), elastic_body{});
  return add(std::move(name), elastic_body{[factory = std::move(factory)](item_context& context) {
               const auto job = factory();
               if (!job)
                 throw std::runtime_error{"the factory of the handler returned no job"};
               job->execute(context);
             }});
}

} // namespace ringmaster::executor::elastic

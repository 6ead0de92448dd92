#include "executor/elastic/job_errors.hpp"

#include <exception>
#include <utility>

namespace ringmaster::executor::elastic {

namespace {

/// Returns the text of the exception that is being handled.
std::string text_of_exception() {
  try {
    throw;
  } catch (const std::exception& thrown) {
    return thrown.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

} // namespace

// Returns why there is no handler; empty: there is one.
std::string job_errors::make(const std::string& name, const std::string& props) {
  if (handler_ && name == name_ && props == props_)
    return {};
  handler_.reset();
  const auto found = known_ ? known_->find(name) : error_handler_factories::const_iterator{};
  if (!known_ || found == known_->end())
    return "unknown";
  auto read = core::elastic::parse_props(props);
  if (!read)
    return read.error().context;
  try {
    auto made = found->second();
    if (!made)
      return "its factory returned no object";
    if (auto ready = made->configure(*read); !ready)
      return "it refuses the props of the job: " + ready.error().context;
    handler_ = std::move(made);
  } catch (...) {
    return "it could not be made: " + text_of_exception();
  }
  name_ = name;
  props_ = props;
  return {};
}

handled_error job_errors::handle(const std::string& name, const std::string& props, const item_failure& failure) {
  const std::lock_guard lock{guard_};
  handled_error out;
  if (auto why = make(name, props); !why.empty()) {
    out.trouble = "error handler \"" + name + "\": " + why;
    return out;
  }
  try {
    out.verdict = handler_->handle(failure);
  } catch (...) {
    out.trouble = "error handler \"" + name + "\" failed: " + text_of_exception();
  }
  return out;
}

} // namespace ringmaster::executor::elastic

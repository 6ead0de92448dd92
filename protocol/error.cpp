#include "protocol/error.hpp"

#include <algorithm>

#include <caf/all.hpp>

namespace ringmaster::core {

bool from_integer(std::uint8_t number, errc& code) {
  if (number == 0 || number > static_cast<std::uint8_t>(errc::forbidden))
    return false;
  code = static_cast<errc>(number);
  return true;
}

} // namespace ringmaster::core

namespace ringmaster::protocol {

caf::error to_caf(const core::error& error) {
  return caf::make_error(error.code, error.context, static_cast<std::uint8_t>(error.why), error.subject);
}

namespace {

/// Returns CAF's name such as `caf::sec::unexpected_message` without its punctuation.
std::string plain(std::string name) {
  if (const auto scope = name.rfind("::"); scope != std::string::npos)
    name.erase(0, scope + 2);
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string in_words(caf::exit_reason why) {
  switch (why) {
  case caf::exit_reason::user_shutdown: return "the other end has closed it";
  case caf::exit_reason::kill: return "it was ended by force";
  case caf::exit_reason::unknown: return "it has failed";
  case caf::exit_reason::remote_link_unreachable: return "the connection is lost";
  case caf::exit_reason::unreachable: return "it no longer exists";
  default: return plain(caf::to_string(why));
  }
}

std::string in_words(caf::sec why) {
  switch (why) {
  case caf::sec::connection_timeout: return "no message for too long";
  case caf::sec::request_timeout: return "no answer in time";
  case caf::sec::request_receiver_down:
  case caf::sec::broken_promise: return "it no longer exists";
  case caf::sec::cannot_connect_to_node:
  case caf::sec::socket_disconnected:
  case caf::sec::connection_closed:
  case caf::sec::disconnect_during_handshake: return "the connection was closed";
  case caf::sec::incompatible_versions: return "the other end uses a different release of CAF";
  default: return plain(caf::to_string(why));
  }
}

} // namespace

std::string end_in_words(const caf::error& reason) {
  if (!reason)
    return "it has ended";
  const auto category = reason.category();
  if (category == caf::type_id_v<caf::exit_reason>)
    return in_words(static_cast<caf::exit_reason>(reason.code()));
  if (category == caf::type_id_v<caf::sec>)
    return in_words(static_cast<caf::sec>(reason.code()));
  if (category == caf::type_id_v<core::errc>)
    return to_core(reason).context;
  return "error " + std::to_string(reason.code());
}

core::error to_core(const caf::error& error) {
  if (!error)
    return {core::errc::internal, "empty error"};
  if (error.category() == caf::type_id_v<core::errc>) {
    core::error converted{static_cast<core::errc>(error.code()), {}};
    if (auto context = error.context(); context.match_elements<std::string, std::uint8_t, std::string>()) {
      converted.context = context.get_as<std::string>(0);
      converted.why = static_cast<core::refusal>(context.get_as<std::uint8_t>(1));
      converted.subject = context.get_as<std::string>(2);
    }
    return converted;
  }
  if (error == caf::sec::request_timeout)
    return {core::errc::timeout, "no answer in time"};
  if (error == caf::sec::request_receiver_down || error == caf::sec::broken_promise)
    return {core::errc::unavailable, "the component is stopping"};
  return {core::errc::internal, caf::to_string(error)};
}

core::error clock_in_doubt() {
  return {core::errc::unavailable, "the wall clock of this node is not trusted yet: see /readyz, and try again",
          core::refusal::none, "node"};
}

bool is_clock_in_doubt(const core::error& error) { return error == clock_in_doubt(); }

} // namespace ringmaster::protocol

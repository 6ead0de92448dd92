#include "protocol/error.hpp"

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

std::string end_in_words(const caf::error& reason) {
  const auto category = reason.category();
  const bool is_known = !reason || category == caf::type_id_v<caf::exit_reason> || category == caf::type_id_v<caf::sec> ||
                        category == caf::type_id_v<core::errc>;
  return is_known ? caf::to_string(reason) : "error " + std::to_string(reason.code());
}

core::error to_core(const caf::error& error) {
  if (!error)
    return {core::errc::internal, "an empty error"};
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

} // namespace ringmaster::protocol

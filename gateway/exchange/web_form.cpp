#include "gateway/exchange/web_form.hpp"

#include <limits>

namespace ringmaster::gateway {

using protocol::wire::form;

core::result<form> form_of(const exchange& ex) {
  const auto& request = ex.request();
  const auto* type = request.find_header("Content-Type");
  return form::parse(request.target, type ? std::string_view{*type} : std::string_view{}, request.body);
}

core::result<std::int32_t> one_id(const form& sent, protocol::wire::dialect dialect) {
  using limits = std::numeric_limits<std::int32_t>;
  const auto ids = sent.int64_list("ids");
  if (!ids)
    return tl::unexpected{ids.error()};
  const auto single = sent.int32("id");
  if (!single)
    return tl::unexpected{single.error()};
  if (ids->empty() && *single)
    return **single;
  if (ids->empty() && dialect == protocol::wire::dialect::xxl2)
    return sent.needed_int32("id");
  if (ids->size() != 1)
    return core::refuse(core::errc::invalid_argument, core::refusal::choose_one, "exactly one id is expected");
  if (ids->front() < limits::min() || ids->front() > limits::max())
    return core::fail(core::errc::invalid_argument, "the parameter ids must be a 32-bit number");
  return static_cast<std::int32_t>(ids->front());
}

void tell_done(const exchange& ex) { ex.tell(protocol::wire::success(ex.style())); }

std::function<void(const exchange&, const core::error&)> missing_is(core::refusal why) {
  return [why](const exchange& ex, const core::error& error) {
    auto told = error;
    if (told.code == core::errc::not_found && told.why == core::refusal::none)
      told.why = why;
    ex.fail(told);
  };
}

} // namespace ringmaster::gateway

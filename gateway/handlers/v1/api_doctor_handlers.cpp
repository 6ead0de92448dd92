#include "gateway/exchange/api_request.hpp"
#include "gateway/handlers/v1/handlers.hpp"
#include "protocol/wire/v1/api_doctor.hpp"

namespace ringmaster::gateway::handlers::v1 {

namespace {

std::string text_of_report(const protocol::doctor_report& report) {
  using progress = protocol::doctor_report::progress;
  const auto state = report.state == progress::none ? "none" : report.state == progress::running ? "running" : "done";
  return protocol::wire::api_doctor_report({report.at, report.node, state, report.findings});
}

} // namespace

void doctor_read(exchange ex) {
  ex.ask<protocol::doctor_report>(ex.services().partners.node_checks, protocol::doctor_query{ex.who()},
                                  [](const exchange& waiting, const protocol::doctor_report& report) {
                                    tell_json(waiting, text_of_report(report));
                                  });
}

void doctor_start(exchange ex) {
  ex.ask<protocol::doctor_report>(ex.services().partners.node_checks, protocol::start_doctor{ex.who()},
                                  [](const exchange& waiting, const protocol::doctor_report& report) {
                                    tell_json(waiting, text_of_report(report), 202);
                                  });
}

} // namespace ringmaster::gateway::handlers::v1

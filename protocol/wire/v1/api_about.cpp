#include "protocol/wire/v1/api_about.hpp"

#include "protocol/wire/v1/api_members.hpp"
#include "protocol/wire/v1/api_page.hpp"

namespace ringmaster::protocol::wire {

namespace {

std::string features_of(const api_server& server) {
  return json_object_of([&](json_object& features) {
    features.boolean("glue", server.glue);
    features.raw("elastic_unsupported", json_array(server.elastic_unsupported));
  });
}

std::string limits() {
  return json_object_of([](json_object& limits) { limits.number("page_max", static_cast<std::int64_t>(api_rows_max)); });
}

} // namespace

core::result<api_sign_in> parse_api_sign_in(std::string_view body) {
  return read_api_object(body, [](api_members& in) {
    api_sign_in wanted;
    if (auto token = in.maybe_text("one_time")) {
      if (token->empty())
        in.wrong("one_time", "is empty");
      wanted.one_time = std::move(*token);
      return wanted;
    }
    wanted.name = in.needed_text("name");
    wanted.password = in.needed_text("password");
    wanted.remember = in.optional_boolean("remember").value_or(false);
    return wanted;
  });
}

std::string api_about(core::language language, bool demo, const api_server* server) {
  return json_object_of([&](json_object& about) {
    about.text("product", "Ringmaster");
    about.text("language", core::stored_name(language));
    about.raw("languages", R"(["zh_CN","zh_TC","en"])");
    about.boolean("demo", demo);
    if (server) {
      about.text("version", server->version);
      about.number("now_ms", core::to_ms(server->now));
      about.text("schedule_zone", server->schedule_zone);
      about.raw("features", features_of(*server));
      about.raw("limits", limits());
    }
  });
}

} // namespace ringmaster::protocol::wire

#include "protocol/wire/xxl/open_api_codec.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "core/text/text.hpp"
#include "protocol/wire/json/json_reader.hpp"
#include "protocol/wire/xxl/texts.hpp"

namespace ringmaster::protocol::wire {

namespace {

using core::job_draft;

struct text_field {
  std::string_view name;
  std::string job_draft::* value;
};

constexpr std::array<text_field, 12> text_fields{{
  {"name", &job_draft::name},
  {"author", &job_draft::author},
  {"alarmEmail", &job_draft::alarm_email},
  {"scheduleType", &job_draft::schedule_type},
  {"misfireStrategy", &job_draft::misfire},
  {"executorRouteStrategy", &job_draft::route},
  {"executorHandler", &job_draft::handler},
  {"executorParam", &job_draft::param},
  {"executorBlockStrategy", &job_draft::block},
  {"glueType", &job_draft::glue_type},
  {"glueSource", &job_draft::glue_source},
  {"glueRemark", &job_draft::glue_remark},
}};

/// Reads the members of one object and keeps the first value of a wrong type as the error.
class member_reader {
public:
  explicit member_reader(std::string_view body) : in_{body} {}

  template <class OnMember>
  core::result<void> read(OnMember on_member) {
    if (in_.peek() != json_kind::object)
      return tl::unexpected(unreadable("the body must be a JSON object"));
    in_.object([&](std::string_view name) {
      // The name must live until the value is read.
      const std::string known{name};
      on_member(known);
    });
    if (!in_.finish())
      return tl::unexpected(unreadable(in_.error()));
    if (!wrong_.empty())
      return tl::unexpected(unreadable(wrong_));
    return {};
  }

  std::optional<std::string> text(std::string_view name) {
    if (is_nested()) {
      note(name, " must be a string");
      return std::nullopt;
    }
    return in_.text();
  }

  std::int32_t number(std::string_view name) {
    if (in_.peek() == json_kind::null || is_nested()) {
      if (is_nested())
        note(name, " must be a number");
      return 0;
    }
    const auto value = in_.integer();
    if (value && *value >= std::numeric_limits<std::int32_t>::min() && *value <= std::numeric_limits<std::int32_t>::max())
      return static_cast<std::int32_t>(*value);
    note(name, " must be a number of 32 bits");
    return 0;
  }

private:
  [[nodiscard]] bool is_nested() noexcept {
    const auto kind = in_.peek();
    return kind == json_kind::object || kind == json_kind::array;
  }
  void note(std::string_view name, const char* what) {
    if (wrong_.empty())
      wrong_ = std::string{name} + what;
  }

  json_reader in_;
  std::string wrong_;
};

} // namespace

core::result<open_job> parse_open_job(std::string_view body) {
  open_job job;
  auto& draft = job.draft;
  member_reader members{body};
  auto read = members.read([&](std::string_view name) {
    const auto field =
      std::find_if(text_fields.begin(), text_fields.end(), [name](const auto& each) { return each.name == name; });
    if (field != text_fields.end())
      draft.*(field->value) = members.text(name).value_or("");
    else if (name == "scheduleConf")
      draft.schedule_conf = members.text(name);
    else if (name == "id")
      job.id = core::job_id{members.number(name)};
    else if (name == "jobGroup")
      draft.group = core::group_id{members.number(name)};
    else if (name == "executorTimeout")
      draft.timeout_s = members.number(name);
    else if (name == "executorFailRetryCount")
      draft.retry_count = members.number(name);
  });
  if (!read)
    return tl::unexpected{read.error()};
  draft.handler = core::trimmed(draft.handler);
  return job;
}

core::result<core::job_id> parse_open_job_id(std::string_view body) {
  core::job_id id{};
  member_reader members{body};
  auto read = members.read([&](std::string_view name) {
    if (name == "id")
      id = core::job_id{members.number(name)};
  });
  if (!read)
    return tl::unexpected{read.error()};
  return id;
}

core::result<open_trigger> parse_open_trigger(std::string_view body) {
  open_trigger trigger;
  member_reader members{body};
  auto read = members.read([&](std::string_view name) {
    if (name == "id")
      trigger.id = core::job_id{members.number(name)};
    else if (name == "executorParam")
      trigger.param = members.text(name);
    else if (name == "addressList")
      if (auto list = members.text(name); list && !core::is_blank(*list))
        trigger.addresses = {std::move(*list)};
  });
  if (!read)
    return tl::unexpected{read.error()};
  return trigger;
}

} // namespace ringmaster::protocol::wire

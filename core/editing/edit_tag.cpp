#include "core/editing/edit_tag.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace ringmaster::core {

namespace {

/// Subject that distinguishes this conflict from others.
constexpr std::string_view edited_subject = "If-Match";

/// Two 64-bit FNV-1a sums, with different initial values, over the lengths and bytes of all fields.
class tag_sum {
public:
  void add(std::string_view field) noexcept {
    add(static_cast<std::int64_t>(field.size()));
    for (const char each : field)
      take(static_cast<std::uint8_t>(each));
  }
  void add(std::int64_t field) noexcept {
    for (auto rest = static_cast<std::uint64_t>(field), i = std::uint64_t{0}; i < sizeof field; ++i, rest >>= 8)
      take(static_cast<std::uint8_t>(rest));
  }
  [[nodiscard]] std::string text() const {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    for (const auto sum : sums_)
      for (int shift = 60; shift >= 0; shift -= 4)
        out += digits[(sum >> shift) & 15];
    return out;
  }

private:
  void take(std::uint8_t byte) noexcept {
    constexpr std::uint64_t prime = 1099511628211u;
    for (auto& sum : sums_)
      sum = (sum ^ byte) * prime;
  }

  std::array<std::uint64_t, 2> sums_{14695981039346656037u, 0x9e3779b97f4a7c15u};
};

} // namespace

std::string edit_tag(const job_record& job) {
  tag_sum sum;
  sum.add(std::int64_t{number(job.group)});
  for (const std::string_view text :
       {std::string_view{job.name}, std::string_view{job.author}, std::string_view{job.alarm_email},
        std::string_view{job.schedule_type}, std::string_view{job.schedule_conf}, std::string_view{job.misfire},
        std::string_view{job.route}, std::string_view{job.block}, std::string_view{job.handler}, std::string_view{job.param},
        std::string_view{job.children}, std::string_view{job.glue_type}, std::string_view{job.glue_source},
        std::string_view{job.glue_remark}})
    sum.add(text);
  sum.add(std::int64_t{job.timeout_s});
  sum.add(std::int64_t{job.retry_count});
  for (const auto& value : values_of(job)) {
    sum.add(static_cast<std::int64_t>(value.index()));
    sum.add(text_of(value));
    sum.add(number_of(value));
  }
  return sum.text();
}

std::string edit_tag(const group_record& record) {
  const auto& group = record.group;
  tag_sum sum;
  sum.add(group.app_name);
  sum.add(group.title);
  sum.add(static_cast<std::int64_t>(group.type));
  if (group.type == address_type::manual)
    for (const auto& address : group.addresses)
      sum.add(address);
  return sum.text();
}

std::string edit_tag(const user_card& user) {
  tag_sum sum;
  sum.add(user.name);
  sum.add(std::int64_t{user.admin ? 1 : 0});
  for (const auto& [group, right] : user.rights) {
    sum.add(std::int64_t{number(group)});
    sum.add(static_cast<std::int64_t>(right));
  }
  return sum.text();
}

std::string source_tag(const job_record& job) {
  tag_sum sum;
  sum.add(job.glue_type);
  sum.add(job.glue_source);
  sum.add(job.glue_remark);
  return sum.text();
}

result<void> check_source_seen(const job_record& held, const std::optional<std::string_view>& seen) {
  if (!seen || *seen == source_tag(held))
    return {};
  return tl::unexpected{edited_meanwhile("the source of job " + std::to_string(number(held.id)))};
}

error edited_meanwhile(const std::string& what) {
  return {errc::conflict, what + " was edited meanwhile: read it again", refusal::none, std::string{edited_subject}};
}

bool is_edited_meanwhile(const error& error) noexcept {
  return error.code == errc::conflict && error.why == refusal::none && error.subject == edited_subject;
}

} // namespace ringmaster::core

#include "core/declared.hpp"

#include <cstdint>
#include <string_view>

namespace ringmaster::core {

namespace {

/// FNV-1a over texts with their lengths, so that neighbours cannot be exchanged unseen. It tells versions of one file apart, no more.
class fingerprint {
public:
  void add(std::string_view text) {
    add_number(text.size());
    for (char byte : text)
      add_byte(static_cast<unsigned char>(byte));
  }

  void add_number(std::uint64_t value) {
    for (int i = 0; i < 8; ++i)
      add_byte(static_cast<unsigned char>(value >> (8 * i)));
  }

  [[nodiscard]] std::string hex() const {
    std::string digits;
    for (int shift = 60; shift >= 0; shift -= 4)
      digits.push_back("0123456789abcdef"[hash_ >> shift & 0xf]);
    return digits;
  }

private:
  void add_byte(unsigned char byte) { hash_ = (hash_ ^ byte) * 0x100000001b3u; }

  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

} // namespace

std::string content_hash(const declared_job& job) {
  fingerprint print;
  for (std::string_view text : {std::string_view{job.group}, std::string_view{job.key}, std::string_view{job.name}, std::string_view{job.author},
                                std::string_view{job.alarm_email}, stored_name(job.schedule), std::string_view{job.schedule_conf},
                                stored_name(job.misfire), stored_name(job.route), stored_name(job.block), stored_name(job.on_unknown),
                                std::string_view{job.handler}, std::string_view{job.params}, std::string_view{job.glue_type}})
    print.add(text);
  for (std::int32_t value : {job.timeout_s, job.retry_count, job.enabled ? 1 : 0})
    print.add_number(static_cast<std::uint32_t>(value));
  for (const auto& [group, key] : job.children) {
    print.add(group);
    print.add(key);
  }
  return print.hex();
}

} // namespace ringmaster::core

#include "storage/rows/claim_items.hpp"

#include <limits>
#include <optional>

namespace ringmaster::storage {

namespace {

constexpr char format_version = 1;
// Id, flags, job, fire time and position take at least one byte each.
constexpr std::size_t item_bytes_min = 5;

void put(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

// Maps small values of either sign to small numbers. Differences wrap around, so they are computed unsigned.
void put_difference(std::string& out, std::uint64_t from, std::uint64_t to) {
  auto difference = static_cast<std::int64_t>(to - from);
  put(out, (static_cast<std::uint64_t>(difference) << 1) ^ static_cast<std::uint64_t>(difference >> 63));
}

/// Reads what `put` wrote; after the first error everything reads as 0 and `good` is false.
class reader {
public:
  explicit reader(std::string_view bytes) : rest_{bytes} {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty())
        break;
      auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      if (shift == 63 && byte > 1)
        break;
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80)
        return value;
    }
    good_ = false;
    rest_ = {};
    return 0;
  }

  std::uint64_t moved_from(std::uint64_t base) {
    auto value = number();
    return base + ((value >> 1) ^ (~(value & 1) + 1));
  }

  template <class Int>
  Int bounded() {
    auto value = number();
    if (value > static_cast<std::uint64_t>(std::numeric_limits<Int>::max())) {
      good_ = false;
      return 0;
    }
    return static_cast<Int>(value);
  }

  [[nodiscard]] bool good() const noexcept { return good_; }
  [[nodiscard]] std::size_t left() const noexcept { return rest_.size(); }

private:
  std::string_view rest_;
  bool good_ = true;
};

std::uint64_t bits(core::time_point t) noexcept { return static_cast<std::uint64_t>(core::to_ms(t)); }
std::uint64_t bits(core::log_id id) noexcept { return static_cast<std::uint64_t>(core::number(id)); }

// Bit 0: broadcast; bit 1: the shard is written; the rest: the attempt.
std::uint64_t flags_of(const claim_item& item) {
  std::uint64_t attempt = static_cast<std::uint32_t>(item.attempt);
  return attempt << 2 | (item.part != core::shard{} ? 2u : 0u) | (item.part.broadcast ? 1u : 0u);
}

claim_item read_item(reader& in, core::log_id first, const claim_item& before) {
  claim_item item;
  item.id = core::log_id{static_cast<std::int64_t>(in.moved_from(bits(first)))};
  auto flags = in.bounded<std::uint64_t>();
  item.attempt = static_cast<std::int32_t>(flags >> 2);
  item.part.broadcast = (flags & 1) != 0;
  item.job = core::job_id{in.bounded<std::int32_t>()};
  item.fire_at = core::from_ms(static_cast<std::int64_t>(in.moved_from(bits(before.fire_at))));
  if ((flags & 2) != 0) {
    item.part.index = in.bounded<std::int32_t>();
    item.part.total = in.bounded<std::int32_t>();
  }
  item.position = static_cast<std::uint32_t>(in.moved_from(before.position));
  return item;
}

} // namespace

std::string pack(core::log_id first, std::span<const claim_item> items) {
  std::string out;
  out.reserve(8 + items.size() * 10);
  out.push_back(format_version);
  put(out, items.size());
  claim_item before;
  for (const auto& item : items) {
    put_difference(out, bits(first), bits(item.id));
    put(out, flags_of(item));
    put(out, static_cast<std::uint32_t>(core::number(item.job)));
    put_difference(out, bits(before.fire_at), bits(item.fire_at));
    if (item.part != core::shard{}) {
      put(out, static_cast<std::uint32_t>(item.part.index));
      put(out, static_cast<std::uint32_t>(item.part.total));
    }
    put_difference(out, before.position, item.position);
    before = item;
  }
  return out;
}

core::result<std::vector<claim_item>> unpack(core::log_id first, std::string_view bytes) {
  if (bytes.empty())
    return core::fail(core::errc::internal, "a stored claim has no items");
  if (bytes.front() != format_version)
    return core::fail(core::errc::unsupported, "a claim is stored in format " +
                                                 std::to_string(static_cast<unsigned char>(bytes.front())) +
                                                 ", which this release does not read");
  reader in{bytes.substr(1)};
  auto count = in.number();
  if (!in.good() || count > in.left() / item_bytes_min)
    return core::fail(core::errc::internal, "a stored claim is damaged");
  std::vector<claim_item> items;
  items.reserve(count);
  claim_item before;
  for (std::uint64_t i = 0; i < count && in.good(); ++i) {
    before = read_item(in, first, before);
    items.push_back(before);
  }
  if (!in.good() || in.left() != 0)
    return core::fail(core::errc::internal, "a stored claim is damaged");
  return items;
}

void add_runs_of(const std::unordered_set<std::int32_t>& jobs, core::log_id first, std::string_view items,
                 std::vector<core::log_id>& found) {
  if (const auto unpacked = unpack(first, items))
    for (const auto& item : *unpacked)
      if (jobs.contains(core::number(item.job)))
        found.push_back(item.id);
}

} // namespace ringmaster::storage

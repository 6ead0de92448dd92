#include "gateway/exchange/gzip.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <zlib.h>

namespace ringmaster::gateway {

namespace {

/// 16 more than the window: with a gzip header.
constexpr int gzip_format = 16 + MAX_WBITS;
constexpr int gzip_memory = 8;
/// Bytes that are compressed at a time: the io thread also sends runs, and must not be held up by a large body.
constexpr std::size_t compressed_at_once = 32 * 1024;
constexpr std::size_t output_bytes = 16 * 1024;
/// Largest content of `decompressed`.
constexpr std::size_t plain_bytes_max = 64 * 1024 * 1024;

/// Compresses the pieces of another source. One thread at a time.
class gzip_source final : public protocol::http_body_source {
public:
  gzip_source(std::shared_ptr<protocol::http_body_source> plain, gzip_turns::turn turn)
    : turn_{std::move(turn)}, plain_{std::move(plain)}, left_{plain_->bytes().value_or(0)} {
    is_open_ = deflateInit2(&stream_, Z_BEST_SPEED, Z_DEFLATED, gzip_format, gzip_memory, Z_DEFAULT_STRATEGY) == Z_OK;
  }
  gzip_source(const gzip_source&) = delete;
  gzip_source& operator=(const gzip_source&) = delete;
  ~gzip_source() override {
    if (is_open_)
      deflateEnd(&stream_);
  }

  [[nodiscard]] bool is_open() const noexcept { return is_open_; }
  [[nodiscard]] std::optional<std::uint64_t> bytes() const noexcept override { return std::nullopt; }
  [[nodiscard]] state next(std::string& piece) override {
    if (ended_)
      return state::ended;
    if (at_ == held_.size()) {
      if (const auto come = plain_->next(held_); come != state::ready)
        return come == state::not_yet ? come : state::failed;
      at_ = 0;
      if (held_.empty() || held_.size() > left_)
        return state::failed;
      left_ -= held_.size();
    }
    piece.clear();
    if (!set_level(!turn_ || turn_->use() ? Z_BEST_SPEED : Z_NO_COMPRESSION, piece) || !compress_some(piece))
      return state::failed;
    if (ended_)
      turn_.reset(); // the client may still read for long
    return piece.empty() ? state::not_yet : state::ready;
  }

private:
  /// Appends what was compressed with another level. Returns false if zlib refuses.
  bool set_level(int level, std::string& piece) {
    if (level == std::exchange(level_, level))
      return true;
    stream_.avail_in = 0;
    std::array<char, output_bytes> out{};
    int done = Z_OK;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out.data());
      stream_.avail_out = static_cast<uInt>(out.size());
      done = deflateParams(&stream_, level, Z_DEFAULT_STRATEGY);
      piece.append(out.data(), out.size() - stream_.avail_out);
    } while (done == Z_BUF_ERROR && stream_.avail_out == 0);
    return done == Z_OK;
  }
  /// Returns false if zlib refuses.
  bool compress_some(std::string& piece) {
    const auto taken = std::min(compressed_at_once, held_.size() - at_);
    stream_.next_in = reinterpret_cast<Bytef*>(held_.data() + at_);
    stream_.avail_in = static_cast<uInt>(taken);
    at_ += taken;
    const bool is_last = left_ == 0 && at_ == held_.size();
    std::array<char, output_bytes> out{};
    int done = Z_OK;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out.data());
      stream_.avail_out = static_cast<uInt>(out.size());
      done = deflate(&stream_, is_last ? Z_FINISH : Z_NO_FLUSH);
      if (done != Z_OK && done != Z_STREAM_END && done != Z_BUF_ERROR)
        return false;
      ended_ = done == Z_STREAM_END;
      piece.append(out.data(), out.size() - stream_.avail_out);
      // Without compression zlib may leave input although there is room for output.
    } while (!ended_ && done == Z_OK && (stream_.avail_out == 0 || stream_.avail_in > 0));
    return is_last ? ended_ : stream_.avail_in == 0;
  }

  gzip_turns::turn turn_;
  std::shared_ptr<protocol::http_body_source> plain_;
  /// Bytes that the other source has not given yet.
  std::uint64_t left_;
  /// Piece that is being compressed, from `at_` on.
  std::string held_;
  std::size_t at_ = 0;
  int level_ = Z_BEST_SPEED;
  z_stream stream_{};
  bool is_open_ = false;
  bool ended_ = false;
};

} // namespace

bool takes_gzip(const protocol::http_request& request) noexcept {
  const auto* accepted = request.find_header("Accept-Encoding");
  if (!accepted)
    return false;
  const auto at = accepted->find("gzip");
  if (at == std::string::npos)
    return false;
  const std::string_view rest = std::string_view{*accepted}.substr(at + 4);
  const auto weight = rest.substr(0, rest.find(','));
  return weight.find("q=0") == std::string_view::npos || weight.find_first_of("123456789") != std::string_view::npos;
}

std::string compressed(std::string_view plain) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_format, gzip_memory, Z_DEFAULT_STRATEGY) != Z_OK)
    return {};
  std::string out(deflateBound(&stream, static_cast<uLong>(plain.size())), '\0');
  // zlib only reads its input, and takes it as mutable unless ZLIB_CONST is defined.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const auto state = deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return state == Z_STREAM_END ? out : std::string{};
}

/// State that turns and their limit share.
struct gzip_turns::shared {
  /// Returns false if there is no room. Needs the mutex.
  bool admit(holder& one) {
    one.used_ = now();
    if (std::find(holders.begin(), holders.end(), &one) != holders.end())
      return true;
    if (holders.size() >= most) {
      const auto slowest =
        std::min_element(holders.begin(), holders.end(), [](const auto* a, const auto* b) { return a->used_ < b->used_; });
      if (slowest == holders.end() || one.used_ - (*slowest)->used_ < slow_after)
        return false;
      holders.erase(slowest);
    }
    holders.push_back(&one);
    return true;
  }

  const std::size_t most;
  const std::function<clock::time_point()> now;
  std::mutex mutex = {};
  /// Bodies that have a turn.
  std::vector<holder*> holders = {};
};

gzip_turns::gzip_turns(std::size_t most, std::function<clock::time_point()> now)
  : shared_{new shared{most, std::move(now)}} {}

gzip_turns::turn gzip_turns::take() {
  auto made = std::make_shared<holder>(shared_);
  return made->use() ? made : nullptr;
}

gzip_turns::holder::~holder() {
  const std::lock_guard guard{of_->mutex};
  std::erase(of_->holders, this);
}

bool gzip_turns::holder::use() {
  const std::lock_guard guard{of_->mutex};
  return of_->admit(*this);
}

std::string decompressed(std::string_view gzip) {
  z_stream stream{};
  if (inflateInit2(&stream, gzip_format) != Z_OK)
    return {};
  // zlib only reads its input, and takes it as mutable unless ZLIB_CONST is defined.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
  stream.avail_in = static_cast<uInt>(gzip.size());
  std::string plain;
  int state = Z_OK;
  while (state == Z_OK && plain.size() < plain_bytes_max) {
    std::array<char, 16384> piece{};
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = piece.size();
    state = inflate(&stream, Z_NO_FLUSH);
    plain.append(piece.data(), piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return state == Z_STREAM_END ? plain : std::string{};
}

std::shared_ptr<protocol::http_body_source> compressed(std::shared_ptr<protocol::http_body_source> plain,
                                                       gzip_turns::turn turn) {
  auto made = std::make_shared<gzip_source>(std::move(plain), std::move(turn));
  return made->is_open() ? made : nullptr;
}

} // namespace ringmaster::gateway

#include "gateway/exchange/gzip.hpp"

#include <zlib.h>

namespace ringmaster::gateway {

namespace {

/// 16 more than the window: with a gzip header.
constexpr int gzip_format = 16 + MAX_WBITS;
constexpr int gzip_memory = 8;

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

} // namespace ringmaster::gateway

// MD5 against RFC 1321 and with lengths around a block.

#include <string>

#include "core/text/md5.hpp"
#include "tests/support/catch.hpp"

namespace {

std::string md5_hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hex;
  for (auto byte : ringmaster::core::md5(bytes)) {
    hex += digits[byte >> 4];
    hex += digits[byte & 15];
  }
  return hex;
}

} // namespace

TEST_CASE("MD5 matches RFC 1321", "[unit][md5]") {
  CHECK(md5_hex("") == "d41d8cd98f00b204e9800998ecf8427e");
  CHECK(md5_hex("a") == "0cc175b9c0f1b6a831c399e269772661");
  CHECK(md5_hex("abc") == "900150983cd24fb0d6963f7d28e17f72");
  CHECK(md5_hex("message digest") == "f96b697d7cb7938d525a2f31aaf161d0");
  CHECK(md5_hex("abcdefghijklmnopqrstuvwxyz") == "c3fcd3d76192e4007dfb496cca67e13b");
  CHECK(md5_hex("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") == "d174ab98d277d9f5a5611c2c9f419d9f");
  CHECK(md5_hex("12345678901234567890123456789012345678901234567890123456789012345678901234567890")
        == "57edf4a22be3c955ac49da2e2107b67a");
}

TEST_CASE("MD5 pads every length around a block", "[unit][md5]") {
  CHECK(md5_hex(std::string(55, 'x')) == "04364420e25c512fd958a70738aa8f72");
  CHECK(md5_hex(std::string(56, 'x')) == "668a72d5ba17f08e62dabcafad6db14b");
  CHECK(md5_hex(std::string(57, 'x')) == "693037871c4a9d3d8685018905cb530a");
  CHECK(md5_hex(std::string(63, 'x')) == "7dc2ca208106a2f703567bdff99d8981");
  CHECK(md5_hex(std::string(64, 'x')) == "c1bb4f81d892b2d57947682aeb252456");
  CHECK(md5_hex(std::string(65, 'x')) == "1bc932052302d074bdec39795fe00cf6");
  CHECK(md5_hex(std::string(119, 'x')) == "ab347a5f68c8a443cfcddc633f12c24f");
  CHECK(md5_hex(std::string(120, 'x')) == "fb98667f98096de92620b64f46e1c5b5");
  CHECK(md5_hex(std::string(128, 'x')) == "d69cb61a6ee87200676eb0d4b90edbcb");
  CHECK(md5_hex(std::string(1000, 'x')) == "398533d48111e9f664b1f64cb10c4b63");
}

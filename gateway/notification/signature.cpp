#include "gateway/notification/signature.hpp"

#include <array>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "core/text/mail_text.hpp"

namespace ringmaster::gateway {

namespace {

std::string hmac_sha256(const std::string& key, const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()), text.size(),
       out.data(), &size);
  return {out.begin(), out.begin() + size};
}

} // namespace

protocol::wire::webhook_signature sign_dingtalk(const std::string& secret, core::time_point now) {
  auto timestamp = std::to_string(core::to_ms(now));
  auto sign = core::base64(hmac_sha256(secret, timestamp + "\n" + secret));
  return {std::move(timestamp), std::move(sign)};
}

protocol::wire::webhook_signature sign_feishu(const std::string& secret, core::time_point now) {
  auto timestamp = std::to_string(core::to_ms(now) / 1000);
  auto sign = core::base64(hmac_sha256(timestamp + "\n" + secret, ""));
  return {std::move(timestamp), std::move(sign)};
}

} // namespace ringmaster::gateway

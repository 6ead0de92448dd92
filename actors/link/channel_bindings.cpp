#include "actors/link/channel_bindings.hpp"

#include <array>
#include <utility>

#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace ringmaster::actors {

namespace {

constexpr std::string_view exporter_label = "EXPORTER-Channel-Binding";
constexpr std::size_t binding_bytes = 32;

} // namespace

std::string channel_binding(SSL* session) {
  // Without the extended master secret, an attacker can make two connections with the same binding.
  if (!session || (SSL_version(session) < TLS1_3_VERSION && SSL_get_extms_support(session) != 1))
    return {};
  std::string binding(binding_bytes, '\0');
  const auto done = SSL_export_keying_material(session, reinterpret_cast<unsigned char*>(binding.data()), binding.size(),
                                               exporter_label.data(), exporter_label.size(), nullptr, 0, 0);
  return done == 1 ? binding : std::string{};
}

std::string sealed(std::string_view key, std::string_view binding, std::string_view text) {
  const auto message = std::string{binding}.append(text);
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned size = 0;
  const auto* made = HMAC(EVP_sha256(), key.empty() ? "" : key.data(), static_cast<int>(key.size()),
                          reinterpret_cast<const unsigned char*>(message.data()), message.size(), out.data(), &size);
  return made ? std::string{out.begin(), out.begin() + size} : std::string{};
}

void channel_bindings::add(const caf::node_id& peer, const void* owner, std::string binding) {
  std::lock_guard guard{mutex_};
  by_peer_[peer].push_back({owner, std::move(binding)});
}

void channel_bindings::remove(const caf::node_id& peer, const void* owner) {
  std::lock_guard guard{mutex_};
  const auto found = by_peer_.find(peer);
  if (found == by_peer_.end())
    return;
  std::erase_if(found->second, [owner](const entry& each) { return each.owner == owner; });
  if (found->second.empty())
    by_peer_.erase(found);
}

std::string channel_bindings::of(const caf::node_id& peer) const {
  std::lock_guard guard{mutex_};
  const auto found = by_peer_.find(peer);
  return found == by_peer_.end() ? std::string{} : found->second.front().binding;
}

} // namespace ringmaster::actors

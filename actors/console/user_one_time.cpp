// user_admin: the link that signs a user in once, without a password.

#include <utility>

#include "actors/console/user_admin.hpp"
#include "core/text/text.hpp"
#include "protocol/error.hpp"

namespace ringmaster::actors {

namespace {

core::error wrong_link() {
  return {core::errc::invalid_argument, "the sign-in link is wrong, was used before, or has expired",
          core::refusal::sign_in_wrong};
}

} // namespace

bool user_admin_state::is_one_time_token(std::string_view token) const {
  return link_ && self_->clock().now() < link_until_ && !token.empty() && token.size() <= token_bytes_max
         && core::equal_in_constant_time(tokens_.digest(token), link_->digest);
}

// Without a link, too, attempts are limited and answered alike: the answer does not tell whether there is one.
caf::result<protocol::signed_in> user_admin_state::sign_in(const protocol::one_time_sign_in& asked) {
  const auto name = link_ ? link_->user : std::string{};
  if (auto admitted = admit(name, asked.remote); !admitted)
    return protocol::to_caf(admitted.error());
  gate_.began(name, asked.remote, self_->clock().now());
  if (!is_one_time_token(asked.token)) {
    log_->warn("sign-in with an unknown or expired link from {}", asked.remote);
    return protocol::to_caf(wrong_link());
  }
  auto now = std::make_shared<attempt>();
  now->asked.name = name;
  now->asked.remote = asked.remote;
  // Taken before the session is stored: a second request meanwhile finds no link.
  now->link = std::exchange(link_, std::nullopt);
  now->answer = self_->make_response_promise<protocol::signed_in>();
  ++attempts_;
  look_up(now);
  return now->answer;
}

} // namespace ringmaster::actors

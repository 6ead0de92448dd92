#include "core/access/user.hpp"

namespace ringmaster::core {

bool is_known_password(std::string_view password) noexcept { return password == "123456"; }

bool is_known_hash(std::string_view stored) noexcept {
  return stored == "e10adc3949ba59abbe56e057f20f883e"
         || stored == "8d969eef6ecad3c29a3a629280e686cf0c3f5d5a86aff3ca12020c923adc6c92";
}

result<void> check_other_account(const principal& by, user_id user) {
  if (by.user == user)
    return refuse(errc::forbidden, refusal::own_account, "users cannot change their own account this way");
  return {};
}

} // namespace ringmaster::core

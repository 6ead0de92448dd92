#pragma once

// Where each setting was given, for messages. Internal to config and to who validates settings that no file holds.

#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace ringmaster::config {

class origins {
public:
  /// `place`: `file:line`, a variable's name, or the option with its key. The later one wins.
  void set(std::string_view key, std::string place) { places_.insert_or_assign(std::string{key}, std::move(place)); }

  /// The value that was given is not in the settings, so nothing that depends on it can be judged.
  void refuse(std::string_view key) { refused_.emplace(key); }
  void accept(std::string_view key) { refused_.erase(std::string{key}); }

  [[nodiscard]] bool any_refused(std::initializer_list<std::string_view> keys) const;

  /// `c.toml:3: `, or nothing for a default: the place of the first of `keys` that was given anywhere.
  [[nodiscard]] std::string prefix(std::initializer_list<std::string_view> keys) const;

  /// Place and key, once: `c.toml:3: log.level`, `RINGMASTER_LOG_LEVEL: log.level`, `--set log.level`, `log.level`.
  [[nodiscard]] std::string subject(std::string_view key) const;

private:
  std::map<std::string, std::string, std::less<>> places_;
  std::set<std::string, std::less<>> refused_;
};

} // namespace ringmaster::config

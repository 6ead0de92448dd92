#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "config/settings.hpp"
#include "protocol/access_token_source.hpp"
#include "protocol/caf.hpp"
#include "protocol/http.hpp"
#include "protocol/messages.hpp"
#include "protocol/wire/executor/executor_codec.hpp"

namespace ringmaster::actors {

/// Parts that all links of a node share.
struct link_tools {
  std::shared_ptr<protocol::http_client> client;
  /// Closed when the node's lease has expired.
  std::shared_ptr<const protocol::send_gate> gate;
  config::trigger_settings settings;
  protocol::access_token_source tokens;
};

/// Link to one executor at one address. Turns runs into `/run` requests of its family, and answers into results. A child of
/// trigger_pool, created when the address is first used and ended when it has not been used for long.
///
/// Answers arrive on the io thread in an inbox, which wakes the actor once for any number of answers: no message per answer.
class executor_link_state {
public:
  static inline const char* name = "ringmaster.executor_link";

  /// `registry` says which app name a group has, whether this address registered with the app name header, and which token it
  /// showed. Family E requires the header, and then `/trigger` instead of `/run`. Never null; changes come as messages.
  executor_link_state(protocol::executor_link::pointer self, link_tools tools, std::string address,
                      std::shared_ptr<const protocol::registry_view> registry);
  protocol::executor_link::behavior_type make_behavior();

private:
  /// Token of a group that a request showed, and the tokens that were refused before.
  struct shown_tokens {
    core::token_kind now = core::token_kind::group;
    std::uint8_t refused = 0;
  };
  /// Runs of one send_batch, alive until the last answer.
  struct run_flight {
    std::vector<core::claimed_run> runs;
    protocol::send_listener listener;
    bool path_changed = false;
    /// One entry for each run; the runs may be of several groups.
    std::vector<shown_tokens> tokens = {};
  };
  /// All that is needed to repeat a question.
  struct question {
    core::group_id group{};
    std::string path;
    std::string body;
    std::size_t reply_bytes_max = 0;
    shown_tokens tokens = {};
    /// Takes the answer's body; null: it is in the result.
    std::shared_ptr<protocol::http_body_sink> sink = {};
  };
  struct probe_flight {
    caf::typed_response_promise<protocol::probe_reply> promise;
    question asked;
    bool kill = false;
  };
  struct log_flight {
    caf::typed_response_promise<protocol::log_reply> promise;
    question asked;
    std::int32_t from_line = 1;
  };
  using flight = std::variant<std::shared_ptr<run_flight>, std::shared_ptr<probe_flight>, std::shared_ptr<log_flight>>;

  struct answer {
    flight of;
    std::size_t index = 0;
    protocol::http_result result;
  };

  /// Inbox in which the io thread leaves answers. Outlives the actor while calls are pending.
  struct inbox {
    std::mutex mutex;
    std::vector<answer> answers;
    /// A drain message is on its way.
    bool woken = false;
  };

  [[nodiscard]] std::size_t reply_max() const noexcept { return tools_.settings.reply_bytes_max; }
  void send_runs(protocol::send_batch&& batch);
  caf::result<protocol::probe_reply> probe(const protocol::probe_request& request);
  caf::result<protocol::probe_reply> kill(const protocol::kill_request& request);
  caf::result<protocol::log_reply> read_log(const protocol::log_request& request);
  void drain();
  void know(std::shared_ptr<const protocol::registry_view> registry);

  /// Facts learnt from this executor's answers in the name of one app.
  struct learnt_facts {
    /// Token that the executor accepted after it had refused another one; forgotten when the registry changes.
    std::optional<core::token_kind> token;
    /// Family E: `/trigger` instead of `/run`.
    std::optional<bool> trigger_path;
  };

  /// Call settings for one group, until the registry or an answer changes them.
  struct manner {
    /// Null: unknown.
    const core::group* group = nullptr;
    core::token_kind token_kind = core::token_kind::group;
    /// Null: none.
    const std::string* token = nullptr;
    bool trigger_path = false;
  };

  /// Returns the call settings of the group; valid until the next change.
  const manner& manner_for(core::group_id group);
  /// Takes over the current common token. Forgets the facts about tokens if it was replaced.
  void look_at_tokens();
  void forget_tokens();
  /// Returns the group; if it is unknown, the first group that lists this address; null if there is none.
  [[nodiscard]] const core::group* group_of(core::group_id group) const;
  /// Returns the token that this executor showed last for that group; the common one if the group has no token.
  [[nodiscard]] core::token_kind shown_for(const core::group* group) const;
  /// Returns true if there is such a token and this executor may see it.
  [[nodiscard]] bool has_token(const core::group* of, core::token_kind kind) const;
  [[nodiscard]] bool may_see_common_token(const core::group* group) const;
  [[nodiscard]] const std::string* token_for(const core::group* group, core::token_kind kind) const;
  void learn_path(core::group_id group, bool trigger_path);
  [[nodiscard]] bool knows_groups() const noexcept { return !registry_->groups.empty(); }
  /// Selects another token after a refusal; returns false if all were refused. Never selects the common one, unless this address
  /// has shown it.
  [[nodiscard]] bool switch_token(core::group_id group, shown_tokens& tokens);
  [[nodiscard]] protocol::http_call call(core::group_id group, std::string_view path, std::string body);
  [[nodiscard]] protocol::http_call run_call(const core::claimed_run& run);
  void post(std::vector<protocol::http_call>&& calls, flight of);
  /// Sends the question of the flight, for the first time or again.
  template <class Flight>
  void put(std::shared_ptr<Flight> of);
  /// Repeats the question with another token if the answer refuses the present one; returns true if it did.
  template <class Flight>
  [[nodiscard]] bool put_with_another_token(const std::shared_ptr<Flight>& of, const protocol::http_result& result);
  void answered(run_flight& of, std::size_t index, protocol::http_result&& result, std::vector<protocol::send_result>& results);
  void repeat(const run_flight& of, std::size_t index, bool path_changed, shown_tokens tokens);

  protocol::executor_link::pointer self_;
  link_tools tools_;
  /// Address as registered, and its parts.
  std::string registered_;
  protocol::address_parts address_;
  /// `protocol::address_key`
  std::string place_;
  std::shared_ptr<const protocol::registry_view> registry_;
  /// Facts by app name.
  std::unordered_map<std::string, learnt_facts> learnt_;
  std::unordered_map<std::int32_t, manner> manners_;
  /// Owns the tokens that `manners_` refer to; never null.
  std::shared_ptr<const core::common_tokens> common_;
  std::shared_ptr<inbox> inbox_ = std::make_shared<inbox>();
};

} // namespace ringmaster::actors

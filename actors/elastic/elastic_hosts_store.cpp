// Questions of elastic_hosts to the store: the begin of an incarnation, admission (E1), the keeper (E2), verdicts (E3), changes
// of other nodes.

#include <algorithm>
#include <utility>

#include "actors/elastic/elastic_hosts.hpp"

namespace ringmaster::actors {

namespace {

namespace elastic = core::elastic;

/// Rows of one read. There are at most `hosts_max` hosts that are up or silent, and a few that end meanwhile.
constexpr std::size_t changes_max = 2 * elastic::hosts_max;

elastic::host_facts facts_of(const protocol::host_introduction& introduction) {
  const auto& hello = introduction.hello;
  return {.id = introduction.address,
          .app_name = introduction.app_name,
          .process = hello.process,
          .folder = hello.folder,
          .boot = hello.boot,
          .pid = hello.pid,
          .pid_namespace = hello.pid_namespace,
          .start_ticks = hello.start_ticks,
          .ip = hello.ip,
          .labels = hello.labels,
          .capacity = hello.capacity};
}

/// Returns a process in words, for logs.
std::string words_of(const elastic::host_facts& process) {
  return "pid " + std::to_string(process.pid) + " at " + process.ip;
}

constexpr auto separate_folders = "give each executor its own data folder";

} // namespace

// -- incarnations ----------------------------------------------------------------------------------------------------------

void elastic_hosts_state::change_incarnation(const protocol::incarnation_change& change) {
  if (life_ == change.life)
    return;
  life_ = change.life;
  cluster_.reset();
  tasks_ = {};
  // An answer to the entries that the store has would be dropped.
  if (const auto asked = std::exchange(entering_, nullptr))
    entries_.insert(entries_.begin(), asked->begin(), asked->end());
  for (const auto& waiting : std::exchange(entries_, {}))
    refuse(waiting.link_number, protocol::elastic_verdict::unavailable, "this node is not in the cluster now");
  if (!life_)
    return table_.end_life();
  table_.begin_life(*life_, now());
  next_read_ = next_nodes_ = now();
  work();
}

template <class T, class UseCase, class Then>
void elastic_hosts_state::ask(bool tasks_under_way::* task, const char* what, UseCase use_case, Then then) {
  tasks_.*task = true;
  ask_store<T>(self_, parts_.worker, std::move(use_case), [this, task, what, then, life = *life_](core::result<T>&& answer) {
    if (life_ != life)
      return;
    tasks_.*task = false;
    const auto* failure = answer ? nullptr : &answer.error();
    const bool repeats = back_off_.must_repeat(failure, what, now(), parts_.log);
    if (failure != nullptr && !repeats) {
      not_before_ = now() + pause_after_refusal;
      if (const auto left_out = refusals_.admit(now()))
        parts_.log->error("the store refused to {}: {}{}", what, failure->context, *left_out);
    }
    then(std::move(answer));
    if (failure == nullptr)
      work();
    tell_news();
  });
}

void elastic_hosts_state::work() {
  if (!life_ || !back_off_.is_over(now()) || now() < not_before_)
    return;
  if (!cluster_)
    return begin();
  enter_hosts();
  judge();
  claim();
  read();
}

void elastic_hosts_state::begin() {
  if (tasks_.start)
    return;
  ask<start>(
    &tasks_under_way::start, "read the hosts of elastic jobs",
    [id = parts_.draw_id(), since = change_no_](storage::store& store) -> core::result<start> {
      // Changes after this number are read again.
      auto mark = store.elastic().mark(id);
      if (!mark)
        return tl::unexpected{mark.error()};
      auto rows = store.elastic().hosts_since(since, changes_max);
      if (!rows)
        return tl::unexpected{rows.error()};
      return start{std::move(*mark), std::move(*rows)};
    },
    [this, asked_at = now()](core::result<start>&& found) {
      if (found && found->hosts.size() < changes_max)
        table_.note_reading(asked_at);
      begun(std::move(found));
    });
}

void elastic_hosts_state::begun(core::result<start>&& found) {
  if (!found || found->mark.cluster_id.empty()) // begins again with the next tick
    return;
  cluster_ = found->mark.cluster_id;
  // Leases of silent hosts are counted from now on.
  for (const auto& row : found->hosts)
    table_.learn(row, now(), now());
  change_no_ = found->hosts.size() < changes_max ? found->mark.host_change : found->hosts.back().change_no;
}

// -- admission -------------------------------------------------------------------------------------------------------------

void elastic_hosts_state::refuse(std::uint64_t link, protocol::elastic_verdict verdict, std::string reason,
                                 const elastic::host_process& process) {
  protocol::elastic_welcome answer;
  answer.host = process;
  answer.verdict = verdict;
  answer.node = parts_.node;
  answer.reason = std::move(reason);
  tell(link, {0, std::move(answer)});
}

void elastic_hosts_state::refuse_replaced(std::uint64_t link, const elastic::host_facts& older,
                                          const elastic::host_process& process) {
  const auto* const newer = table_.present_process(older.id);
  const auto by = newer == nullptr ? std::string{"a newer one"} : words_of(*newer);
  if (const auto left_out = replacements_.admit(now()))
    parts_.log->warn("host {}: two processes use this id, {} and {}; the later one gets the items; {}{}", older.id,
                     words_of(older), by, separate_folders, *left_out);
  refuse(link, protocol::elastic_verdict::replaced,
         "another process, " + by + ", uses the id " + older.id + "; " + separate_folders, process);
}

elastic_hosts_state::entries elastic_hosts_state::next_entries() {
  entries out;
  while (!entries_.empty() && out.size() < entries_max) {
    auto next = std::move(entries_.front());
    entries_.pop_front();
    const auto& hello = next.introduction.hello;
    const auto facts = facts_of(next.introduction);
    const auto standing = table_.standing_of(facts);
    if (!hello.cluster.empty() && hello.cluster != *cluster_)
      refuse(next.link_number, protocol::elastic_verdict::other_cluster,
             "the host belongs to cluster " + hello.cluster + ", this node to " + *cluster_);
    else if (standing == host_table::standing::replaced)
      refuse_replaced(next.link_number, facts);
    else if (standing == host_table::standing::outdated)
      refuse(next.link_number, protocol::elastic_verdict::dead_process, "another process replaced this one, and has ended");
    else
      out.push_back(std::move(next));
  }
  return out;
}

void elastic_hosts_state::enter_hosts() {
  if (tasks_.entry || entries_.empty())
    return;
  auto asked = std::make_shared<const entries>(next_entries());
  if (asked->empty())
    return;
  entering_ = asked;
  ask<entry_answers>(
    &tasks_under_way::entry, "enter hosts of elastic jobs",
    [asked, owner = *life_, cluster = *cluster_](storage::store& store) -> core::result<entry_answers> {
      entry_answers out;
      for (const auto& each : *asked) {
        out.push_back(store.elastic().enter_host(owner, cluster, facts_of(each.introduction)));
        if (!out.back() && out.back().error().code == core::errc::unavailable)
          return tl::unexpected{out.back().error()};
      }
      return out;
    },
    [this, asked](core::result<entry_answers>&& answers) {
      entering_ = nullptr;
      if (!answers)
        answers = entry_answers(asked->size(), tl::unexpected{answers.error()});
      entered(*asked, std::move(*answers));
    });
}

void elastic_hosts_state::entered(const entries& asked, entry_answers&& answers) {
  for (std::size_t i = 0; i < asked.size(); ++i)
    entered(asked[i], std::move(answers[i]));
}

void elastic_hosts_state::entered(const entry& asked, core::result<elastic::host_answer>&& answer) {
  using enum protocol::elastic_verdict;
  if (!answer) {
    const auto code = answer.error().code;
    const auto verdict = code == core::errc::conflict    ? other_cluster
                         : code == core::errc::too_large ? too_many_hosts
                                                         : unavailable;
    parts_.log->warn("host {} was not admitted: {}", asked.introduction.address, answer.error().context);
    return refuse(asked.link_number, verdict, answer.error().context);
  }
  if (answer->outcome == elastic::write_outcome::guard_lost)
    return refuse(asked.link_number, dead_process, "this process counts as dead",
                  answer->row ? answer->row->process : elastic::host_process{});
  if (!answer->row)
    return refuse(asked.link_number, unavailable, "the store has no row of this host");
  let_in(asked, *answer->row);
}

void elastic_hosts_state::let_in(const entry& asked, const elastic::host_row& row) {
  if (!links_.contains(asked.link_number)) { // lost meanwhile
    table_.learn(row, now(), now());
    return;
  }
  table_.admit(asked.link_number, row, asked.introduction, now());
  if (table_.process_of(asked.link_number) != row.process)
    return refuse_replaced(asked.link_number, row.facts, row.process);
  if (goodbyes_.contains(asked.link_number))
    table_.lose_link(asked.link_number, true, now());
  parts_.processes->watch(row.process, row.facts);
  if (const auto& hello = asked.introduction.hello; !hello.cluster.empty() && !hello.epochs.empty())
    protocol::send(self_, parts_.director, protocol::host_epochs{hello.epochs});
  protocol::elastic_welcome answer;
  answer.cluster = *cluster_;
  answer.node = parts_.node;
  answer.host = row.process;
  answer.keeper_no = table_.keeper_no(row.process);
  tell(asked.link_number, {0, std::move(answer)});
  parts_.log->info("host {} ({}) is process {} of host {}", row.facts.id, row.facts.app_name,
                   core::number(row.process.incarnation), core::number(row.process.host));
}

// -- the keeper ------------------------------------------------------------------------------------------------------------

void elastic_hosts_state::claim() {
  if (tasks_.claim)
    return;
  const auto claims = std::make_shared<const std::vector<elastic::keeper_claim>>(table_.begin_claims());
  if (claims->empty())
    return;
  ask<std::vector<elastic::host_answer>>(
    &tasks_under_way::claim, "keep hosts of elastic jobs",
    [claims, owner = *life_](storage::store& store) { return store.elastic().keep_hosts(owner, *claims); },
    [this, claims](core::result<std::vector<elastic::host_answer>>&& answers) {
      const auto heard = answers ? std::move(*answers) : std::vector<elastic::host_answer>{};
      for (const auto& [link, ack] : table_.end_claims(*claims, heard, now()))
        tell(link, {life_->incarnation, ack});
    });
}

void elastic_hosts_state::judge() {
  if (tasks_.verdict)
    return;
  const auto verdicts = std::make_shared<const std::vector<elastic::host_verdict>>(table_.begin_verdicts(now()));
  if (verdicts->empty())
    return;
  ask<std::vector<elastic::host_answer>>(
    &tasks_under_way::verdict, "judge hosts of elastic jobs",
    [verdicts, owner = *life_](storage::store& store) { return store.elastic().judge_hosts(owner, *verdicts); },
    [this, verdicts](core::result<std::vector<elastic::host_answer>>&& answers) {
      table_.end_verdicts(*verdicts, answers ? std::move(*answers) : std::vector<elastic::host_answer>{}, now());
    });
}

// -- other nodes -----------------------------------------------------------------------------------------------------------

void elastic_hosts_state::read() {
  const bool reads_hosts = table_.several_nodes() && now() >= next_read_;
  const bool reads_nodes = now() >= next_nodes_;
  if (tasks_.reading || (!reads_hosts && !reads_nodes))
    return;
  next_read_ = now() + read_every;
  if (reads_nodes)
    next_nodes_ = now() + nodes_every;
  ask<reading>(
    &tasks_under_way::reading, "read the changes of hosts of elastic jobs",
    [reads_nodes, since = change_no_](storage::store& store) -> core::result<reading> {
      reading out;
      if (reads_nodes) {
        auto nodes = store.cluster().nodes();
        if (!nodes)
          return tl::unexpected{nodes.error()};
        out.nodes = std::move(*nodes);
      }
      auto rows = store.elastic().hosts_since(since, changes_max);
      if (!rows)
        return tl::unexpected{rows.error()};
      out.hosts = std::move(*rows);
      return out;
    },
    [this, asked_at = now()](core::result<reading>&& found) {
      if (!found)
        return;
      if (found->nodes)
        table_.note_nodes(*found->nodes);
      const bool is_all = found->hosts.size() < changes_max;
      take_changes(std::move(found->hosts));
      if (is_all)
        table_.note_reading(asked_at);
    });
}

void elastic_hosts_state::take_changes(core::result<std::vector<elastic::host_row>>&& rows) {
  if (!rows)
    return;
  for (const auto& row : *rows) {
    table_.learn_change(row, now());
    change_no_ = std::max(change_no_, row.change_no);
  }
  if (rows->size() >= changes_max) // there are more
    next_read_ = now();
}

} // namespace ringmaster::actors

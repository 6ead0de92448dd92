#include "tests/simulation/executor.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "tests/simulation/native.hpp"
#include "tests/simulation/node.hpp"
#include "tests/simulation/world.hpp"

namespace ringmaster::simulation {

namespace {

constexpr span patience = 3s;
constexpr span callback_pause = 1s;
/// Pause between two checks whether there is a link to each node.
constexpr span dial_pause = 700ms;
/// Time limit for a node's welcome.
constexpr span dial_limit = 2s;
constexpr auto fine = R"({"code":200})";

core::trigger_reply refusal(const std::string& why) { return {500, why}; }

std::string as_json(const core::trigger_reply& reply) {
  return reply.code == 200 ? fine : nlohmann::json{{"code", reply.code}, {"msg", reply.message}}.dump();
}

core::trigger_request read_run(const std::string& body) {
  const auto asked = nlohmann::json::parse(body);
  core::trigger_request run;
  run.job = core::job_id{asked.at("jobId").get<std::int32_t>()};
  run.run = core::log_id{asked.at("logId").get<std::int64_t>()};
  run.log_time = core::from_ms(asked.at("logDateTime").get<std::int64_t>());
  run.param = asked.at("executorParams").get<std::string>();
  if (asked.at("executorBlockStrategy") == "DISCARD_LATER")
    run.block = core::block_strategy::discard_later;
  return run;
}

std::string identity_text(core::job_id job, core::time_point log_time) {
  return std::to_string(core::number(job)) + ' ' + std::to_string(core::to_ms(log_time) / 1000);
}

/// `takes=80 ends=ok`
std::string value(const std::string& param, const std::string& name) {
  auto at = param.find(name + '=');
  if (at == std::string::npos)
    return {};
  at += name.size() + 1;
  return param.substr(at, param.find(' ', at) - at);
}

std::int32_t code_of(const std::string& ends, std::int64_t id) {
  if (ends == "odd")
    return id * 2654435761 / 65536 % 3 == 0 ? 500 : 200;
  return ends == "fail" ? 500 : 200;
}

} // namespace

sim_executor::sim_executor(world& in, int number, int replica)
  : world_{in},
    number_{std::to_string(number) + (replica == 0 ? "" : "." + std::to_string(replica))},
    origin_{"http://10.0.0." + std::to_string(number) + ":9999"} {}

sim_executor::~sim_executor() = default;

void sim_executor::handle(const std::string& target, const std::string& body, span written, const answer& back) {
  if (is_suspended())
    return world_.at(suspended_until_, [this, target, body, written, back] { handle(target, body, written, back); });
  auto said = [this, target, body, written] {
    return protocol::http_result{protocol::delivery::answered, 200, reply_to(target, body, written), {}, {}, {}};
  };
  // With the order of the questions reversed: the log answer is of now, the idle answer of a moment later.
  if (world_.rule_off() && world_.rule_off()->log_first && target == "/idleBeat") {
    files_then_ = files_;
    return world_.after(patience / 10, [back, said] { back(said()); });
  }
  back(said());
}

std::string sim_executor::reply_to(const std::string& target, const std::string& body, span written) {
  if (target == "/run")
    return as_json(take(read_run(body), written));
  auto asked = nlohmann::json::parse(body);
  if (target == "/idleBeat")
    return as_json(say_idle(core::job_id{asked.at("jobId").get<std::int32_t>()}));
  if (target != "/log")
    return fine;
  const auto lines = read_log(core::log_id{asked.at("logId").get<std::int64_t>()});
  nlohmann::json chunk{{"fromLineNum", lines.from_line}, {"toLineNum", lines.to_line}, {"isEnd", lines.ended}};
  chunk["logContent"] = lines.text;
  return nlohmann::json{{"code", 200}, {"content", chunk}}.dump();
}

core::trigger_reply sim_executor::say_idle(core::job_id job) const {
  return is_busy(core::number(job)) ? refusal("job thread is running or has trigger queue.") : core::trigger_reply{};
}

core::log_lines sim_executor::read_log(core::log_id run) {
  const auto id = core::number(run);
  const auto& files = world_.rule_off() && world_.rule_off()->log_first ? files_then_ : files_;
  auto known = files.contains(id);
  if (known && files.at(id).epoch != world_.epoch()) // its result went to the database that was replaced
    world_.checker().executor_lost(id);
  // Of several processes one may have answered "idle", and this one, in whose queue the run waits, "no log".
  const bool waits_here = world_.what().replicas > 1 && has(id);
  if (!known)
    world_.checker().denied(id, waits_here || world_.knows_elsewhere(*this, id));
  return {1, known ? 1 : 0, known ? "job execute start" : "readLog fail, logFile not exists", true};
}

core::trigger_reply sim_executor::say_taken(const core::run_identity& run) {
  const auto id = core::number(run.run);
  const auto file = files_.find(id);
  if (file != files_.end() && file->second.epoch != world_.epoch())
    world_.checker().executor_lost(id);
  if (has(id) && (file == files_.end() || file->second.identity == identity_text(run.job, run.log_time)))
    return {};
  world_.checker().denied_over_link();
  world_.checker().denied(id, false);
  return {core::run_never_came, "the run was not taken"};
}

core::trigger_reply sim_executor::take(const core::trigger_request& run, span written) {
  const auto param = run.param.value_or("");
  order wanted{core::number(run.run), world_.epoch_at(written), core::number(run.job),
               milliseconds{std::stoll("0" + value(param, "takes"))}, value(param, "ends")};
  wanted.log_time = core::to_ms(run.log_time);
  wanted.identity = identity_text(run.job, run.log_time);
  if (wanted.epoch != world_.epoch())
    return {}; // of a database that was replaced
  world_.checker().arrived(wanted.id, written);
  if (wanted.ends == "refuse")
    return refusal("job handler [handler] not found.");
  auto& of = workers_[wanted.job];
  // A repetition of an instant under its id: it ran, and its result went to the database that was replaced.
  if (const auto file = files_.find(wanted.id); knows(of, wanted) && file != files_.end() && file->second.epoch != wanted.epoch)
    world_.checker().executor_lost(wanted.id);
  if (knows(of, wanted))
    return refusal("repeat trigger job, logId:" + std::to_string(wanted.id));
  if (run.block == core::block_strategy::discard_later && is_busy(wanted.job))
    return refusal("block strategy effect: Discard Later");
  of.queue.push_back(std::move(wanted));
  if (!of.running)
    start_next(core::number(run.job));
  return {};
}

bool sim_executor::is_busy(std::int32_t job) const {
  auto of = workers_.find(job);
  return of != workers_.end() && (of->second.running || !of->second.queue.empty());
}

bool sim_executor::knows(const worker& of, const order& wanted) const {
  for (const auto& waiting : of.queue)
    if (waiting.id == wanted.id)
      return true;
  const auto file = files_.find(wanted.id);
  return world_.what().kind == executor_kind::remembering && file != files_.end()
         && (!world_.what().compares_runs || file->second.identity == wanted.identity);
}

bool sim_executor::has(std::int64_t id) const {
  if (files_.contains(id))
    return true;
  for (const auto& [job, of] : workers_)
    for (const auto& waiting : of.queue)
      if (waiting.id == id)
        return true;
  return false;
}

void sim_executor::forget_work() {
  ++life_;
  workers_.clear();
  results_.clear();
}

void sim_executor::start_next(std::int32_t job) {
  auto& of = workers_[job];
  if (of.queue.empty())
    return;
  of.running = std::move(of.queue.front());
  of.queue.pop_front();
  files_[of.running->id] = {of.running->identity, of.running->epoch};
  log_times_[of.running->id] = of.running->log_time;
  if (world_.tracing())
    world_.say("executor " + number_ + " starts run " + std::to_string(of.running->id));
  world_.checker().executed(of.running->id);
  world_.after(of.running->takes, [this, job, done = *of.running, life = life_] {
    if (life != life_)
      return;
    auto code = code_of(done.ends, done.id);
    workers_[job].running.reset();
    finish(done, code, code == 200 ? "done" : "failed");
    start_next(job);
  });
}

void sim_executor::finish(const order& done, std::int32_t code, const std::string& message) {
  world_.checker().ended(done.id, code);
  results_[done.id] = {code, message};
  call_back(done.id, world_.random(world_.nodes().size()));
}

// A result for an unreachable node goes to the next one; if no node is reachable, it is sent again later.
void sim_executor::call_back(std::int64_t id, std::size_t node) {
  if (!results_.contains(id))
    return;
  auto luck = world_.what().bad_callbacks ? world_.random(8) : 8;
  auto again = [this, id, node, life = life_] {
    if (life == life_)
      call_back(id, (node + 1) % world_.nodes().size());
  };
  auto stored = std::make_shared<bool>(false);
  auto over = [this, id, stored, life = life_, lost = luck == 0](bool durable) {
    if (!durable || lost || life != life_)
      return;
    *stored = true;
    results_.erase(id);
  };
  auto& to = *world_.nodes()[node];
  if (!to.is_up() || world_.now() < world_.what().callbacks_lost_until)
    return world_.after(callback_pause, again);
  const auto& [code, message] = results_.at(id);
  const auto link = links_.find(node);
  const bool by_link = link != links_.end() && link->second && link->second->is_up() && link->second->has_room();
  if (by_link)
    link->second->report({core::log_id{id}, core::from_ms(log_times_[id]), code, message}, over);
  core::callback result{core::log_id{id}, code, message, nullptr, nullptr, core::echoed_log_time(log_times_[id])};
  for (int copies = luck == 1 ? 2 : 1; copies > 0 && luck != 2 && !by_link; --copies)
    to.at(world_.now() + 500us, [&to, result, over] { to.call_back(result, over); });
  world_.after(patience, [again, stored] {
    if (!*stored)
      again();
  });
}

void sim_executor::restart(bool wipe) {
  ++life_;
  drop_links();
  std::set<std::int64_t> lost;
  for (const auto& [job, of] : workers_) {
    if (of.running)
      lost.insert(of.running->id);
    for (const auto& waiting : of.queue)
      lost.insert(waiting.id);
  }
  workers_.clear();
  world_.say("executor " + number_ + (wipe ? " restarts without files" : " restarts"));
  for (auto id : lost)
    world_.checker().executor_lost(id);
  if (wipe) {
    for (const auto& [id, result] : std::exchange(results_, {}))
      world_.checker().executor_lost(id);
    std::set<std::int64_t> files;
    for (const auto& [id, file] : std::exchange(files_, {}))
      files.insert(id);
    world_.checker().files_lost(files);
  }
  for (const auto& [id, result] : results_)
    call_back(id, 0);
}

void sim_executor::begin_links() {
  for (std::size_t node = 0; node < world_.nodes().size(); ++node)
    keep_link(node);
}

void sim_executor::keep_link(std::size_t node) {
  world_.after(dial_pause, [this, node] { keep_link(node); });
  auto& link = links_[node];
  if (link && !link->is_up() && world_.now() >= link->begun() + dial_limit)
    link->leave();
  if ((link && !link->is_over()) || is_suspended())
    return;
  auto& to = *world_.nodes()[node];
  link = std::make_shared<sim_link>(world_, to, *this);
  to.dial(link);
}

void sim_executor::drop_links() {
  for (auto& [node, link] : std::exchange(links_, {}))
    if (link)
      link->leave();
}

bool sim_executor::is_suspended() const { return world_.now() < suspended_until_; }

void sim_executor::suspend(milliseconds lasts) {
  world_.say("executor " + number_ + " is stopped");
  suspended_until_ = world_.now() + lasts;
}

} // namespace ringmaster::simulation

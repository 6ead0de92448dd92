#include "executor/host/listener_objects.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <vector>

namespace ringmaster::executor {

namespace {

using elastic::batch_context;
using elastic::listener_call;

/// One listener to be called.
struct listener_turn {
  std::string name;
  std::function<void(const batch_context&)> call;
  int order = 0;
};

std::string words_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& failure) {
    return failure.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

} // namespace

// A factory runs outside the lock. The first object of a job stays, so that all batches see the same one.
template <class Listener>
std::shared_ptr<Listener> listener_objects::object_of(object_map<Listener>& objects, const factory_map<Listener>& factories,
                                                      const object_key& key) {
  {
    const std::lock_guard lock{guard_};
    if (const auto found = objects.find(key); found != objects.end())
      return found->second;
  }
  const auto factory = factories.find(key.second);
  if (factory == factories.end())
    throw std::runtime_error{"the executor has no such listener"};
  auto made = factory->second();
  if (!made)
    throw std::runtime_error{"the factory of the listener returned no object"};
  const std::lock_guard lock{guard_};
  return objects.try_emplace(key, std::move(made)).first->second;
}

core::run_outcome listener_objects::call(const elastic::listener_work& work, job_log& log,
                                         const std::function<void(const std::string&)>& note) {
  std::string failures;
  const auto attempt = [&](const std::string& name, const auto& code) {
    try {
      code();
    } catch (...) {
      const auto text = "listener \"" + name + "\": " + words_of(std::current_exception());
      failures += (failures.empty() ? "" : "; ") + text;
      note(text);
    }
  };
  std::vector<listener_turn> turns;
  for (const auto& name : work.names)
    attempt(name, [&] {
      const object_key key{work.job, name};
      if (elastic::is_of_each_node(work.call)) {
        const auto one = object_of(objects_, factories_, key);
        turns.push_back({name,
                         [one, before = work.call == listener_call::before](const batch_context& batch) {
                           before ? one->before(batch) : one->after(batch);
                         },
                         one->order()});
      } else {
        const auto one = object_of(once_objects_, once_factories_, key);
        turns.push_back({name, [one, before = work.call == listener_call::before_all](const batch_context& batch) {
                           before ? one->before_all(batch) : one->after_all(batch);
                         }});
      }
    });
  std::stable_sort(turns.begin(), turns.end(), [](const auto& a, const auto& b) { return a.order < b.order; });
  const batch_context batch{work.facts, work.control.get(), log};
  for (const auto& turn : turns)
    attempt(turn.name, [&] { turn.call(batch); });
  return failures.empty() ? core::run_outcome{} : core::run_outcome{500, std::move(failures)};
}

} // namespace ringmaster::executor

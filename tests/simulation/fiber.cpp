#include "tests/simulation/fiber.hpp"

#include <cstdint>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
extern "C" { // of AddressSanitizer's own library
void __sanitizer_start_switch_fiber(void** keep, const void* bottom, std::size_t size);
void __sanitizer_finish_switch_fiber(void* kept, const void** bottom, std::size_t* size);
}
#endif

namespace ringmaster::simulation {

namespace {

constexpr std::size_t stack_bytes = 512 * 1024;

// AddressSanitizer has to know the running stack.
void before_switch([[maybe_unused]] void** keep, [[maybe_unused]] const void* bottom, [[maybe_unused]] std::size_t size) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(keep, bottom, size);
#endif
}

void after_switch([[maybe_unused]] void* kept, [[maybe_unused]] const void** bottom, [[maybe_unused]] std::size_t* size) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(kept, bottom, size);
#endif
}

} // namespace

fiber* fiber_pool::run(std::function<void()> work) {
  if (free_.empty()) {
    all_.push_back(std::make_unique<fiber>(stack_bytes));
    free_.push_back(all_.back().get());
  }
  auto* one = free_.back();
  free_.pop_back();
  one->work = std::move(work);
  one->finished = false;
  getcontext(&one->context);
  one->context.uc_stack.ss_sp = one->stack.get();
  one->context.uc_stack.ss_size = one->size;
  one->context.uc_link = nullptr;
  auto self = reinterpret_cast<std::uintptr_t>(this);
  // makecontext passes integers only.
  makecontext(&one->context, reinterpret_cast<void (*)()>(&fiber_pool::enter), 2, static_cast<unsigned>(self >> 32),
              static_cast<unsigned>(self));
  return resume(one) ? nullptr : one;
}

bool fiber_pool::resume(fiber* one) {
  switch_to(*one);
  if (!one->finished)
    return false;
  one->work = nullptr;
  free_.push_back(one);
  return true;
}

void fiber_pool::suspend() { leave(*current_, false); }

void fiber_pool::enter(unsigned high, unsigned low) {
  auto* pool = reinterpret_cast<fiber_pool*>((static_cast<std::uintptr_t>(high) << 32) | low);
  after_switch(nullptr, &pool->main_stack_, &pool->main_size_);
  auto& one = *pool->current_;
  one.work();
  one.finished = true;
  pool->leave(one, true);
}

void fiber_pool::switch_to(fiber& one) {
  current_ = &one;
  before_switch(&main_shadow_, one.stack.get(), one.size);
  swapcontext(&main_, &one.context);
  after_switch(main_shadow_, nullptr, nullptr);
  current_ = nullptr;
}

void fiber_pool::leave(fiber& one, bool for_good) {
  before_switch(for_good ? nullptr : &one.shadow, main_stack_, main_size_);
  swapcontext(&one.context, &main_);
  after_switch(one.shadow, &main_stack_, &main_size_);
}

} // namespace ringmaster::simulation

#include "ResetGuard.h"

#include <algorithm>

#include "Connections.h"

namespace anechoic {

void ResetGuard::note(const std::string &peer, Clock::time_point now) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (budgets_.size() >= many_) forget_old(now);
    Budget &budget = budgets_[peer];
    const std::chrono::duration<double> passed = now - budget.time;
    budget.used = std::max(0.0, budget.used - passed.count() * per_second) + 1;
    budget.time = now;
    if (budget.used <= burst) return;
    budgets_.erase(peer);
  }
  reset_connection(peer);
}

void ResetGuard::forget_old(Clock::time_point now) {
  const auto whole = std::chrono::duration<double>(burst / per_second);
  for (auto budget = budgets_.begin(); budget != budgets_.end();) {
    budget = now - budget->second.time > whole ? budgets_.erase(budget) : std::next(budget);
  }
  if (budgets_.size() >= most_peers) budgets_.clear();
  many_ = std::clamp(2 * budgets_.size(), few_peers, most_peers);
}

}  // namespace anechoic

#ifndef ANECHOIC_CGRPC_RESET_GUARD_H
#define ANECHOIC_CGRPC_RESET_GUARD_H

#include <chrono>
#include <mutex>
#include <string>
#include <unordered_map>

namespace anechoic {

// Closes connections whose client starts calls only to cancel them (CVE-2023-44487). Cancelled calls do
// not count for the limit of open calls, and libgrpc 1.51 has no other limit: such a client keeps one of
// libgrpc's threads busy with reading, and connections that wait for this thread stall.
//
// A connection of a Unix socket has no address of its own, and is therefore never closed.
class ResetGuard {
 public:
  using Clock = std::chrono::steady_clock;

  // A call that its client cancels when it is older than this counts as used.
  static constexpr std::chrono::seconds shortest_use{1};
  // The calls that a connection may cancel at once, and each second in addition. The number is
  // small, because libgrpc drops most calls of an attack by itself: about one of 35 is reported
  // here.
  static constexpr double burst = 100;
  static constexpr double per_second = 20;

  // Records that a client has cancelled a call soon after its start. `peer` is the connection's
  // address in the notation of grpc::ServerContext. Any thread may call this.
  void note(const std::string &peer, Clock::time_point now);

 private:
  struct Budget {
    double used = 0;
    Clock::time_point time;
  };

  // Addresses that are remembered at a time. Old ones are forgotten from `few_peers` on, each time that
  // there are twice as many as were left. Otherwise they would lie between memory that is used again.
  static constexpr size_t most_peers = 4096;
  static constexpr size_t few_peers = 64;

  void forget_old(Clock::time_point now);

  std::mutex mutex_;
  std::unordered_map<std::string, Budget> budgets_;
  size_t many_ = few_peers;  // The number of addresses at which old ones are forgotten.
};

}  // namespace anechoic

#endif

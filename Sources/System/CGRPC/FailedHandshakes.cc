#include <grpc/support/log.h>

#include <atomic>
#include <cstring>

#include "CGRPCSecurity.h"

namespace {

std::atomic<cgrpc_handshake_observer> observer{nullptr};

// The line of libgrpc's server about a connection that did not become one.
constexpr char beginning[] = "Handshaking failed: ";

// libgrpc 1.51 has no other hook. Called by libgrpc on any of its threads.
void read_log(gpr_log_func_args *line) {
  if (std::strncmp(line->message, beginning, sizeof beginning - 1) != 0) return;
  if (auto observe = observer.load()) observe(line->message + sizeof beginning - 1);
}

}  // namespace

extern "C" {

void cgrpc_observe_failed_handshakes(cgrpc_handshake_observer observe) {
  observer.store(observe);
  gpr_set_log_function(read_log);
  gpr_set_log_verbosity(GPR_LOG_SEVERITY_DEBUG);
}

}  // extern "C"

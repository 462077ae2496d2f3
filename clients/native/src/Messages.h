#pragma once

// The messages of proto/, in a package of this library's own: protobuf refuses a process in which
// two libraries have files or packages of the same name, and a program may have compiled proto/
// itself. The name of the package is not sent.
#include <algorithm>
#include <chrono>

#include "anechoic_native/rpc/error_details.pb.h"
#include "anechoic_native/rpc/status.pb.h"
#include "anechoic_native/v1/voice_processing.pb.h"

namespace anechoic {

namespace v1 = anechoic_native::v1;
namespace rpc = anechoic_native::rpc;

// Returns a duration that a server names, from 0 to a day.
inline std::chrono::nanoseconds duration(const google::protobuf::Duration& duration) {
  using namespace std::chrono_literals;
  const std::chrono::seconds seconds(std::clamp<int64_t>(duration.seconds(), 0, 86400));
  return std::clamp<std::chrono::nanoseconds>(seconds + duration.nanos() * 1ns, 0ns, 24h);
}

}  // namespace anechoic

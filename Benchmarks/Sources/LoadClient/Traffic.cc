#include "Traffic.h"

#include <grpcpp/support/slice.h>

#include "VoiceMessages.h"

namespace {

constexpr char kEcho[] = "/anechoic.benchmark.Echo/Echo";
constexpr char kProcess[] = "/anechoic.v1.VoiceProcessingService/Process";

grpc::ByteBuffer message(const std::string &bytes) {
  grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

std::vector<grpc::ByteBuffer> frames_of(const bench::Call &call) {
  std::vector<grpc::ByteBuffer> frames;
  const size_t count = call.frame_samples();
  for (size_t first = 0; first < call.microphone.size(); first += count) {
    frames.push_back(
        message(audio_request(&call.microphone[first], &call.reference[first], count)));
  }
  return frames;
}

}  // namespace

Traffic Traffic::echo_of_bytes(size_t count) {
  Traffic traffic;
  traffic.method_ = kEcho;
  traffic.frames_.push_back(message(std::string(count, 'x')));
  return traffic;
}

Traffic Traffic::echo_of_call(const bench::Call &call) {
  Traffic traffic;
  traffic.method_ = kEcho;
  traffic.frames_ = frames_of(call);
  return traffic;
}

Traffic Traffic::service(const bench::Call &call) {
  Traffic traffic;
  traffic.method_ = kProcess;
  traffic.opening_ = message(start_request(call.rate_hz));
  traffic.frames_ = frames_of(call);
  return traffic;
}

bool Traffic::is_answer(grpc::ByteBuffer &response) const {
  if (!opening_) return true;
  grpc::Slice bytes;
  if (!response.TrySingleSlice(&bytes).ok()) (void)response.DumpToSingleSlice(&bytes);
  return is_audio_response(bytes.begin(), bytes.size());
}

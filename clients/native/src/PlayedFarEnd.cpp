#include "PlayedFarEnd.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "AgentAddress.h"
#include "Places.h"

namespace anechoic {

namespace {

using google::protobuf::internal::WireFormatLite;
using std::chrono_literals::operator""s;

const std::string method = "/anechoic.v1.EdgeService/PlayFarEnd";
constexpr auto longestEnd = 10s;
// Samples are sent in pieces of 20 ms, of which a second may wait, and places beside them.
constexpr uint32_t piecesOfASecond = 50;
constexpr uint32_t mostMessages = 2 * piecesOfASecond;
constexpr uint32_t rates[] = {8000, 16000, 24000, 32000, 44100, 48000};

// The fields of PlayFarEndRequest and its Start in edge.proto, whose other messages would double the
// library.
enum Field { startField = 1, samplesField = 2, placeField = 3 };
enum StartField { nameField = 1, formatField = 2, startPlaceField = 3 };

std::string field(int number, const std::string& bytes) {
  std::string result;
  {
    google::protobuf::io::StringOutputStream stream(&result);
    google::protobuf::io::CodedOutputStream output(&stream);
    WireFormatLite::WriteBytes(number, bytes, &output);
  }
  return result;
}

grpc::ByteBuffer buffer(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

std::string startOf(const std::string& name, uint32_t rate, uint32_t channels,
                    const std::optional<v1::SpatialAudio::Source>& place) {
  v1::AudioFormat format;
  format.set_encoding(v1::AUDIO_ENCODING_PCM_F32LE);
  format.set_sample_rate_hz(rate);
  format.set_channel_count(channels);
  std::string start = field(nameField, name) + field(formatField, format.SerializeAsString());
  if (place) start += field(startPlaceField, place->SerializeAsString());
  return field(startField, start);
}

const std::string& checked(const std::string& name, uint32_t rate, uint32_t channels) {
  if (!isFarEndId(name)) {
    throw std::invalid_argument("name: use 1 to 63 of a-z A-Z 0-9 . - and _");
  }
  if (std::ranges::find(rates, rate) == std::end(rates)) {
    throw std::invalid_argument("sample_rate_hz: " + std::to_string(rate) +
                                " is not supported; use 8000, 16000, 24000, 32000, 44100 or 48000");
  }
  if (channels < 1 || channels > 2) {
    throw std::invalid_argument("channels: " + std::to_string(channels) +
                                " is not supported; use 1 or 2");
  }
  return name;
}

}  // namespace

// One PlayFarEnd. Its owner waits for its end before it goes.
class PlayedFarEnd::Call : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  Call(const std::string& target, std::string start) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    stub_ = std::make_unique<grpc::GenericStub>(
        grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(), arguments));
    waiting_.push_back(std::move(start));
    stub_->PrepareBidiStreamingCall(&context_, method, {}, this);
    AddHold();
    StartRead(&response_);
    StartCall();
    step();
  }

  // Adds a message of `most` that may wait. Returns false if there is no room, or the call has ended.
  bool add(std::string message, size_t most) {
    {
      const std::lock_guard lock(mutex_);
      if (isClosed_ || waiting_.size() >= most) return false;
      waiting_.push_back(std::move(message));
    }
    step();
    return true;
  }

  void end() {
    {
      const std::lock_guard lock(mutex_);
      isEnding_ = true;
    }
    step();
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, longestEnd, [this] { return isDone_; })) {
      context_.TryCancel();
      changed_.wait(lock, [this] { return isDone_; });
    }
  }

  std::optional<std::string> problem() const {
    const std::lock_guard lock(mutex_);
    if (!isDone_) return std::nullopt;
    return status_.ok() ? "the agent has ended the far end" : status_.error_message();
  }

  void OnReadDone(bool isOK) override {
    if (isOK) return StartRead(&response_);
    {
      const std::lock_guard lock(mutex_);
      isClosed_ = true;
      waiting_.clear();
    }
    step();
  }
  void OnWriteDone(bool) override { stepped(); }
  void OnWritesDoneDone(bool) override { stepped(); }

  void OnDone(const grpc::Status& status) override {
    const std::lock_guard lock(mutex_);
    status_ = status;
    isDone_ = true;
    changed_.notify_all();
  }

 private:
  enum class Step { none, write, half, release };

  void stepped() {
    {
      const std::lock_guard lock(mutex_);
      isBusy_ = false;
    }
    step();
  }

  // Starts the next operation. Outside the lock, because libgrpc may answer at once. No other thread
  // starts one meanwhile, and the hold stays, because the call is busy.
  void step() {
    switch (next()) {
      case Step::none:
        return;
      case Step::write:
        return StartWrite(&request_);
      case Step::half:
        return StartWritesDone();
      case Step::release:
        return RemoveHold();
    }
  }

  Step next() {
    const std::lock_guard lock(mutex_);
    if (isBusy_ || isReleased_) return Step::none;
    if (isClosed_) {
      isReleased_ = true;
      return Step::release;
    }
    if (!waiting_.empty()) {
      request_ = buffer(waiting_.front());
      waiting_.pop_front();
      isBusy_ = true;
      return Step::write;
    }
    if (!isEnding_ || isHalfClosed_) return Step::none;
    isBusy_ = isHalfClosed_ = true;
    return Step::half;
  }

  std::unique_ptr<grpc::GenericStub> stub_;
  grpc::ClientContext context_;
  grpc::ByteBuffer request_, response_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // All under the mutex.
  std::deque<std::string> waiting_;
  bool isBusy_ = false, isEnding_ = false, isHalfClosed_ = false;
  bool isClosed_ = false, isReleased_ = false, isDone_ = false;
  grpc::Status status_;
};

PlayedFarEnd::PlayedFarEnd(const std::string& socketPath, const std::string& name, uint32_t rate,
                           uint32_t channels, const std::optional<v1::SpatialAudio::Source>& place)
    : name_(checked(name, rate, channels)),
      rate_(rate),
      channels_(channels),
      call_(std::make_unique<Call>(agentAddress(agentPaths(socketPath)),
                                   startOf(name, rate, channels, place))) {}

PlayedFarEnd::~PlayedFarEnd() { call_->end(); }

size_t PlayedFarEnd::write(const float* samples, size_t frames) {
  const size_t piece = rate_ / piecesOfASecond;
  size_t written = 0;
  std::vector<float> finite;
  while (written < frames) {
    const size_t count = std::min(piece, frames - written);
    finite.assign(samples + written * channels_, samples + (written + count) * channels_);
    for (float& sample : finite) {
      if (!std::isfinite(sample)) sample = 0;
    }
    const std::string bytes(reinterpret_cast<const char*>(finite.data()),
                            finite.size() * sizeof(float));
    if (!call_->add(field(samplesField, bytes), piecesOfASecond)) break;
    written += count;
  }
  return written;
}

void PlayedFarEnd::move(const v1::SpatialAudio::Source& place) {
  call_->add(field(placeField, place.SerializeAsString()), mostMessages);
}

std::optional<std::string> PlayedFarEnd::problem() const { return call_->problem(); }

}  // namespace anechoic

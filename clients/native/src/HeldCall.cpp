#include "HeldCall.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>

#include "AgentAddress.h"

namespace anechoic {

namespace {

using std::chrono_literals::operator""s;

const std::string method = "/anechoic.v1.EdgeService/HoldCall";
constexpr size_t longestHolder = 100;
constexpr auto pause = 1s;

// The HoldCallRequest of edge.proto, whose only field is the holder. The other messages of the agent
// would double the library.
grpc::ByteBuffer requestOf(const std::string& holder) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream output(&stream);
    google::protobuf::internal::WireFormatLite::WriteString(1, holder, &output);
  }
  const grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

}  // namespace

struct HeldCall::State {
  std::mutex mutex;
  std::condition_variable changed;
  bool isReleased = false;
  bool isHeld = false;
};

// One HoldCall. Its owner waits for its end before it goes.
class HeldCall::Attempt : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  Attempt(const std::shared_ptr<grpc::Channel>& channel, const std::string& holder, State& state)
      : stub_(channel), request_(requestOf(holder)), state_(state) {
    stub_.PrepareBidiStreamingCall(&context_, method, {}, this);
    StartWriteLast(&request_, {});
    StartRead(&response_);
    StartCall();
  }

  void cancel() { context_.TryCancel(); }
  bool isDone() const { return isDone_; }

  void OnReadDone(bool isOK) override {
    if (!isOK) return;
    {
      const std::lock_guard lock(state_.mutex);
      state_.isHeld = true;
    }
    StartRead(&response_);
  }

  void OnDone(const grpc::Status&) override {
    const std::lock_guard lock(state_.mutex);
    isDone_ = true;
    state_.isHeld = false;
    state_.changed.notify_all();
  }

 private:
  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  const grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
  State& state_;
  bool isDone_ = false;  // under the mutex of the state
};

HeldCall::HeldCall(const std::string& socketPath, const std::string& holder)
    : paths_(agentPaths(socketPath)), holder_(holder), state_(std::make_unique<State>()) {
  const bool isPrintable = std::all_of(holder.begin(), holder.end(),
                                       [](char letter) { return letter >= ' ' && letter <= '~'; });
  if (holder.empty() || holder.size() > longestHolder || !isPrintable || holder.front() == ' ' ||
      holder.back() == ' ') {
    throw std::invalid_argument(
        "holder: must have 1 to 100 printable ASCII characters, without a space at either end");
  }
  thread_ = std::thread(&HeldCall::run, this);
}

HeldCall::~HeldCall() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->isReleased = true;
    state_->changed.notify_all();
  }
  thread_.join();
}

bool HeldCall::isHeld() const {
  const std::lock_guard lock(state_->mutex);
  return state_->isHeld;
}

void HeldCall::run() {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  while (!state.isReleased) {
    lock.unlock();
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    // A channel that has failed waits before it connects again, so each attempt has its own. The
    // agent may come at any of its paths.
    const auto channel = grpc::CreateCustomChannel(
        agentAddress(paths_), grpc::InsecureChannelCredentials(), arguments);
    Attempt attempt(channel, holder_, state);
    lock.lock();
    state.changed.wait(lock, [&] { return state.isReleased || attempt.isDone(); });
    if (!attempt.isDone()) {
      lock.unlock();
      attempt.cancel();
      lock.lock();
      state.changed.wait(lock, [&] { return attempt.isDone(); });
    }
    state.changed.wait_for(lock, pause, [&] { return state.isReleased; });
  }
}

}  // namespace anechoic

#include "Call.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <condition_variable>
#include <mutex>
#include <vector>

namespace anechoic {

namespace {

// libgrpc ends a call that was cancelled at once, unless it has no thread to spare.
constexpr std::chrono::milliseconds longestCancellation{50};
const std::string method = "/anechoic.v1.VoiceProcessingService/Process";

// A channel that has failed waits before it connects again, so each call has its own.
std::shared_ptr<grpc::Channel> makeChannel(const Settings& settings) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // Each attempt has one connection.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  const Security& security = settings.security;
  // A unix socket does not leave the machine.
  if (security.tls && !settings.server.starts_with("unix:")) {
    if (!security.serverName.empty()) arguments.SetSslTargetNameOverride(security.serverName);
    credentials =
        grpc::SslCredentials({security.authorities, security.key, security.certificateChain});
  }
  return grpc::CreateCustomChannel(settings.server, credentials, arguments);
}

}  // namespace

// Parses the responses itself. libgrpc reports bytes that are no message as the end of the stream,
// and the call stays.
class Call::Reactor : public grpc::ClientBidiReactor<v1::ProcessRequest, grpc::ByteBuffer> {
 public:
  Reactor(const Settings& settings, const std::string& token, v1::ProcessRequest first,
          Wakeup& wakeup)
      : channel_(makeChannel(settings)),
        stub_(channel_),
        request_(std::move(first)),
        wakeup_(&wakeup) {
    if (!settings.clientName.empty()) context_.AddMetadata("anechoic-client", settings.clientName);
    if (!token.empty()) context_.AddMetadata("authorization", "Bearer " + token);
    state_ = channel_->GetState(true);
  }

  // If a server closes each connection without an answer, as a proxy that stops does, a waiting
  // call makes libgrpc connect again at once. The call therefore starts only once there is a
  // connection, and ends if libgrpc connects again.
  void follow() {
    // libgrpc works on a connection without calls only while somebody waits for it.
    const auto limit = std::chrono::system_clock::now() + pace;
    if (!isStarted_ && !channel_->WaitForStateChange(state_, limit)) return;
    state_ = channel_->GetState(false);
    const bool isConnecting = state_ == GRPC_CHANNEL_CONNECTING;
    if (isStarted_ ? isConnecting : state_ == GRPC_CHANNEL_IDLE) {
      closed_ = {Ending::Kind::lost, "UNAVAILABLE", "the server has closed the connection"};
    } else if (!isStarted_ && !isConnecting) {
      start();
    }
  }
  bool isStarted() const { return isStarted_; }

  // Cancels the call, and waits a little for its end. The call then wakes no thread any more.
  // Returns whether libgrpc is done with the reactor. The reactor may then be destroyed, but not by
  // a thread of libgrpc.
  bool leave() {
    if (!isStarted_) return true;
    context_.TryCancel();
    releaseHold();
    std::unique_lock lock(mutex_);
    wakeup_ = nullptr;
    return done_.wait_for(lock, longestCancellation, [this] { return ending_.has_value(); });
  }

  bool isDone() const {
    const std::lock_guard lock(mutex_);
    return ending_.has_value();
  }

  bool canWrite() const {
    const std::lock_guard lock(mutex_);
    return !writing_ && !writeFailed_ && !broken_ && !finished_;
  }

  void write(v1::ProcessRequest request) {
    request_ = std::move(request);
    {
      const std::lock_guard lock(mutex_);
      writing_ = true;
    }
    StartWrite(&request_);
  }

  void finish() {
    if (!canWrite()) return;
    finished_ = true;
    StartWritesDone();
  }

  const v1::ProcessResponse* response() const {
    const std::lock_guard lock(mutex_);
    return read_ ? &response_ : nullptr;
  }

  void release() {
    {
      const std::lock_guard lock(mutex_);
      read_ = false;
    }
    StartRead(&bytes_);
  }

  std::optional<Ending> ending() {
    if (closed_) return closed_;
    bool broken;
    {
      const std::lock_guard lock(mutex_);
      if (ending_) return ending_;
      broken = broken_;
    }
    if (broken) releaseHold();
    return std::nullopt;
  }

 private:
  void start() {
    isStarted_ = true;
    stub_.PrepareBidiStreamingCall(&context_, method, {}, this);
    AddHold();  // Reads and writes are started by another thread than libgrpc's.
    held_ = true;
    StartWrite(&request_);
    StartRead(&bytes_);
    StartCall();
  }

  void releaseHold() {
    if (held_) RemoveHold();
    held_ = false;
  }

  void OnReadDone(bool ok) override {
    const bool isMessage =
        ok && grpc::SerializationTraits<v1::ProcessResponse>::Deserialize(&bytes_, &response_).ok();
    if (ok && !isMessage) context_.TryCancel();
    const std::lock_guard lock(mutex_);
    (isMessage ? read_ : broken_) = true;
    isGarbage_ = ok && !isMessage;
    wake();
  }

  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    writeFailed_ = !ok;
    wake();
  }

  void OnWritesDoneDone(bool) override {}

  void OnDone(const grpc::Status& status) override {
    const std::lock_guard lock(mutex_);
    ending_ = isGarbage_ ? Ending{Ending::Kind::lost, "INTERNAL",
                                  "the server has sent bytes that are no message"}
                         : Ending::of(status.error_code(), status.error_details(),
                                      status.error_message());
    done_.notify_all();
    wake();
  }

  void wake() const {
    if (wakeup_ != nullptr) wakeup_->signal();
  }

  grpc::ClientContext context_;
  const std::shared_ptr<grpc::Channel> channel_;
  grpc::TemplatedGenericStub<v1::ProcessRequest, grpc::ByteBuffer> stub_;
  v1::ProcessRequest request_;
  grpc::ByteBuffer bytes_;
  v1::ProcessResponse response_;
  grpc_connectivity_state state_;  // of the channel, when it was looked at last
  bool isStarted_ = false;
  std::optional<Ending> closed_;  // the end of a call that the server has not received
  bool held_ = false;
  bool finished_ = false;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable done_;
  Wakeup* wakeup_;  // nullptr once the call was left
  bool writing_ = true;
  bool read_ = false;
  // The call has ended. Responses that came before may still be read, so the hold stays.
  bool writeFailed_ = false;
  bool broken_ = false;  // Nothing can be written or read any more.
  bool isGarbage_ = false;
  std::optional<Ending> ending_;
};

// Reactors that libgrpc was not done with in time. Never destroyed: libgrpc may use them to the end
// of the process.
class Call::Leftovers {
 public:
  static void add(std::unique_ptr<Reactor> reactor) {
    static Leftovers& all = *new Leftovers;
    const std::lock_guard lock(all.mutex_);
    std::erase_if(all.reactors_, [](const auto& each) { return each->isDone(); });
    all.reactors_.push_back(std::move(reactor));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Reactor>> reactors_;
};

Call::Call(const Settings& settings, const std::string& token, v1::ProcessRequest first,
           Wakeup& wakeup)
    : reactor_(std::make_unique<Reactor>(settings, token, std::move(first), wakeup)) {}

Call::~Call() {
  if (!reactor_->leave()) Leftovers::add(std::move(reactor_));
}

void Call::follow() { reactor_->follow(); }
bool Call::isStarted() const { return reactor_->isStarted(); }
bool Call::canWrite() const { return reactor_->canWrite(); }
void Call::write(v1::ProcessRequest request) { reactor_->write(std::move(request)); }
void Call::finish() { reactor_->finish(); }
const v1::ProcessResponse* Call::response() const { return reactor_->response(); }
void Call::release() { reactor_->release(); }
std::optional<Ending> Call::ending() { return reactor_->ending(); }

}  // namespace anechoic

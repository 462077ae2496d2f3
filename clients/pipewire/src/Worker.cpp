#include "Worker.h"

#include <fstream>

namespace anechoic {

using namespace std::chrono_literals;

namespace {

constexpr auto answerLimit = 2s;    // Without an answer for longer, the server counts as lost.
constexpr auto idleLimit = 10s;     // Without audio for longer, the session ends.
constexpr auto endLimit = 200ms;    // The time to end a session when the plug-in is unloaded.
constexpr auto lateInterval = 60s;  // At most one line about late frames in this time,
constexpr int64_t lateLimit = 10;   // and only if there are as many of them.
constexpr auto shortestBackoff = 100ms, longestBackoff = 2000ms;
constexpr int64_t leastMargin = 10;  // ms from a session's own delay to the plug-in's delay

std::shared_ptr<grpc::Channel> makeChannel(const std::string& server) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  return grpc::CreateCustomChannel(server, grpc::InsecureChannelCredentials(), arguments);
}

// Returns the first line of a file. Throws OptionError.
std::string readToken(const std::string& path) {
  std::ifstream file(path);
  std::string token;
  if (path.empty() || std::getline(file, token)) return token;
  throw OptionError("anechoic.token-file: " + path + " has no token that can be read");
}

// A status with details is an answer of the server. Without them, the connection is gone.
bool lostConnection(const grpc::Status& status) {
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::CANCELLED:
    case grpc::StatusCode::INTERNAL:
    case grpc::StatusCode::UNKNOWN:
      return status.error_details().empty();
    default:
      return false;
  }
}

}  // namespace

Worker::Worker(Format format, const Options& options, Exchange& exchange, const Log& log)
    : format_(format),
      options_(options),
      exchange_(exchange),
      log_(log),
      session_(format, options_),
      channel_(makeChannel(options.server)),
      stub_(v1::VoiceProcessingService::NewStub(channel_)),
      backoff_(shortestBackoff),
      thread_([this] { run(); }) {}

Worker::~Worker() {
  stopping_ = true;
  exchange_.wakeup.signal();
  thread_.join();
}

void Worker::run() {
  while (!stopping_) {
    exchange_.wakeup.wait(1s);
    step(Clock::now());
  }
  close();
}

void Worker::step(Clock::time_point now) {
  readResponses(now);
  if (call_ != nullptr) {
    if (const auto status = call_->status()) ended(*status, now);
  }
  passInput(now);
  if (call_ == nullptr) {
    if (now - lastInput_ < idleLimit && now >= retryAt_) connect(now);
  } else if (unansweredSince_ && now - *unansweredSince_ > answerLimit) {
    drop(State::silent, "the server at " + options_.server + " does not answer", now);
  } else if (now - lastInput_ > idleLimit) {
    if (!unansweredSince_) unansweredSince_ = now;
    call_->finish();
  }
  sayLate(now);
}

void Worker::connect(Clock::time_point now) {
  try {
    const std::string token = readToken(options_.tokenFile);
    const bool muted = exchange_.muted.load(std::memory_order_relaxed);
    call_ = std::make_unique<Call>(*stub_, token, session_.start(heard_, muted), exchange_.wakeup);
    unansweredSince_ = now;
  } catch (const OptionError& error) {
    drop(State::refused, error.what(), now);
  }
}

void Worker::readResponses(Clock::time_point now) {
  while (call_ != nullptr) {
    const v1::ProcessResponse* const response = call_->response();
    if (response == nullptr) return;
    unansweredSince_.reset();
    if (response->has_audio()) play(response->audio().processed());
    if (response->has_event() && response->event().has_mute_changed()) {
      mute(response->event().mute_changed().state().muted());
    }
    if (response->has_started()) {
      started(response->started());
      if (!processing_) {
        const int64_t least = session_.algorithmicDelay() * 1000 / format_.rate + leastMargin + 1;
        drop(State::refused,
             "anechoic.delay-ms: the session needs at least " + std::to_string(least), now);
        return;
      }
    }
    call_->release();
  }
}

void Worker::started(const v1::Started& started) {
  session_.started(started);
  mute(started.mute().muted());
  const int64_t delay = exchange_.delay.load(std::memory_order_relaxed);
  if (delay - session_.algorithmicDelay() < format_.samples(leastMargin)) return;
  processing_ = true;
  backoff_ = shortestBackoff;
  say(State::processing, "the server at " + options_.server + " processes the microphone: engine " +
                             session_.engine() + ", delay " +
                             std::to_string(delay * 1000 / format_.rate) + " ms");
}

void Worker::mute(bool muted) { exchange_.muted.store(muted, std::memory_order_relaxed); }

void Worker::play(const v1::AudioChunk& chunk) {
  OutputFrame* const frame = exchange_.output.back();
  if (frame == nullptr) return;
  if (!session_.place(chunk, exchange_.delay.load(std::memory_order_relaxed), *frame)) return;
  if (frame->position < heard_) {
    lateFrames_ += lateFrames_ < lateLimit;
  } else {
    exchange_.output.push();
  }
}

// Without a session, the input is dropped: the fallback is heard.
void Worker::passInput(Clock::time_point now) {
  while (const InputFrame* const frame = exchange_.input.front()) {
    heard_ = frame->position + format_.frameSamples();
    lastInput_ = now;
    if (processing_) {
      if (!call_->canWrite()) return;
      call_->write(session_.audio(*frame));
      if (!unansweredSince_) unansweredSince_ = now;
    }
    exchange_.input.pop();
  }
}

void Worker::ended(const grpc::Status& status, Clock::time_point now) {
  const bool wasProcessing = processing_;
  const bool wasContinued = session_.continues() && !wasProcessing;
  if (!lostConnection(status)) session_.forget();
  if (status.ok() || (wasContinued && !session_.continues())) {
    // The session was idle, or the server does not know it any more: the next one is a new one.
    call_.reset();
    processing_ = false;
    unansweredSince_.reset();
    retryAt_ = now;
    if (status.ok()) mute(false);
  } else if (status.error_code() == grpc::StatusCode::UNAVAILABLE || lostConnection(status)) {
    drop(State::absent, "no server at " + options_.server + " (" + status.error_message() + ")",
         now);
  } else {
    drop(State::refused,
         "the server at " + options_.server + " refused the session: " + status.error_message(),
         now);
  }
}

// Gives the call up, says why, and tries again later.
void Worker::drop(State state, const std::string& reason, Clock::time_point now) {
  call_.reset();
  processing_ = false;
  unansweredSince_.reset();
  retryAt_ = now + backoff_ * std::uniform_int_distribution(70, 130)(random_) / 100;
  backoff_ = std::min<std::chrono::milliseconds>(backoff_ * 2, longestBackoff);
  say(state, reason + (options_.fallback == Fallback::silence
                           ? "; the microphone is silent until it is processed"
                           : "; the microphone is heard unprocessed"));
}

// Repeats nothing: retries are not logged. The reason of an absent server may vary.
void Worker::say(State state, const std::string& line) {
  if (state == state_ && (state != State::refused || line == stateLine_)) return;
  state_ = state;
  stateLine_ = line;
  log_.warning(line);
}

// Says once a minute at most that the voice often comes too late. Single frames can be late
// whenever the graph changes.
void Worker::sayLate(Clock::time_point now) {
  if (lateFrames_ == lateLimit) {
    log_.warning("the server at " + options_.server +
                 " often answers too late; raise anechoic.delay-ms if this goes on");
    ++lateFrames_;
  }
  if (now - lateSince_ < lateInterval) return;
  lateFrames_ = 0;
  lateSince_ = now;
}

// Ends the session in order if the server answers at once.
void Worker::close() {
  if (call_ == nullptr) return;
  const auto limit = Clock::now() + endLimit;
  while (!call_->status() && Clock::now() < limit) {
    call_->finish();
    if (call_->response() != nullptr) call_->release();
    exchange_.wakeup.wait(10ms);
  }
  call_.reset();
}

}  // namespace anechoic

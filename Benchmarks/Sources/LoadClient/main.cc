// Sends frames over many streams to a server on this machine, and measures the server's processor
// time per frame and the round-trip times. Prints one line of JSON.

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "Arguments.h"
#include "Measurement.h"
#include "Stream.h"
#include "Timetable.h"
#include "Traffic.h"

namespace {

Traffic make_traffic(const bench::Arguments &arguments) {
  if (arguments.text("microphone").empty()) {
    return Traffic::echo_of_bytes(arguments.number("frame-bytes", 1));
  }
  const bench::Call call = bench::read_call(
      arguments.text("microphone"), arguments.text("reference"), arguments.number("rate", 8000));
  return arguments.text("to") == "service" ? Traffic::service(call) : Traffic::echo_of_call(call);
}

// Creates connections that share nothing, like those of many clients.
std::vector<std::unique_ptr<grpc::GenericStub>> connect(const std::string &address, int count) {
  std::vector<std::unique_ptr<grpc::GenericStub>> stubs;
  grpc::ChannelArguments options;
  options.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  options.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  for (int i = 0; i < count; ++i) {
    stubs.push_back(std::make_unique<grpc::GenericStub>(
        grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), options)));
  }
  return stubs;
}

}  // namespace

int main(int argc, char **argv) {
  const bench::Arguments arguments(argc, argv,
                                   {{"address", "127.0.0.1:50051"},
                                    {"pid", ""},
                                    {"to", "echo"},
                                    {"streams", "50"},
                                    {"connections", "10"},
                                    {"seconds", "5"},
                                    {"silence", "0"},
                                    {"frames", "0"},
                                    {"frame-bytes", "1300"},
                                    {"microphone", ""},
                                    {"reference", ""},
                                    {"rate", "16000"}});
  const Traffic traffic = make_traffic(arguments);
  const int streams = arguments.number("streams", 1);
  const auto stubs =
      connect(arguments.text("address"), std::min(streams, arguments.number("connections", 1)));
  const Timetable timetable(Clock::now(), std::chrono::seconds(arguments.number("seconds", 1)),
                            std::chrono::seconds(arguments.number("silence", 0)),
                            arguments.number("frames", 0));
  Measurement measurement(timetable, arguments.number("pid", 1));

  grpc::CompletionQueue queue;
  std::vector<std::unique_ptr<Stream>> running;
  for (int i = 0; i < streams; ++i) {
    // The streams are spread over the 10 ms and over the audio.
    running.push_back(std::make_unique<Stream>(
        traffic, timetable, measurement, Clock::duration(Timetable::kFrame) * i / streams,
        traffic.frame_count() * i / streams));
    running.back()->start(*stubs[i % stubs.size()], &queue);
  }
  void *tag = nullptr;
  bool ok = false;
  for (int over = 0; over < streams && queue.Next(&tag, &ok);) {
    const auto *done = static_cast<Stream::Tag *>(tag);
    if (done->stream->is_over()) continue;
    (done->stream->*done->completion)(ok);
    if (done->stream->is_over()) ++over;
  }
  queue.Shutdown();
  while (queue.Next(&tag, &ok)) {}

  for (const auto &stream : running) {
    if (stream->status().ok()) continue;
    std::fprintf(stderr, "error: a stream ended with status %d: %s\n",
                 stream->status().error_code(), stream->status().error_message().c_str());
    return 1;
  }
  return measurement.print(streams) ? 0 : 1;
}

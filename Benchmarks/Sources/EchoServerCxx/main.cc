// The baseline: a plain echo server in C++ on completion queues, with one thread each. With
// --microphone and --reference it also runs the bare engine on that audio, one frame for each
// message, which is the least that a service in C++ would do. It listens on a free port of
// 127.0.0.1, prints the port, and stops when its standard input ends.

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "Arguments.h"
#include "Call.h"
#include "EchoCall.h"
#include "EchoService.h"

namespace {

void serve(grpc::CompletionQueue *events) {
  void *tag = nullptr;
  bool ok = false;
  while (events->Next(&tag, &ok)) static_cast<EchoCall *>(tag)->complete(ok);
}

}  // namespace

int main(int argc, char **argv) {
  const bench::Arguments arguments(
      argc, argv, {{"queues", "1"}, {"microphone", ""}, {"reference", ""}, {"rate", "16000"}});
  EchoServer echo;
  if (!arguments.text("microphone").empty()) {
    echo.audio.emplace(bench::read_call(arguments.text("microphone"), arguments.text("reference"),
                                        arguments.number("rate", 8000)));
  }
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&echo.service);
  for (int i = 0; i < arguments.number("queues", 1); ++i) {
    echo.queues.push_back(std::make_unique<EchoQueue>());
    echo.queues.back()->events = builder.AddCompletionQueue();
  }
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server) {
    std::fprintf(stderr, "error: the server did not start\n");
    return 1;
  }
  echo.offer();
  std::vector<std::thread> threads;
  for (auto &queue : echo.queues) threads.emplace_back(serve, queue->events.get());
  std::printf("listening on 127.0.0.1:%d\n", port);
  std::fflush(stdout);

  while (std::getchar() != EOF) {}
  // Exits at once, because a benchmark does not need to end its calls in order.
  std::_Exit(0);
}

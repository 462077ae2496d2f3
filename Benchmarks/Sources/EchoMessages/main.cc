// A server that returns each message of each call, whatever the method. A client of
// VoiceProcessingService.Process gets its start back as `started`, its microphone as `processed` and its
// reference as `playback`: the cost and the latency are those of the client and of the transport alone.
//
// It listens on a free port of 127.0.0.1, prints the port, and stops when its standard input ends.

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace {

class Echo final : public grpc::ServerGenericBidiReactor {
 public:
  Echo() { StartRead(&message_); }

  void OnReadDone(bool ok) override {
    if (ok) {
      StartWrite(&message_);
    } else {
      Finish(grpc::Status::OK);
    }
  }
  void OnWriteDone(bool ok) override {
    if (ok) {
      StartRead(&message_);
    } else {
      Finish(grpc::Status::OK);
    }
  }
  void OnDone() override { delete this; }

 private:
  grpc::ByteBuffer message_;
};

class EchoService final : public grpc::CallbackGenericService {
 private:
  grpc::ServerGenericBidiReactor *CreateReactor(grpc::GenericCallbackServerContext *) override {
    return new Echo;
  }
};

}  // namespace

int main() {
  EchoService service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterCallbackGenericService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server) {
    std::fprintf(stderr, "error: the server did not start\n");
    return 1;
  }
  std::printf("listening on 127.0.0.1:%d\n", port);
  std::fflush(stdout);

  while (std::getchar() != EOF) {}
  // Exits at once, because a benchmark does not need to end its calls in order.
  std::_Exit(0);
}

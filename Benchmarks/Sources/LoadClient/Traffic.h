#ifndef LOAD_CLIENT_TRAFFIC_H
#define LOAD_CLIENT_TRAFFIC_H

#include <grpcpp/support/byte_buffer.h>

#include <optional>
#include <string>
#include <vector>

#include "Call.h"

// What every stream sends and expects. The messages are made once: sending one copies nothing.
class Traffic {
 public:
  // Messages of so many bytes to the echo servers.
  static Traffic echo_of_bytes(size_t count);
  // The audio of a call to the echo servers, in the messages that the service gets.
  static Traffic echo_of_call(const bench::Call &call);
  // The audio of a call to the service: a start, and then 10 ms of both inputs in each request.
  static Traffic service(const bench::Call &call);

  const std::string &method() const { return method_; }
  // What is sent before the first frame, and not answered by a frame.
  const std::optional<grpc::ByteBuffer> &opening() const { return opening_; }
  // The frames go round.
  const grpc::ByteBuffer &frame(size_t index) const { return frames_[index % frames_.size()]; }
  size_t frame_count() const { return frames_.size(); }
  // Whether a response is the answer to a frame.
  bool is_answer(grpc::ByteBuffer &response) const;

 private:
  std::string method_;
  std::optional<grpc::ByteBuffer> opening_;
  std::vector<grpc::ByteBuffer> frames_;
};

#endif

#ifndef LOAD_CLIENT_STREAM_H
#define LOAD_CLIENT_STREAM_H

#include <grpcpp/alarm.h>
#include <grpcpp/generic/generic_stub.h>

#include <memory>

#include "Measurement.h"
#include "Timetable.h"
#include "Traffic.h"

// A stream of frames. Each frame is sent at its time, or when the frame before it has been
// answered, if that is later.
class Stream {
 public:
  // The tag of an operation in a completion queue: the stream, and the function to continue with.
  struct Tag {
    Stream *stream;
    void (Stream::*completion)(bool ok);
  };

  // `offset` is the time of the stream's frames within the 10 ms. `first_frame` is the index of the
  // stream's first frame in the audio.
  Stream(const Traffic &traffic, const Timetable &timetable, Measurement &measurement,
         Clock::duration offset, size_t first_frame);

  void start(grpc::GenericStub &stub, grpc::CompletionQueue *queue);

  // Returns whether the stream has ended.
  bool is_over() const { return is_over_; }
  const grpc::Status &status() const { return status_; }

 private:
  void started(bool ok);
  void is_due(bool ok);
  void received(bool ok);
  void sent(bool ok);
  void half_closed(bool ok) {}
  void finished(bool ok);

  void write(const grpc::ByteBuffer &message);
  void answered();
  void go_on();
  void wait_until(Clock::time_point due);

  const Traffic &traffic_;
  const Timetable &timetable_;
  Measurement &measurement_;
  const Clock::duration offset_;
  size_t next_frame_;
  grpc::CompletionQueue *queue_ = nullptr;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream_;
  grpc::Alarm alarm_;
  grpc::ByteBuffer received_;
  grpc::Status status_;
  Clock::time_point due_;
  Clock::time_point sent_at_;
  int answers_ = 0;
  bool is_written_ = true;
  bool is_answered_ = true;
  bool was_silent_ = false;
  bool is_over_ = false;

  Tag started_tag_{this, &Stream::started};
  Tag due_tag_{this, &Stream::is_due};
  Tag received_tag_{this, &Stream::received};
  Tag sent_tag_{this, &Stream::sent};
  Tag half_closed_tag_{this, &Stream::half_closed};
  Tag finished_tag_{this, &Stream::finished};
};

#endif

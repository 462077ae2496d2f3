#include "Stream.h"

#include <grpc/support/time.h>

namespace {

// The time after its end at which a call counts as not answered.
constexpr std::chrono::seconds kPatience{10};

gpr_timespec timespec_of(Clock::time_point time) {
  const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(time - Clock::now());
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                      gpr_time_from_nanos(left.count(), GPR_TIMESPAN));
}

}  // namespace

Stream::Stream(const Traffic &traffic, const Timetable &timetable, Measurement &measurement,
               Clock::duration offset, size_t first_frame)
    : traffic_(traffic),
      timetable_(timetable),
      measurement_(measurement),
      offset_(offset),
      next_frame_(first_frame),
      due_(timetable.start + offset) {}

void Stream::start(grpc::GenericStub &stub, grpc::CompletionQueue *queue) {
  queue_ = queue;
  context_.set_deadline(timespec_of(timetable_.measured_to + timetable_.silence + kPatience));
  stream_ = stub.PrepareCall(&context_, traffic_.method(), queue);
  stream_->StartCall(&started_tag_);
}

void Stream::started(bool ok) {
  if (!ok) return stream_->Finish(&status_, &finished_tag_);
  stream_->Read(&received_, &received_tag_);
  if (traffic_.opening()) {
    write(*traffic_.opening());
  } else {
    wait_until(due_);
  }
}

void Stream::is_due(bool) {
  is_answered_ = false;
  sent_at_ = Clock::now();
  write(traffic_.frame(next_frame_++));
}

void Stream::write(const grpc::ByteBuffer &message) {
  is_written_ = false;
  stream_->Write(message, &sent_tag_);
}

void Stream::sent(bool ok) {
  is_written_ = ok;  // If the write failed, a read fails too, and ends the stream.
  go_on();
}

void Stream::received(bool ok) {
  if (!ok) return stream_->Finish(&status_, &finished_tag_);
  if (traffic_.is_answer(received_)) answered();
  received_.Clear();
  stream_->Read(&received_, &received_tag_);
}

void Stream::answered() {
  const auto now = Clock::now();
  if (was_silent_) {
    measurement_.answered_after_silence(now - sent_at_);
  } else {
    measurement_.answered(now, now - sent_at_);
  }
  is_answered_ = true;
  ++answers_;
  go_on();
}

void Stream::go_on() {
  if (!is_written_ || !is_answered_) return;
  due_ += Timetable::kFrame;
  if (timetable_.frames > 0) {
    if (answers_ < timetable_.frames) return wait_until(due_);
    return stream_->WritesDone(&half_closed_tag_);
  }
  // One frame after the measured time tells the measurement that it is over.
  if (due_ <= timetable_.measured_to + Timetable::kFrame) return wait_until(due_);
  if (timetable_.silence.count() > 0 && !was_silent_) {
    was_silent_ = true;
    return wait_until(timetable_.measured_to + timetable_.silence + offset_);
  }
  stream_->WritesDone(&half_closed_tag_);
}

void Stream::wait_until(Clock::time_point due) {
  alarm_.Set(queue_, timespec_of(due), &due_tag_);
}

void Stream::finished(bool) {
  alarm_.Cancel();  // The alarm is still set if the server went away.
  is_over_ = true;
}

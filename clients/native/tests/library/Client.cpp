#include "Client.h"

#include <algorithm>

#include "AudioThread.h"
#include "Checks.h"
#include "Pace.h"

void Client::open(const anechoic_options& options) {
  char message[300] = "";
  session_ = anechoic_open(&options, message, sizeof message);
  check(session_ != nullptr, message);
  rate_ = options.sample_rate_hz;
  channels_ = options.microphone_channels;
  referenceChannels_ = options.reference_channels;
}

void Client::fail(const std::string& sentence) { throw Failure(sentence); }

Samples Client::piece() const {
  const Samples mono = tone(0.2, rate_, 200, 0.3f);  // 40 whole periods
  Samples samples;
  for (const float sample : mono) samples.insert(samples.end(), channels_, sample);
  return samples;
}

Samples Client::drive(const Samples& microphone, const Samples& reference, size_t block,
                      bool inRealTime) {
  Samples output(microphone.size());
  const Pace pace(rate_);
  int faults = 0;
  const size_t frames = microphone.size() / channels_;
  for (size_t done = 0; done < frames;) {
    const size_t count = std::min(block, frames - done);
    const int before = audio_thread::forbiddenCalls();
    {
      const audio_thread::Audio audio;
      anechoic_push(session_, &microphone[done * channels_],
                    reference.empty() ? nullptr : &reference[done * referenceChannels_], count);
      faults += anechoic_pull(session_, &output[done * channels_], count) != count;
    }
    faults += audio_thread::forbiddenCalls() - before;
    done += count;
    if (inRealTime) pace.wait(done);
  }
  check(faults == 0, "push and pull do not allocate, lock or wait, and pull as much as was pushed");
  return output;
}

std::vector<anechoic_event> Client::events(anechoic_event_kind kind) {
  anechoic_event event;
  while (anechoic_next_event(session_, &event)) events_.push_back(event);
  std::vector<anechoic_event> found;
  for (const auto& each : events_) {
    if (each.kind == kind) found.push_back(each);
  }
  return found;
}

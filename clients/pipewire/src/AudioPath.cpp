#include "AudioPath.h"

#include <algorithm>

namespace anechoic {

AudioPath::AudioPath(Format format, const Options& options, Exchange& exchange)
    : format_(format),
      silent_(options.fallback == Fallback::silence),
      shortestDelay_(format.samples(options.delayMilliseconds)),
      longestDelay_(shortestDelay_ + format.rate),
      exchange_(exchange),
      recent_(longestDelay_ + format.frameSamples(), format.channels),
      crossfade_(format.frameSamples(), format.channels),
      silence_(format.channels),
      mixed_(format.channels) {}

void AudioPath::run(const float* const microphone[], const float* const reference[],
                    float* const output[], uint32_t count) noexcept {
  if (delay_ == 0) fixDelay(count);
  for (size_t first = 0, step = 0; first < count; first += step) {
    const size_t inFrame = position_ % format_.frameSamples();
    step = std::min<size_t>(count - first, format_.frameSamples() - inFrame);
    feed(microphone, reference, first, step);
    play(output, first, step);
    position_ += step;
  }
}

// A block that is longer than a frame is that much longer in coming.
void AudioPath::fixDelay(uint32_t blockSamples) noexcept {
  const int64_t excess = static_cast<int64_t>(blockSamples) - format_.frameSamples();
  delay_ = std::clamp(shortestDelay_ + excess, shortestDelay_, longestDelay_);
  exchange_.delay.store(delay_, std::memory_order_relaxed);
}

void AudioPath::feed(const float* const microphone[], const float* const reference[], size_t first,
                     size_t count) noexcept {
  const size_t channels = format_.channels;
  const size_t inFrame = position_ % format_.frameSamples();
  if (inFrame == 0) frame_ = exchange_.input.back();
  for (size_t sample = 0; sample < count; ++sample) {
    float* const kept = recent_.at(position_ + sample);
    for (size_t channel = 0; channel < channels; ++channel) {
      kept[channel] = microphone[channel][first + sample];
      if (frame_ == nullptr) continue;
      const size_t place = (inFrame + sample) * channels + channel;
      frame_->microphone[place] = microphone[channel][first + sample];
      frame_->reference[place] = reference[channel][first + sample];
    }
  }
  if (frame_ != nullptr && inFrame + count == format_.frameSamples()) {
    frame_->position = position_ - inFrame;
    exchange_.input.push();
    exchange_.wakeup.signal();
  }
}

void AudioPath::play(float* const output[], size_t first, size_t count) noexcept {
  const bool silent = silent_ || exchange_.muted.load(std::memory_order_relaxed);
  for (size_t sample = 0; sample < count; ++sample) {
    const int64_t position = position_ + sample;
    const float* const fallback = silent ? silence_.data() : recent_.at(position - delay_);
    crossfade_.next(processed(position), fallback, mixed_.data());
    for (size_t channel = 0; channel < format_.channels; ++channel) {
      output[channel][first + sample] = mixed_[channel];
    }
  }
}

// Returns the processed sample frame for a position, or nullptr. Drops those that came too late.
const float* AudioPath::processed(int64_t position) noexcept {
  while (const OutputFrame* frame = exchange_.output.front()) {
    const int64_t offset = position - frame->position;
    if (offset < 0) return nullptr;
    if (offset < static_cast<int64_t>(format_.frameSamples())) {
      return &frame->samples[offset * format_.channels];
    }
    exchange_.output.pop();
  }
  return nullptr;
}

}  // namespace anechoic

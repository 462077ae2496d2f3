#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "Messages.h"

namespace anechoic {

// Sound that a program plays to the person as a far end of the edge agent. One thread at a time uses
// an object.
class PlayedFarEnd {
 public:
  // Begins to play at the agent with a control socket; an empty path finds it. `place` is where the
  // far end is heard, if not in its place of the configuration. Throws a std::invalid_argument that
  // names what is wrong.
  PlayedFarEnd(const std::string& socketPath, const std::string& name, uint32_t rate,
               uint32_t channels, const std::optional<v1::SpatialAudio::Source>& place);
  // Ends the far end once the agent has taken what waits, at the latest after 10 s.
  ~PlayedFarEnd();
  PlayedFarEnd(const PlayedFarEnd&) = delete;
  PlayedFarEnd& operator=(const PlayedFarEnd&) = delete;

  const std::string& name() const { return name_; }

  // Adds interleaved samples. Returns the number of sample frames for which there was room: a second
  // waits at most.
  size_t write(const float* samples, size_t frames);
  // Moves the far end, after the samples that were written before.
  void move(const v1::SpatialAudio::Source& place);
  // Returns the reason why the agent plays no more, or nothing while it does.
  std::optional<std::string> problem() const;

 private:
  class Call;

  const std::string name_;
  const uint32_t rate_, channels_;
  const std::unique_ptr<Call> call_;
};

}  // namespace anechoic

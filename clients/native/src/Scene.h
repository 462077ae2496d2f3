#pragma once

#include <chrono>
#include <mutex>
#include <optional>

#include "Controls.h"

namespace anechoic {

// Where the person is: the route, the pose of the head, and the places of the far ends, as the
// program says last. Reads no clock.
class Scene {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // The least time between two reports of a route. A server takes 10 a second.
  static constexpr std::chrono::milliseconds routePause{100};
  // Two poses are sent with at least this time between them. A server uses the last pose of a frame of 10 ms.
  static constexpr std::chrono::milliseconds posePause{5};

  // The spatial audio of the program's options.
  explicit Scene(const v1::SpatialAudio& spatial) : spatial_(spatial) {}

  // Any thread. A report without a route says that none suits.
  void report(std::optional<v1::AudioRoute> route);
  void turn(const v1::HeadPose& pose);
  // Any thread: changes the place of a far end, or the switches. The control replaces one that
  // waits.
  void place(const v1::SpatialAudio::Source& source, Controls& controls);
  void setSpatialAudio(bool enabled, bool headTracked, Controls& controls);

  // The worker: returns the next message that is due.
  std::optional<v1::ProcessRequest> take(Time now);
  // The worker: a session has started or goes on, and gets the route and the pose anew.
  void started();

 private:
  void add(Controls& controls) const;

  std::mutex mutex_;
  v1::SpatialAudio spatial_;
  bool hasSwitches_ = false, hasPlaces_ = false;
  std::optional<v1::RouteChanged> route_;
  std::optional<v1::HeadPose> pose_;
  bool routeIsDue_ = false, poseIsDue_ = false;
  Time routeAt_{}, poseAt_{};
};

}  // namespace anechoic

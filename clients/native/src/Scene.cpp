#include "Scene.h"

#include <algorithm>

namespace anechoic {

namespace {

// Whether two routes have the same ports, whatever the settings of the ports are.
bool haveSamePorts(const v1::AudioRoute& one, const v1::AudioRoute& other) {
  return one.input().port_id() == other.input().port_id() &&
         one.output().port_id() == other.output().port_id();
}

}  // namespace

void Scene::report(std::optional<v1::AudioRoute> route) {
  const std::lock_guard lock(mutex_);
  v1::RouteChanged change;
  change.set_reason(v1::RouteChanged::REASON_NO_SUITABLE_ROUTE);
  if (route) {
    const bool isSame = route_ && route_->has_current() && haveSamePorts(route_->current(), *route);
    change.set_reason(isSame ? v1::RouteChanged::REASON_CONFIGURATION_CHANGE
                             : v1::RouteChanged::REASON_NEW_DEVICE);
    *change.mutable_current() = std::move(*route);
  }
  route_ = std::move(change);
  routeIsDue_ = true;
}

void Scene::turn(const v1::HeadPose& pose) {
  const std::lock_guard lock(mutex_);
  pose_ = pose;
  poseIsDue_ = true;
}

void Scene::place(const v1::SpatialAudio::Source& source, Controls& controls) {
  const std::lock_guard lock(mutex_);
  auto& sources = *spatial_.mutable_sources();
  const auto known = std::ranges::find_if(
      sources, [&](const auto& each) { return each.far_end_id() == source.far_end_id(); });
  (known == sources.end() ? *spatial_.add_sources() : *known) = source;
  hasPlaces_ = true;
  add(controls);
}

void Scene::setSpatialAudio(bool enabled, bool headTracked, Controls& controls) {
  const std::lock_guard lock(mutex_);
  spatial_.set_enabled(enabled);
  spatial_.set_head_tracked(headTracked);
  hasSwitches_ = true;
  add(controls);
}

// Names everything that the program has ever changed, because it replaces a control that waits.
void Scene::add(Controls& controls) const {
  v1::Control control;
  v1::ConfigUpdate& update = *control.mutable_update_config();
  *update.mutable_config()->mutable_spatial_audio() = spatial_;
  auto& mask = *update.mutable_update_mask();
  if (hasSwitches_) {
    mask.add_paths("spatial_audio.enabled");
    mask.add_paths("spatial_audio.head_tracked");
  }
  if (hasPlaces_) mask.add_paths("spatial_audio.sources");
  controls.add(std::move(control));
}

std::optional<v1::ProcessRequest> Scene::take(Time now) {
  const std::lock_guard lock(mutex_);
  v1::ProcessRequest request;
  if (routeIsDue_ && now >= routeAt_) {
    routeIsDue_ = false;
    routeAt_ = now + routePause;
    *request.mutable_device_report()->mutable_route_changed() = *route_;
    return request;
  }
  if (!poseIsDue_ || now < poseAt_) return std::nullopt;
  poseIsDue_ = false;
  poseAt_ = now + posePause;
  *request.mutable_head_pose() = *pose_;
  return request;
}

void Scene::started() {
  const std::lock_guard lock(mutex_);
  routeIsDue_ = route_.has_value();
  poseIsDue_ = pose_.has_value();
  routeAt_ = poseAt_ = {};
}

}  // namespace anechoic

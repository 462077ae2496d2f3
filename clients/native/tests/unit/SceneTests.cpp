#include "Scene.h"

#include "Units.h"

using namespace anechoic;
using namespace std::chrono_literals;

namespace {

v1::HeadPose pose(float yaw) {
  v1::HeadPose pose;
  pose.mutable_angles()->set_yaw_degrees(yaw);
  return pose;
}

void ofManyPosesTheLastIsSentAfterAPause() {
  Scene scene{v1::SpatialAudio()};
  const Scene::Time now{1000s};
  check(!scene.take(now), "no pose is known");
  scene.turn(pose(1));
  check(scene.take(now)->has_head_pose() && !scene.take(now + 1s), "a pose is sent once");
  scene.turn(pose(2));
  scene.take(now + 1s);
  for (const float yaw : {3, 4}) scene.turn(pose(yaw));
  check(!scene.take(now + 1004ms), "the next pose waits");
  const auto next = scene.take(now + 1005ms);
  check(next && next->head_pose().angles().yaw_degrees() == 4, "the last pose counts");
  scene.report(std::nullopt);
  check(scene.take(now + 1005ms)->has_device_report(), "a route does not wait for poses");
  scene.started();
  check(scene.take(now + 1005ms)->has_device_report() && scene.take(now + 1005ms)->has_head_pose(),
        "a session that starts gets both at once");
}

}  // namespace

std::vector<Case> sceneCases() {
  return {
      {"of many poses, the last one is sent after a pause", ofManyPosesTheLastIsSentAfterAPause},
  };
}

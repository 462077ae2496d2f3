#pragma once

#include <deque>
#include <mutex>
#include <optional>

#include "Messages.h"

namespace anechoic {

// The decisions of the program that wait to be sent, 256 at most. While there is no session, they
// are dropped: whoever asked is gone.
class Controls {
 public:
  void open(bool isOpen) {
    const std::lock_guard lock(mutex_);
    isOpen_ = isOpen;
    waiting_.clear();
  }
  void add(v1::Control control) {
    const std::lock_guard lock(mutex_);
    if (isOpen_ && waiting_.size() < 256) waiting_.push_back(std::move(control));
  }
  std::optional<v1::Control> take() {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) return std::nullopt;
    v1::Control control = std::move(waiting_.front());
    waiting_.pop_front();
    return control;
  }

 private:
  std::mutex mutex_;
  bool isOpen_ = false;
  std::deque<v1::Control> waiting_;
};

}  // namespace anechoic

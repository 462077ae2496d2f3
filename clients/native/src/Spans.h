#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace anechoic {

// Spans of positions, in order. If there are too many, the oldest two become one, with everything
// between them. For one thread: no allocation, lock or wait.
class Spans {
 public:
  // `from` is not before the start of an earlier span.
  void add(int64_t from, int64_t to) noexcept {
    if (from >= to) return;
    if (count_ > 0 && from <= spans_[count_ - 1].to) {
      spans_[count_ - 1].to = std::max(spans_[count_ - 1].to, to);
      return;
    }
    if (count_ == spans_.size()) {
      spans_[1].from = spans_[0].from;
      removeOldest();
    }
    spans_[count_++] = {from, to};
  }
  // Removes the spans that end before a position.
  void removeBefore(int64_t position) noexcept {
    while (count_ > 0 && spans_[0].to <= position) removeOldest();
  }
  bool has(int64_t position) const noexcept {
    for (size_t index = 0; index < count_; ++index) {
      if (position >= spans_[index].from && position < spans_[index].to) return true;
    }
    return false;
  }

 private:
  struct Span {
    int64_t from, to;
  };
  void removeOldest() noexcept {
    std::copy(spans_.begin() + 1, spans_.begin() + ptrdiff_t(count_), spans_.begin());
    --count_;
  }

  std::array<Span, 16> spans_{};
  size_t count_ = 0;
};

// Spans of positions that one thread writes and others read. The newest 8 are kept. No function
// waits, locks or allocates. A reader that reads during a change finds fewer positions, never wrong
// ones.
class SharedSpans {
 public:
  // Starts a span, unless the newest one is open. A span starts where the one before ended, or
  // later.
  void open(int64_t from) noexcept {
    if (isOpen_) return;
    const int64_t earliest = newest().to.load(std::memory_order_relaxed);
    index_ = (index_ + 1) % spans_.size();
    newest().to.store(none, std::memory_order_relaxed);
    newest().from.store(std::max(from, earliest), std::memory_order_release);
    newest().to.store(std::numeric_limits<int64_t>::max(), std::memory_order_release);
    isOpen_ = true;
  }
  void close(int64_t to) noexcept {
    if (!isOpen_) return;
    newest().to.store(to, std::memory_order_release);
    isOpen_ = false;
  }
  // The writer: whether the newest span is open.
  bool isOpen() const noexcept { return isOpen_; }
  // Moves the end of the newest span, unless the span is open, to a later position.
  void extend(int64_t to) noexcept {
    if (isOpen_ || to <= newest().to.load(std::memory_order_relaxed)) return;
    newest().to.store(to, std::memory_order_release);
  }
  bool has(int64_t position) const noexcept {
    for (const Span& span : spans_) {
      if (position < span.to.load(std::memory_order_acquire) &&
          position >= span.from.load(std::memory_order_acquire)) {
        return true;
      }
    }
    return false;
  }

 private:
  static constexpr int64_t none = std::numeric_limits<int64_t>::min();
  struct Span {
    std::atomic<int64_t> from{none}, to{none};
  };
  Span& newest() noexcept { return spans_[index_]; }

  std::array<Span, 8> spans_;
  size_t index_ = 0;  // the writer's
  bool isOpen_ = false;
};

}  // namespace anechoic

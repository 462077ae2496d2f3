#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

namespace anechoic {

// A queue from one thread to one other thread. Neither side ever waits, locks or allocates: a full
// ring has no back, and an empty ring has no front.
template <typename Item>
class Ring {
 public:
  // All items begin as copies of the prototype, so that their buffers have their final size.
  Ring(size_t capacity, const Item& prototype) : items_(capacity, prototype) {}

  // Producer: returns the item to fill next, or nullptr if the ring is full.
  Item* back() noexcept {
    const size_t written = written_.load(std::memory_order_relaxed);
    const size_t read = read_.load(std::memory_order_acquire);
    return written - read < items_.size() ? &items_[written % items_.size()] : nullptr;
  }
  // Producer: passes the item at the back on.
  void push() noexcept { written_.fetch_add(1, std::memory_order_release); }

  // Consumer: returns the oldest item, or nullptr if the ring is empty.
  const Item* front() const noexcept {
    const size_t read = read_.load(std::memory_order_relaxed);
    const size_t written = written_.load(std::memory_order_acquire);
    return read != written ? &items_[read % items_.size()] : nullptr;
  }
  // Consumer: gives the item at the front back to the producer.
  void pop() noexcept { read_.fetch_add(1, std::memory_order_release); }

 private:
  std::vector<Item> items_;
  alignas(64) std::atomic<size_t> written_{0};
  alignas(64) std::atomic<size_t> read_{0};
};

}  // namespace anechoic

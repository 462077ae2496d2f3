#ifndef ANECHOIC_FUNCTION_TABLE_GATE_H
#define ANECHOIC_FUNCTION_TABLE_GATE_H

#include <sched.h>

#include <atomic>
#include <mutex>

namespace anechoic {

// Keeps echo cancellers from working while another one is being made.
//
// Whenever the library makes one, it points its global table of functions to the plain versions,
// asks the processor what it can do, and points it back to the vectorized ones, which round
// otherwise. A frame that is processed in between, on another thread, comes out with other bits.
//
// A frame pays two atomic additions; it waits only while a canceller is made, some 0.2 ms at the
// start of a session.
class FunctionTableGate {
 public:
  // For a frame. Does nothing where no canceller is involved.
  class Reader {
   public:
    explicit Reader(bool is_involved) : is_involved_(is_involved) {
      while (is_involved_) {
        readers_.fetch_add(1);
        if (!is_written_.load()) return;
        readers_.fetch_sub(1);
        while (is_written_.load()) sched_yield();
      }
    }
    ~Reader() {
      if (is_involved_) readers_.fetch_sub(1);
    }
    Reader(const Reader &) = delete;
    Reader &operator=(const Reader &) = delete;

   private:
    const bool is_involved_;
  };

  // For the making of a canceller.
  class Writer {
   public:
    Writer() : lock_(mutex_) {
      is_written_.store(true);
      while (readers_.load() > 0) sched_yield();
    }
    ~Writer() { is_written_.store(false); }
    Writer(const Writer &) = delete;
    Writer &operator=(const Writer &) = delete;

   private:
    std::lock_guard<std::mutex> lock_;
  };

 private:
  static inline std::mutex mutex_;
  static inline std::atomic<bool> is_written_{false};
  static inline std::atomic<int> readers_{0};
};

}  // namespace anechoic

#endif

#ifndef ANECHOIC_FUNCTION_TABLE_GATE_H
#define ANECHOIC_FUNCTION_TABLE_GATE_H

#include <sched.h>

#include <atomic>
#include <mutex>

namespace anechoic {

// Prevents echo cancellers from processing while another one is created.
//
// When the library creates a canceller, it points its global table of functions to plain C
// versions, asks the processor for its features, and then points the table to vectorized versions,
// which round differently. A frame that another thread processes in between has different bits.
//
// A frame pays two atomic additions. It waits only while a canceller is created, about 0.2 ms at
// the start of a session.
class FunctionTableGate {
 public:
  // The lock of a frame. Does nothing if the processor has no canceller.
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

  // The lock of the creation of a canceller.
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

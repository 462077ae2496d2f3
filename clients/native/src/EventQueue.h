#pragma once

#include <deque>
#include <mutex>
#include <optional>

#include "Listener.h"
#include "anechoic.h"

namespace anechoic {

// The events that wait for a C program, the newest 256.
class EventQueue : public Listener {
 public:
  void processing(const std::string& session, const std::string& engine, int64_t delay) override;
  void fallback(const Reason& reason) override;
  void late(int64_t milliseconds, int64_t pieces) override;
  void event(const v1::SessionEvent& event, int64_t position) override;

  std::optional<anechoic_event> next();

 private:
  void add(anechoic_event_kind kind, int64_t position, int64_t value, const std::string& text = "");

  std::mutex mutex_;
  std::deque<anechoic_event> waiting_;
};

// Copies a text with a 0 at its end, cut between two letters if it is too long.
void copyText(const std::string& text, char* buffer, size_t size);

}  // namespace anechoic

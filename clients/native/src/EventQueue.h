#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "Listener.h"
#include "anechoic.h"

namespace anechoic {

// The events that wait for a C program, the newest 256.
class EventQueue : public Listener {
 public:
  // The most bytes of a text. Longer ones are cut.
  static constexpr size_t longestText = 65535;

  void processing(const std::string& session, const std::string& engine, int64_t delay) override;
  void fallback(const Reason& reason) override;
  void late(int64_t milliseconds, int64_t pieces) override;
  void event(const v1::SessionEvent& event, int64_t position) override;

  std::optional<anechoic_event> next();
  // The whole text of the event that was taken last.
  std::string text();

 private:
  void add(anechoic_event_kind kind, int64_t position, int64_t value, const std::string& text = "");

  struct Item {
    anechoic_event event;
    std::string text;
  };

  std::mutex mutex_;
  std::deque<Item> waiting_;
  std::string text_;
};

// Returns the most bytes of a text that are whole letters, up to a number.
size_t wholeLetters(const std::string& text, size_t most);

// Copies a text with a 0 at its end, cut between two letters if it is too long.
void copyText(const std::string& text, char* buffer, size_t size);

}  // namespace anechoic

#pragma once

#include "Messages.h"

namespace anechoic {

// The configuration with which a new session begins. It includes the changes of other clients.
//
// The server reports configurations with all stages of `voice_processing`. A stage that nobody has
// set is left out here, so that it follows the mic mode in the new session, too. Does no I/O.
class KeptConfiguration {
 public:
  // Begins with the configuration that the program has chosen.
  explicit KeptConfiguration(const v1::SessionConfig& chosen) : next_(chosen) {}

  // The configuration for the next session.
  const v1::SessionConfig& next() const { return next_; }
  // A new session has started: records the configuration that the server reports.
  void began(const v1::SessionConfig& told) { told_ = told; }
  // Records a configuration that the server reports.
  void changed(const v1::SessionConfig& told);

 private:
  v1::SessionConfig next_;
  v1::SessionConfig told_;  // with all stages
};

}  // namespace anechoic

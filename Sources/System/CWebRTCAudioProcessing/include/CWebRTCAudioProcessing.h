#ifndef CWEBRTC_AUDIO_PROCESSING_H
#define CWEBRTC_AUDIO_PROCESSING_H

// A C interface to libwebrtc-audio-processing 0.3. Frames are 10 ms, with one array of floats in
// -1...1 for each channel. Version 1 and later of the library have another interface and other
// names.

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// One instance of the library's AudioProcessing. Initially every stage is off.
typedef struct cwap_processor cwap_processor;

typedef struct {
  int32_t rate_hz;  // 8000, 16000, 32000 or 48000
  int32_t channel_count;
  int32_t reference_rate_hz;  // Any rate with whole 10 ms frames. Not used without a reference.
  int32_t reference_channel_count;
} cwap_format;

// The way in which the echo canceller searches for the echo.
typedef struct {
  bool has_extended_filter;  // 128 ms instead of 48 ms.
  bool is_delay_agnostic;  // Finds the delay itself.
  int32_t delay_ms;  // Of the echo after the reference, 0...500.
} cwap_echo_search;

typedef enum { CWAP_LOW, CWAP_MODERATE, CWAP_HIGH, CWAP_VERY_HIGH } cwap_level;

// Measurements of the echo canceller. `has_...` is false for a value that is not known yet.
typedef struct {
  bool has_echo_return_loss;
  int32_t echo_return_loss_db;
  bool has_echo_return_loss_enhancement;
  int32_t echo_return_loss_enhancement_db;
} cwap_echo_metrics;

// Returns NULL if the library refuses the format.
cwap_processor *cwap_create(cwap_format format, cwap_echo_search search);
void cwap_destroy(cwap_processor *processor);

// Each returns 0 or the library's error code. A stage that is already on keeps its state.
int32_t cwap_set_echo_cancellation(cwap_processor *processor, cwap_level suppression);
int32_t cwap_set_noise_suppression(cwap_processor *processor, cwap_level level);
int32_t cwap_stop_noise_suppression(cwap_processor *processor);
// `target_level_dbfs` is in decibels below full scale, 0...31.
int32_t cwap_set_gain_control(cwap_processor *processor, int32_t target_level_dbfs);
int32_t cwap_set_voice_detection(cwap_processor *processor);

// Adds a frame of the loudspeaker signal. Call it before the microphone frame of the same
// instant.
int32_t cwap_analyze_reference(cwap_processor *processor, const float *const *reference);

// Processes a frame of the microphone. `output` may be `input`.
int32_t cwap_process(cwap_processor *processor, const float *const *input, float *const *output);

// Returns the result for the last frame.
bool cwap_has_voice(const cwap_processor *processor);
float cwap_speech_probability(const cwap_processor *processor);

cwap_echo_metrics cwap_get_echo_metrics(cwap_processor *processor);

#ifdef __cplusplus
}
#endif
#endif

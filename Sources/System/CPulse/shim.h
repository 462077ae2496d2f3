// The parts of libpulse that Swift cannot use directly: macros, and constants that are macros too.

#ifndef ANECHOIC_CPULSE_H
#define ANECHOIC_CPULSE_H

#include <pulse/pulseaudio.h>

/// Connects to a server, without starting one. A server of NULL is the default one.
static inline int cpulse_connect(pa_context *context, const char *server) {
  return pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, NULL);
}

static inline int cpulse_is_ready(pa_context *context) {
  return pa_context_get_state(context) == PA_CONTEXT_READY;
}

static inline int cpulse_has_failed(pa_context *context) {
  return !PA_CONTEXT_IS_GOOD(pa_context_get_state(context));
}

static inline int cpulse_is_running(pa_operation *operation) {
  return pa_operation_get_state(operation) == PA_OPERATION_RUNNING;
}

/// Asks for events when streams appear, change or end.
static inline pa_operation *cpulse_watch_streams(pa_context *context) {
  return pa_context_subscribe(
      context, PA_SUBSCRIPTION_MASK_SINK_INPUT | PA_SUBSCRIPTION_MASK_SOURCE_OUTPUT, NULL, NULL);
}

/// Returns whether a stream belongs to a program, and not to a module of the server.
static inline int cpulse_has_client(const pa_sink_input_info *stream) {
  return stream->client != PA_INVALID_INDEX;
}

/// Returns whether a recording stream belongs to a program, and not to a module of the server.
static inline int cpulse_recorder_has_client(const pa_source_output_info *stream) {
  return stream->client != PA_INVALID_INDEX;
}

#endif

/* Nothing but the interface of version 0.1, for scripts/test abi. */
#include <anechoic.h>

void anechoic_options_init(anechoic_options *options) { (void)options; }
anechoic_session *anechoic_open(const anechoic_options *options, char *message, size_t message_size) {
  return (void)options, (void)message, (void)message_size, (anechoic_session *)0;
}
void anechoic_push(anechoic_session *session, const float *microphone, const float *reference,
                   size_t frames) {
  (void)session, (void)microphone, (void)reference, (void)frames;
}
void anechoic_push_int16(anechoic_session *session, const int16_t *microphone,
                         const int16_t *reference, size_t frames) {
  (void)session, (void)microphone, (void)reference, (void)frames;
}
size_t anechoic_pull(anechoic_session *session, float *output, size_t frames) {
  return (void)session, (void)output, frames;
}
size_t anechoic_pull_int16(anechoic_session *session, int16_t *output, size_t frames) {
  return (void)session, (void)output, frames;
}
bool anechoic_next_event(anechoic_session *session, anechoic_event *event) {
  return (void)session, (void)event, false;
}
bool anechoic_is_processing(anechoic_session *session) { return (void)session, false; }
void anechoic_set_muted(anechoic_session *session, bool muted) { (void)session, (void)muted; }
bool anechoic_is_muted(anechoic_session *session) { return (void)session, false; }
void anechoic_decide_gesture(anechoic_session *session, const char *gesture_id, bool accept) {
  (void)session, (void)gesture_id, (void)accept;
}
void anechoic_decide_injection(anechoic_session *session, const char *client, bool grant) {
  (void)session, (void)client, (void)grant;
}
void anechoic_close(anechoic_session *session) { (void)session; }

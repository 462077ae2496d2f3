#include <dlfcn.h>
#include <espeak-ng/speak_lib.h>
#include <stdbool.h>

// The functions of the library. The library is loaded at run time and not linked.
typedef struct {
  __typeof__(espeak_Initialize) *_Nonnull initialize;
  __typeof__(espeak_SetSynthCallback) *_Nonnull set_synth_callback;
  __typeof__(espeak_ListVoices) *_Nonnull list_voices;
  __typeof__(espeak_SetVoiceByName) *_Nonnull set_voice_by_name;
  __typeof__(espeak_Synth) *_Nonnull synth;
  __typeof__(espeak_Terminate) *_Nonnull terminate;
} cespeak_functions;

// Fills in the functions. Use them only if this returns true.
static inline bool cespeak_find(void *_Nonnull library, cespeak_functions *_Nonnull functions) {
  void *found[] = {
      dlsym(library, "espeak_Initialize"), dlsym(library, "espeak_SetSynthCallback"),
      dlsym(library, "espeak_ListVoices"), dlsym(library, "espeak_SetVoiceByName"),
      dlsym(library, "espeak_Synth"),      dlsym(library, "espeak_Terminate"),
  };
  for (int index = 0; index < 6; ++index) {
    if (!found[index]) return false;
  }
  functions->initialize = (__typeof__(functions->initialize))found[0];
  functions->set_synth_callback = (__typeof__(functions->set_synth_callback))found[1];
  functions->list_voices = (__typeof__(functions->list_voices))found[2];
  functions->set_voice_by_name = (__typeof__(functions->set_voice_by_name))found[3];
  functions->synth = (__typeof__(functions->synth))found[4];
  functions->terminate = (__typeof__(functions->terminate))found[5];
  return true;
}

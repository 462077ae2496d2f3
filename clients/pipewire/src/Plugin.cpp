// The entry points that PipeWire's module-echo-cancel calls: an SPA handle with the interface
// spa_audio_aec.

#include <spa/interfaces/audio/aec.h>
#include <spa/support/plugin.h>
#include <spa/utils/names.h>
#include <spa/utils/string.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <new>

#include "Log.h"
#include "LogListener.h"
#include "Options.h"
#include "Voice.h"

namespace anechoic {
namespace {

constexpr std::array<uint32_t, 6> rates = {8000, 16000, 24000, 32000, 44100, 48000};

std::string unsupported(Format format) {
  if (std::ranges::find(rates, format.rate) == rates.end()) {
    return "audio.rate: " + std::to_string(format.rate) +
           " is not supported; use 8000, 16000, 24000, 32000, 44100 or 48000";
  }
  if (format.channels < 1 || format.channels > 2) {
    return "audio.channels: " + std::to_string(format.channels) + " are not supported; use 1 or 2";
  }
  return "";
}

// Returns the length of the blocks that module-echo-cancel is to pass. A block takes at least one
// quantum of the graph to come, so it is as short as a quantum can be, which is a power of 2. A
// rate at which that is no whole number of samples gets 10 ms: the module would lose the rest.
const char* blocks(Format format) { return format.rate % 24000 == 0 ? "256/48000" : "480/48000"; }

// One echo canceller. Without a listener, there is no server, and the fallback is heard.
struct Canceller {
  Canceller(const Settings& settings, std::unique_ptr<Listener> hears)
      : listener(std::move(hears)), voice(settings, listener.get()) {}

  std::unique_ptr<Listener> listener;
  Voice voice;
  bool hasRun = false;
};

struct Plugin {
  spa_handle handle;
  spa_audio_aec aec;
  spa_log* log;
  std::unique_ptr<Canceller> canceller;
};

// A mistake in the configuration is logged, and the microphone passes unprocessed: if the module
// failed to load, applications would lose the source that they have chosen.
int start(void* object, const spa_dict* arguments, const spa_audio_info_raw* info) try {
  Plugin& plugin = *static_cast<Plugin*>(object);
  const Format format{info->rate, info->channels, info->channels};
  const Log log(plugin.log);
  Settings settings = defaultSettings(format);
  std::string mistake = unsupported(format);
  try {
    apply(arguments, settings);
  } catch (const OptionError& error) {
    mistake = error.what();
    settings = defaultSettings(format);
  }
  plugin.aec.latency = blocks(format);
  plugin.canceller.reset();
  std::unique_ptr<Listener> listener;
  if (mistake.empty()) listener = std::make_unique<LogListener>(log, settings);
  plugin.canceller = std::make_unique<Canceller>(settings, std::move(listener));
  if (!mistake.empty()) log.error(mistake + "; the microphone is not processed");
  return 0;
} catch (const std::bad_alloc&) {
  return -ENOMEM;
} catch (const std::system_error& error) {
  return -error.code().value();
}

int run(void* object, const float* microphone[], const float* reference[], float* output[],
        uint32_t count) {
  Plugin& plugin = *static_cast<Plugin*>(object);
  if (plugin.canceller == nullptr) return -EIO;
  Canceller& canceller = *plugin.canceller;
  if (!canceller.hasRun) {
    canceller.hasRun = true;
    // A block that is longer than a frame is that much longer in coming.
    const int64_t excess = int64_t(count) - canceller.voice.settings().format.frameSamples();
    canceller.voice.lengthenDelay(std::max<int64_t>(excess, 0));
  }
  // `output` may be the same memory as the inputs: all of a block is read before any is written.
  canceller.voice.push(
      count, [&](int64_t frame, size_t channel) { return microphone[channel][frame]; },
      [&](int64_t frame, size_t channel) { return reference[channel][frame]; });
  canceller.voice.pull(
      count, [&](int64_t frame, size_t channel, float sample) { output[channel][frame] = sample; });
  return 0;
}

int getInterface(spa_handle* handle, const char* type, void** interface) {
  if (handle == nullptr || interface == nullptr) return -EINVAL;
  if (!spa_streq(type, SPA_TYPE_INTERFACE_AUDIO_AEC)) return -ENOENT;
  *interface = &reinterpret_cast<Plugin*>(handle)->aec;
  return 0;
}

int clear(spa_handle* handle) {
  if (handle == nullptr) return -EINVAL;
  std::destroy_at(reinterpret_cast<Plugin*>(handle));
  return 0;
}

size_t size(const spa_handle_factory*, const spa_dict*) { return sizeof(Plugin); }

const spa_audio_aec_methods methods = [] {
  spa_audio_aec_methods methods{};
  methods.version = SPA_VERSION_AUDIO_AEC_METHODS;
  methods.init = start;
  methods.run = run;
  return methods;
}();

int initialize(const spa_handle_factory*, spa_handle* handle, const spa_dict*,
               const spa_support* support, uint32_t supports) {
  if (handle == nullptr) return -EINVAL;
  Plugin& plugin = *new (handle) Plugin{};
  plugin.handle.version = SPA_VERSION_HANDLE;
  plugin.handle.get_interface = getInterface;
  plugin.handle.clear = clear;
  plugin.aec.iface =
      SPA_INTERFACE_INIT(SPA_TYPE_INTERFACE_AUDIO_AEC, SPA_VERSION_AUDIO_AEC, &methods, &plugin);
  plugin.aec.name = "anechoic";
  plugin.log = static_cast<spa_log*>(spa_support_find(support, supports, SPA_TYPE_INTERFACE_Log));
  return 0;
}

int interfaces(const spa_handle_factory*, const spa_interface_info** info, uint32_t* index) {
  static const spa_interface_info aec = {SPA_TYPE_INTERFACE_AUDIO_AEC};
  if (info == nullptr || index == nullptr) return -EINVAL;
  if ((*index)++ > 0) return 0;
  *info = &aec;
  return 1;
}

const spa_handle_factory factory = {
    SPA_VERSION_HANDLE_FACTORY, SPA_NAME_AEC, nullptr, size, initialize, interfaces,
};

}  // namespace
}  // namespace anechoic

extern "C" SPA_EXPORT int spa_handle_factory_enum(const spa_handle_factory** factory,
                                                  uint32_t* index) {
  if (factory == nullptr || index == nullptr) return -EINVAL;
  if ((*index)++ > 0) return 0;
  *factory = &anechoic::factory;
  return 1;
}

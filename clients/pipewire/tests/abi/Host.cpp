#include "Host.h"

#include <dlfcn.h>
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <random>

#include "AudioThread.h"
#include "Checks.h"
#include "Pace.h"

std::string Host::path;

LogLines::LogLines() {
  static const spa_log_methods methods = [] {
    spa_log_methods methods{};
    methods.version = SPA_VERSION_LOG_METHODS;
    methods.logt = write;
    return methods;
  }();
  log_.iface = SPA_INTERFACE_INIT(SPA_TYPE_INTERFACE_Log, SPA_VERSION_LOG, &methods, this);
  log_.level = SPA_LOG_LEVEL_WARN;
}

void LogLines::write(void* object, spa_log_level, const spa_log_topic*, const char*, int,
                     const char*, const char* format, ...) {
  char line[1000] = "";
  if (format == nullptr) return;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  LogLines& self = *static_cast<LogLines*>(object);
  const std::lock_guard lock(self.mutex_);
  self.lines_.push_back(line);
}

std::vector<std::string> LogLines::lines() const {
  const std::lock_guard lock(mutex_);
  return lines_;
}

bool LogLines::contain(const std::string& part) const {
  for (const std::string& line : lines()) {
    if (line.find(part) != std::string::npos) return true;
  }
  return false;
}

namespace {

const spa_handle_factory& loadFactory() {
  static const spa_handle_factory* const factory = [] {
    void* const library = dlopen(Host::path.c_str(), RTLD_NOW);
    check(library != nullptr, Host::path + " can be loaded");
    const auto list = reinterpret_cast<spa_handle_factory_enum_func_t>(
        dlsym(library, SPA_HANDLE_FACTORY_ENUM_FUNC_NAME));
    const spa_handle_factory* found = nullptr;
    uint32_t index = 0;
    check(list != nullptr && list(&found, &index) == 1, "the plug-in has a factory");
    const spa_handle_factory* other = nullptr;
    check(list(&other, &index) == 0, "the plug-in has one factory");
    const spa_interface_info* info = nullptr;
    index = 0;
    check(found->enum_interface_info(found, &info, &index) == 1 &&
              std::string(info->type) == SPA_TYPE_INTERFACE_AUDIO_AEC,
          "the factory offers the interface Audio:AEC");
    return found;
  }();
  return *factory;
}

}  // namespace

Host::Host(uint32_t rate, uint32_t channels, const Arguments& arguments)
    : rate_(rate), channels_(channels), others_((mostChannels - 1) * longestBlock) {
  const spa_handle_factory& factory = loadFactory();
  memory_ = std::make_unique<char[]>(factory.get_size(&factory, nullptr));
  handle_ = reinterpret_cast<spa_handle*>(memory_.get());
  const spa_support support = {SPA_TYPE_INTERFACE_Log, log_.log()};
  check(factory.init(&factory, handle_, nullptr, &support, 1) == 0, "the handle is made");
  void* interface = nullptr;
  check(handle_->get_interface(handle_, "Spa:Pointer:Interface:Other", &interface) < 0,
        "there is no other interface");
  check(handle_->get_interface(handle_, SPA_TYPE_INTERFACE_AUDIO_AEC, &interface) == 0,
        "the handle has the interface");
  aec_ = static_cast<spa_audio_aec*>(interface);

  std::vector<std::string> keys;
  for (const auto& [key, value] : arguments) keys.push_back("anechoic." + key);
  std::vector<spa_dict_item> items = {{"webrtc.gain_control", "true"}};
  for (const auto& [key, value] : arguments) {
    items.push_back({keys[items.size() - 1].c_str(), value.c_str()});
  }
  const spa_dict dictionary = SPA_DICT_INIT(items.data(), static_cast<uint32_t>(items.size()));
  spa_audio_info_raw info{};
  info.format = SPA_AUDIO_FORMAT_F32P;
  info.rate = rate;
  info.channels = channels;
  check(spa_audio_aec_init(aec_, &dictionary, &info) == 0, "the canceller is made");
}

Host::~Host() { handle_->clear(handle_); }

int Host::run(const float* microphone, const float* reference, float* output, uint32_t count) {
  const float* microphones[mostChannels];
  const float* references[mostChannels];
  float* outputs[mostChannels];
  for (uint32_t channel = 0; channel < channels_; ++channel) {
    microphones[channel] = microphone;
    references[channel] = reference;
    outputs[channel] = channel == 0 ? output : &others_[(channel - 1) * longestBlock];
  }
  const int before = audio_thread::forbiddenCalls();
  const audio_thread::Audio audio;
  const int result = spa_audio_aec_run(aec_, microphones, references, outputs, count);
  int faults = (result != 0) + audio_thread::forbiddenCalls() - before;
  for (uint32_t channel = 1; channel < channels_; ++channel) {
    faults += !std::equal(output, output + count, outputs[channel]);
  }
  return faults;
}

std::vector<float> Host::drive(const std::vector<float>& microphone,
                               const std::vector<float>& reference, uint32_t block,
                               bool inRealTime) {
  std::minstd_rand random(7);
  std::uniform_int_distribution<uint32_t> lengths(1, rate_ / 100);
  std::vector<float> output(microphone.size());
  const Pace pace(rate_);
  int faults = 0;
  for (size_t done = 0; done < output.size();) {
    const uint32_t count =
        std::min<size_t>(block > 0 ? block : lengths(random), output.size() - done);
    faults += run(&microphone[done], &reference[done], &output[done], count);
    done += count;
    if (inRealTime) pace.wait(done);
  }
  check(faults == 0, "run succeeds, does not allocate, lock or wait, and treats channels alike");
  return output;
}

#include "ReadWatch.h"

#include <grpc/grpc.h>
#include <grpc/support/alloc.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "Connections.h"

namespace {

// The processor time after which a thread is checked. A flood is noticed after three of these
// times.
constexpr timespec look_every{0, 10'000'000};

// The calls without a message that a connection may start within `longest_count` while a thread reads without
// a pause, beyond the calls that may be open at once. A client that comes back opens all its calls at once.
constexpr int64_t spare_empty_calls = 300;

// The time after which the calls are counted anew, so that a connection may start these calls in each second. A thread without calls of its own reads for the others,
// perhaps for hours, and calls that are refused have no message either.
constexpr std::chrono::seconds longest_count{1};

// The calls that may be open at once on a connection of any server of the process.
std::atomic<int64_t> most_open_calls{0};

// Calls `use` with the value of each `"key":"value"` in the text.
template <class Use>
void for_each_value(std::string_view json, const std::string &key, Use use) {
  const std::string start = '"' + key + "\":\"";
  for (size_t at = json.find(start); at != json.npos; at = json.find(start, at)) {
    at += start.size();
    use(json.substr(at, json.find('"', at) - at));
  }
}

int64_t number(std::string_view text) {
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The first number of this name, or 0: channelz leaves out zeros.
int64_t number_named(const std::string &key, std::string_view json) {
  int64_t value = 0;
  bool found = false;
  for_each_value(json, key, [&](std::string_view text) {
    if (!found) value = number(text);
    found = true;
  });
  return value;
}

std::string taken(char *text) {
  std::string result = text != nullptr ? text : "";
  gpr_free(text);
  return result;
}

// Calls `use` with each identifier that channelz lists. `page` returns a part of the list, from an
// identifier on.
template <class Page, class Use>
void for_each_listed(const std::string &key, Page page, Use use) {
  for (int64_t next = 0;;) {
    const std::string json = page(static_cast<intptr_t>(next));
    const int64_t first = next;
    for_each_value(json, key, [&](std::string_view text) {
      next = number(text) + 1;
      use(static_cast<intptr_t>(number(text)));
    });
    if (next == first || json.find("\"end\":true") != json.npos) return;
  }
}

// Calls `use` with the identifier and the description of each connection to the process's servers.
template <class Use>
void for_each_connection(Use use) {
  const auto servers = [](intptr_t from) { return taken(grpc_channelz_get_servers(from)); };
  for_each_listed("serverId", servers, [&](intptr_t server) {
    const auto sockets = [server](intptr_t from) {
      return taken(grpc_channelz_get_server_sockets(server, from, 0));
    };
    for_each_listed("socketId", sockets, [&](intptr_t socket) {
      use(socket, taken(grpc_channelz_get_socket(socket)));
    });
  });
}

int64_t empty_calls(const std::string &connection) {
  return number_named("streamsStarted", connection) - number_named("messagesReceived", connection);
}

// The calls without a message of each connection, as channelz counts them, while a thread reads.
class EmptyCalls {
 public:
  EmptyCalls() {
    for_each_connection([&](intptr_t socket, const std::string &json) {
      first_[socket] = empty_calls(json);
    });
  }

  bool is_old() const { return std::chrono::steady_clock::now() - began_ > longest_count; }

  // Resets the connections that have started too many calls without a message since the beginning. A
  // connection that is newer counts from its own beginning.
  void reset_floods() const {
    const int64_t most = most_open_calls + spare_empty_calls;
    for_each_connection([&](intptr_t socket, const std::string &json) {
      const auto first = first_.find(socket);
      if (empty_calls(json) - (first == first_.end() ? 0 : first->second) <= most) return;
      for_each_value(json, "name", [](std::string_view name) {
        // "chttp2 ipv4:192.0.2.1:5000"
        anechoic::reset_connection(std::string(name.substr(name.find(' ') + 1)));
      });
    });
  }

 private:
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::map<intptr_t, int64_t> first_;  // By the socket's identifier.
};

// The thread that watches all queues' threads, and lives as long as the process. The timers wake it by
// a signal that only this thread receives.
class Watcher {
 public:
  static Watcher &shared() {
    static auto *watcher = new Watcher;
    return *watcher;
  }

  int add(anechoic::ReadWatch *watch) {
    std::lock_guard<std::mutex> lock(mutex_);
    watches_[++last_id_] = watch;
    return last_id_;
  }

  void remove(int id) {
    std::lock_guard<std::mutex> lock(mutex_);
    watches_.erase(id);
  }

  // Asks for a signal, with this identifier, whenever the calling thread has used `look_every`.
  bool start_timer(int id, timer_t *timer) const {
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = signal_;
    event.sigev_value.sival_int = id;
    event._sigev_un._tid = thread_;
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, timer) != 0) return false;
    const itimerspec times{look_every, look_every};
    timer_settime(*timer, 0, &times, nullptr);
    return true;
  }

 private:
  Watcher() : signal_(SIGRTMAX - 1) {
    std::promise<pid_t> started;
    std::thread([this, &started] { watch(started); }).detach();
    thread_ = started.get_future().get();
  }

  [[noreturn]] void watch(std::promise<pid_t> &started) {
    pthread_setname_np(pthread_self(), "grpc-watch");
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, signal_);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    started.set_value(gettid());
    for (siginfo_t info;;) {
      if (sigwaitinfo(&signals, &info) == signal_) look(info.si_value.sival_int);
    }
  }

  void look(int id) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      const auto watch = watches_.find(id);
      if (watch == watches_.end() || !watch->second->was_held()) {
        empty_calls_.erase(id);
        return;
      }
    }
    const auto [calls, is_new] = empty_calls_.try_emplace(id);
    if (is_new) return;
    calls->second.reset_floods();
    if (calls->second.is_old()) empty_calls_.erase(calls);
  }

  const int signal_;
  pid_t thread_ = 0;
  std::mutex mutex_;
  int last_id_ = 0;
  std::map<int, anechoic::ReadWatch *> watches_;
  std::map<int, EmptyCalls> empty_calls_;  // Of held watches. Belongs to the thread.
};

}  // namespace

namespace anechoic {

void ReadWatch::expect_calls(int32_t limit) {
  int64_t most = most_open_calls;
  while (limit > most && !most_open_calls.compare_exchange_weak(most, limit)) {
  }
}

ReadWatch::ReadWatch() {
  id_ = Watcher::shared().add(this);
  has_timer_ = Watcher::shared().start_timer(id_, &timer_);
}

ReadWatch::~ReadWatch() {
  if (has_timer_) timer_delete(timer_);
  Watcher::shared().remove(id_);
}

bool ReadWatch::was_held() {
  const uint64_t waits = waits_;
  const bool held = waits % 2 == 1 && waits == seen_;
  seen_ = waits;
  return held;
}

}  // namespace anechoic

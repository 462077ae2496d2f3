#include "Reconnection.h"
#include "Units.h"

using namespace anechoic;
using namespace std::chrono_literals;
using Kind = Ending::Kind;
using Step = Reconnection::Step;

namespace {

// A virtual clock, and a session that follows the rules.
struct Link {
  explicit Link(std::chrono::milliseconds idleLimit = 0ms, double random = 0)
      : rules(idleLimit, [random] { return random; }) {}

  Reconnection rules;
  Reconnection::Time now{1000s};

  Step next() const { return rules.next(now); }
  // Lets time pass until there is something to do. Returns how long that took.
  std::chrono::milliseconds pass(std::chrono::milliseconds most = 100s) {
    const auto begin = now;
    while (next() == Step::wait && now - begin < most) now += 1ms;
    return std::chrono::duration_cast<std::chrono::milliseconds>(now - begin);
  }
  void connect() {
    check(next() == Step::connect, "an attempt is due");
    rules.connecting(now);
  }
  void run(std::chrono::milliseconds window = 10s) {
    connect();
    rules.started(now, window);
    rules.processed();
    now += Reconnection::shortSession;
  }
  void end(Kind kind, std::optional<std::chrono::milliseconds> retry = std::nullopt) {
    rules.ended(kind, retry, now);
  }
  // Ends attempts as lost, and returns the times before them.
  std::vector<int64_t> pauses(int count, Kind kind = Kind::lost) {
    std::vector<int64_t> times;
    for (int index = 0; index < count; ++index) {
      times.push_back(pass().count());
      connect();
      end(kind);
    }
    return times;
  }
};

void attemptsFollowALoss() {
  Link link;
  link.run();
  link.end(Kind::lost);
  check(link.pauses(6) == std::vector<int64_t>{100, 200, 400, 500, 500, 500},
        "100 ms, then twice the time up to 500 ms");
}

void attemptsAreRareAfterAMinute() {
  Link link;
  link.run();
  link.end(Kind::lost);
  link.pauses(3);
  link.now += 60s;
  link.connect();
  link.end(Kind::lost);
  check(link.pauses(8).back() == 5000, "5 s once the server has been away for a minute");
  link.pass();
  link.run();
  link.end(Kind::lost);
  check(link.pauses(1).front() == 100, "100 ms again after the server has processed audio");
}

void pausesVary() {
  for (const double random : {-1.0, 1.0}) {
    Link link(0ms, random);
    link.run();
    link.end(Kind::lost);
    const int64_t expected = random < 0 ? 70 : 130;
    check(link.pauses(1).front() == expected, "the time varies by 30 %");
  }
}

void anAttemptTakesTwoSeconds() {
  Link link;
  link.connect();
  check(link.pass() == 2000ms && link.next() == Step::abandon, "an attempt takes 2 s at most");
}

void silenceIsALoss() {
  Link link;
  link.run();
  link.now += 30s;
  check(link.next() == Step::wait, "a server that was sent nothing has nothing to answer");
  link.rules.sent(link.now);
  link.now += 1s;
  link.rules.sent(link.now);
  check(link.pass() == 1000ms && link.next() == Step::abandon,
        "given up 2 s after the first audio");
  link.end(Kind::lost);
  check(link.rules.resumes(link.now), "the session may go on");
}

void aStallOfTheProgramIsNotTheServers() {
  Link link;
  link.run();
  link.rules.sent(link.now);
  link.now += 6s;
  link.rules.stalled(5s);
  check(link.next() == Step::wait, "the server has had no time to answer");
  check(link.pass() == 1000ms && link.next() == Step::abandon, "it has 2 s in all");
}

void anAnswerEndsTheSilence() {
  Link link;
  link.run();
  for (int count = 0; count < 10; ++count) {
    link.rules.sent(link.now);
    link.now += 1500ms;
    check(link.next() == Step::wait, "the server answers in time");
    link.rules.answered();
  }
}

void aSessionResumesWithinItsWindow() {
  Link link;
  link.run(10s);
  link.now += 100s;
  link.end(Kind::lost);
  link.now += 9s;
  link.connect();
  check(link.rules.resumes(link.now), "within the window");
  link.end(Kind::lost);
  link.now += 2s;
  check(!link.rules.resumes(link.now), "after the window, counted from the loss");
}

void anUnknownSessionIsReplacedAtOnce() {
  Link link;
  link.run();
  link.end(Kind::lost);
  link.pauses(3);
  link.pass();
  link.connect();
  link.end(Kind::unknownSession);
  check(link.next() == Step::connect && !link.rules.resumes(link.now), "a new session at once");
  link.connect();
  link.end(Kind::refused);
  check(link.pauses(3, Kind::refused) == std::vector<int64_t>{100, 200, 400},
        "a server that is full is asked as after a loss");
}

void sessionsThatAreCutAtOnceAreNotALoop() {
  Link link;
  int attempts = 0;
  for (const auto end = link.now + 10s; link.now < end; link.now += 1ms) {
    if (link.next() != Step::connect) continue;
    ++attempts;
    const bool resumes = link.rules.resumes(link.now);
    link.rules.connecting(link.now);
    if (!resumes) link.rules.started(link.now, 10s);
    link.end(resumes ? Kind::unknownSession : Kind::lost);
  }
  check(attempts < 50, std::to_string(attempts) + " attempts in 10 s");
}

void aStoppedServerIsLeftAtOnce() {
  Link link;
  link.run();
  link.end(Kind::stopped, 1000ms);
  check(link.next() == Step::connect && !link.rules.resumes(link.now), "a new session at once");
  link.connect();
  link.end(Kind::stopped, 1000ms);
  check(link.pass() == 1150ms, "a refused start waits for the time of RetryInfo");
}

void aRefusedResumeLeavesAStoppingServer() {
  Link link;
  link.run();
  link.end(Kind::lost);
  link.pass();
  link.connect();
  link.end(Kind::stopped, 1000ms);
  check(link.next() == Step::connect && !link.rules.resumes(link.now), "a new session at once");
  link.connect();
  link.end(Kind::stopped, 1000ms);
  check(link.pass() >= 1000ms, "the start is refused as well, and waits");
}

void sessionsThatEndAtOnceAreNotALoop() {
  Link link;
  int attempts = 0;
  for (const auto end = link.now + 10s; link.now < end; link.now += 1ms) {
    if (link.next() != Step::connect) continue;
    ++attempts;
    link.rules.connecting(link.now);
    link.rules.started(link.now, 10s);
    link.end(attempts % 2 == 0 ? Kind::stopped : Kind::finished);
  }
  check(attempts < 40, std::to_string(attempts) + " attempts in 10 s");
}

void aShortSessionIsNoSuccessTwice() {
  Link link;
  std::vector<int64_t> times;
  for (int session = 0; session < 4; ++session) {
    link.connect();
    link.rules.started(link.now, 0ms);
    link.rules.processed();
    link.now += 500ms;
    link.end(Kind::lost);
    times.push_back(link.pass().count());
  }
  check(times == std::vector<int64_t>{100, 200, 400, 500}, "the pauses go on to grow");
  link.run();
  link.end(Kind::lost);
  check(link.pass() == 100ms, "until a session has lasted");
}

// Of a server that processes a little and ends each session in a way that another one follows.
void endingsThatAreFollowedAtOnceAreNotALoop() {
  for (const Kind kind : {Kind::stopped, Kind::unknownSession, Kind::takenId}) {
    Link link;
    int attempts = 0;
    for (const auto end = link.now + 10s; link.now < end; link.now += 1ms) {
      if (link.next() != Step::connect) continue;
      ++attempts;
      link.rules.connecting(link.now);
      link.rules.started(link.now, 10s);
      link.rules.processed();
      link.end(kind);
    }
    check(attempts < 40, std::to_string(attempts) + " attempts in 10 s");
  }
}

void retryInfoIsBounded() {
  for (const auto retry : {-1000ms, 0ms, 1ms}) {
    Link link;
    std::vector<int64_t> times;
    for (int index = 0; index < 5; ++index) {
      link.connect();
      link.end(Kind::refused, retry);
      times.push_back(link.pass().count());
    }
    check(times == std::vector<int64_t>{100, 200, 400, 500, 500}, "never below the own pause");
  }
  for (const auto retry : {std::chrono::milliseconds(24h), std::chrono::milliseconds::max()}) {
    Link link(0ms, -1);
    link.connect();
    link.end(Kind::refused, retry);
    check(link.pass() == 60s, "60 s at most, and up to 30 % later");
  }
}

void retryInfoIsKept() {
  for (const auto& [random, expected] : {std::pair(-1.0, 3000ms), {0.0, 3450ms}, {1.0, 3900ms}}) {
    Link link(0ms, random);
    link.connect();
    link.end(Kind::refused, 3000ms);
    check(link.pass() == expected, "after the time that it names, or up to 30 % later");
  }
}

void refusedForGoodIsTriedSeldom() {
  Link link;
  link.connect();
  link.end(Kind::refusedForGood);
  check(link.pauses(3, Kind::refusedForGood) == std::vector<int64_t>{5000, 5000, 5000},
        "after 5 s");
}

void aRefusedResumeKeepsTheSession() {
  Link link;
  link.run();
  link.end(Kind::lost);
  link.pass();
  link.connect();
  link.end(Kind::refused, 1000ms);
  check(link.rules.resumes(link.now), "the server may have room later");
  link.pass();
  link.connect();
  link.end(Kind::takenId);
}

void anEndedSessionIsNotResumed() {
  for (const Kind kind : {Kind::finished, Kind::stopped, Kind::refused, Kind::refusedForGood}) {
    Link link;
    link.run();
    link.end(kind);
    check(!link.rules.resumes(link.now), "the server has ended the session");
  }
}

void aSessionNeedsAudio() {
  Link link(10s);
  check(link.next() == Step::wait, "no audio, no session");
  link.rules.heard(link.now);
  link.run();
  link.now += 9s;
  check(link.next() == Step::wait, "9 s without audio are allowed");
  link.rules.heard(link.now);
  check(link.pass() >= 10s && link.next() == Step::finish, "10 s without audio end the session");
  link.rules.finishing(link.now);
  link.end(Kind::finished);
  link.now += 1h;
  check(link.next() == Step::wait, "no audio, no session");
  link.rules.heard(link.now);
  check(link.next() == Step::connect, "audio starts a session at once");
}

}  // namespace

std::vector<Case> reconnectionCases() {
  return {
      {"attempts follow a loss after 100 ms, and up to 500 ms", attemptsFollowALoss},
      {"attempts are rare after a minute", attemptsAreRareAfterAMinute},
      {"the times vary by 30 %", pausesVary},
      {"an attempt takes 2 s at most", anAttemptTakesTwoSeconds},
      {"a server that does not answer for 2 s is lost", silenceIsALoss},
      {"a stall of the program is not the server's", aStallOfTheProgramIsNotTheServers},
      {"an answer ends the silence", anAnswerEndsTheSilence},
      {"a session resumes within its window", aSessionResumesWithinItsWindow},
      {"an unknown session is replaced at once", anUnknownSessionIsReplacedAtOnce},
      {"a server that stops is left at once", aStoppedServerIsLeftAtOnce},
      {"a server that stops and refuses to resume is left at once",
       aRefusedResumeLeavesAStoppingServer},
      {"sessions that are cut off at once are no endless loop",
       sessionsThatAreCutAtOnceAreNotALoop},
      {"sessions that end at once are no endless loop", sessionsThatEndAtOnceAreNotALoop},
      {"a short session is no success twice", aShortSessionIsNoSuccessTwice},
      {"endings that are followed at once are no endless loop",
       endingsThatAreFollowedAtOnceAreNotALoop},
      {"RetryInfo is kept", retryInfoIsKept},
      {"RetryInfo is bounded", retryInfoIsBounded},
      {"what is refused for good is tried after 5 s", refusedForGoodIsTriedSeldom},
      {"a refused resume keeps the session", aRefusedResumeKeepsTheSession},
      {"a session that the server has ended is not resumed", anEndedSessionIsNotResumed},
      {"a session with an idle limit needs audio", aSessionNeedsAudio},
  };
}

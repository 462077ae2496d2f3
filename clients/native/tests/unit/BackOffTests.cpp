// Servers that would make a client a flood.

#include "Link.h"
#include "Units.h"

namespace {

// Returns the number of attempts in 10 s, each of which ends as `end` says.
template <typename End>
int attemptsInTenSeconds(const End& end) {
  Link link;
  int attempts = 0;
  for (const auto until = link.now + 10s; link.now < until; link.now += 1ms) {
    if (link.next() != Step::connect) continue;
    ++attempts;
    end(link, attempts);
  }
  return attempts;
}

void checkAttempts(int attempts, int most) {
  check(attempts < most, std::to_string(attempts) + " attempts in 10 s");
}

void sessionsThatAreCutAtOnceAreNotALoop() {
  const auto cut = [](Link& link, int) {
    const bool resumes = link.rules.resumes(link.now);
    link.rules.connecting(link.now);
    if (!resumes) link.rules.started(link.now, 10s);
    link.end(resumes ? Kind::unknownSession : Kind::lost);
  };
  checkAttempts(attemptsInTenSeconds(cut), 50);
}

void sessionsThatEndAtOnceAreNotALoop() {
  const auto end = [](Link& link, int attempt) {
    link.rules.connecting(link.now);
    link.rules.started(link.now, 10s);
    link.end(attempt % 2 == 0 ? Kind::stopped : Kind::finished);
  };
  checkAttempts(attemptsInTenSeconds(end), 40);
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

void onlyTheFirstShortSessionIsFollowedAtOnce() {
  Link link;
  std::vector<int64_t> times;
  for (int session = 0; session < 6; ++session) {
    link.connect();
    link.rules.started(link.now, 10s);
    link.rules.processed();
    link.now += 200ms;
    link.end(Kind::stopped);
    times.push_back(link.pass().count());
  }
  check(times == std::vector<int64_t>{0, 100, 200, 400, 500, 500}, "the pauses go on to grow");
  link.run();
  link.end(Kind::stopped);
  check(link.pass() == 0ms, "until a session has lasted");
}

// Of a server that processes a little and ends each session in a way that another one follows.
void endingsThatAreFollowedAtOnceAreNotALoop() {
  for (const Kind kind : {Kind::stopped, Kind::unknownSession, Kind::takenId}) {
    const auto end = [kind](Link& link, int) {
      link.rules.connecting(link.now);
      link.rules.started(link.now, 10s);
      link.rules.processed();
      link.end(kind);
    };
    checkAttempts(attemptsInTenSeconds(end), 40);
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

}  // namespace

std::vector<Case> backOffCases() {
  return {
      {"sessions that are cut off at once are no endless loop",
       sessionsThatAreCutAtOnceAreNotALoop},
      {"sessions that end at once are no endless loop", sessionsThatEndAtOnceAreNotALoop},
      {"a short session is no success twice", aShortSessionIsNoSuccessTwice},
      {"only the first short session is followed at once",
       onlyTheFirstShortSessionIsFollowedAtOnce},
      {"endings that are followed at once are no endless loop",
       endingsThatAreFollowedAtOnceAreNotALoop},
      {"RetryInfo is bounded", retryInfoIsBounded},
  };
}

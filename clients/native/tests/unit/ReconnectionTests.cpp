#include "Link.h"
#include "Units.h"

namespace {

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
    link.pass();
    link.connect();
    link.end(Kind::refusedForGood);
    check(link.pauses(1).front() == 50 * expected, "also the 5 s after a refusal for good");
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
      {"RetryInfo is kept", retryInfoIsKept},
      {"what is refused for good is tried after 5 s", refusedForGoodIsTriedSeldom},
      {"a refused resume keeps the session", aRefusedResumeKeepsTheSession},
      {"a session that the server has ended is not resumed", anEndedSessionIsNotResumed},
      {"a session with an idle limit needs audio", aSessionNeedsAudio},
  };
}

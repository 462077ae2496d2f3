// The loss of the network in network.py and its slopes, for processors with AVX2. Signals are stored as frames x calls
// x bands x channels. quick_network.py compiles and calls this.
#include <immintrin.h>

#include <cstdint>

#include "layers.h"
#include "loss.h"

namespace {

constexpr int bands = loss::bands, features = 7, narrow = 16, middle = 24, wide = 32, whole = 96, groups = bands / 4;
constexpr int heard = features * bands;

/// The places of the weights in one array, in the order of the layers. A bias follows its weights.
struct Places {
  int end = 0;
  const int first = next(3 * 8 * narrow + narrow);
  const int second = next(4 * narrow * middle + middle);
  const int third = next(4 * middle * wide + wide);
  const int ofGroup = next(Recurrent::size(wide));
  const int gather = next(groups * wide * whole + whole);
  const int ofAll = next(Recurrent::size(whole));
  const int spread = next(whole * groups * narrow + groups * narrow);
  const int up = next(4 * middle * (wide + narrow) + middle);
  const int upAgain = next(4 * narrow * middle + narrow);
  const int leave = next(narrow * 8 + 8);
  const int voice = next(whole * 8 + 8);

 private:
  int next(int count) { return (end += count) - count; }
};
const Places at;

/// The network with the signals of one batch of calls.
struct Network {
  const float *weights;
  float *learned;
  const int calls, frames;
  const long positions = long(frames) * calls;
  Rows input{positions, bands, 8}, first{positions, bands, narrow}, second{positions, bands / 2, middle};
  Rows third{positions, groups, wide}, joined{positions, groups, wide + narrow}, up{positions, bands / 2, middle};
  Rows upAgain{positions, bands, narrow};
  Taps secondTaps = taps(narrow, middle, at.second), thirdTaps = taps(middle, wide, at.third);
  Taps upTaps = taps(middle, wide + narrow, at.up), againTaps = taps(narrow, middle, at.upAgain);
  Recurrent ofGroup{wide, calls * groups, frames, weights + at.ofGroup, learned + at.ofGroup};
  Recurrent ofAll{whole, calls, frames, weights + at.ofAll, learned + at.ofAll};
  Dense gather = dense(groups * wide, whole, at.gather), spread = dense(whole, groups * narrow, at.spread);
  Dense leave = dense(narrow, 8, at.leave), voice = dense(whole, 8, at.voice);
  Buffer entered{positions * whole}, spreadOut{positions * groups * narrow};
  /// What the network finds, or its slopes: bands x (gains, padded to 8), and a decision padded to 8.
  Buffer gains{positions * bands * 8}, voices{positions * 8};

  Taps taps(int finer, int coarser, int place) const { return Taps(weights + place, learned + place, finer, coarser); }
  Dense dense(int inputs, int outputs, int place) const {
    return Dense({inputs, outputs}, weights + place, learned + place);
  }
  Windows thirdAsOne() { return {third.at(0), third.pitch()}; }

  /// Takes the features of a call, frames x `pitch` halves.
  void hear(int call, const uint16_t *example, int pitch) {
    for (int t = 0; t < frames; t++, example += pitch) {
      float *rows = input.at(long(t) * calls + call);
      for (int band = 0; band < bands; band++) {
        for (int feature = 0; feature < features; feature++)
          rows[band * 8 + feature] = _cvtsh_ss(example[feature * bands + band]);
        rows[band * 8 + features] = 0;
      }
    }
  }

  void forwards() {
    for (long n = 0; n < positions; n++) {
      fill(bands, weights + at.first + 24 * narrow, narrow, first.at(n), narrow);
      multiply(bands, {input.margin(n), 8}, weights + at.first, {24, narrow}, first.at(n), narrow);
      bend(first.at(n), first.count());
      coarser(secondTaps, first, second, n);
      coarser(thirdTaps, second, third, n);
      ofGroup.enter.forwards(groups, {third.at(n), wide}, &ofGroup.gates[n * groups * 3 * wide]);
    }
    ofGroup.forwards();
    gather.forwards(positions, thirdAsOne(), entered.data());
    bend(entered.data(), positions * whole);
    ofAll.enter.forwards(positions, {entered.data(), whole}, ofAll.gates.data());
    ofAll.forwards();
    voice.forwards(positions, {ofAll.results(), whole}, voices.data());
    spread.forwards(positions, {ofAll.results(), whole}, spreadOut.data());
    bend(spreadOut.data(), positions * groups * narrow);
    for (long n = 0; n < positions; n++) {
      join(n);
      finer(upTaps, joined, up, second, n);
      finer(againTaps, up, upAgain, first, n);
      leave.forwards(bands, {upAgain.at(n), narrow}, &gains[n * bands * 8]);
    }
  }

  void coarser(Taps &taps, Rows &from, Rows &to, long n) {
    fill(to.rows, taps.bias(), to.channels, to.at(n), to.channels);
    taps.toCoarser(from, n, to, n);
    bend(to.at(n), to.count());
  }

  void join(long n) {
    for (int group = 0; group < groups; group++) {
      float *out = joined.at(n, group);
      const float *local = ofGroup.results() + (n * groups + group) * wide, *raw = third.at(n, group);
      for (int i = 0; i < wide; i++) out[i] = local[i] + raw[i];
      memcpy(out + wide, &spreadOut[(n * groups + group) * narrow], narrow * sizeof(float));
    }
  }

  void finer(Taps &taps, Rows &from, Rows &to, Rows &skip, long n) {
    const float *bias = taps.bias(), *more = skip.at(n);
    float *out = to.at(n);
    for (int row = 0; row < to.rows; row++)
      for (int i = 0; i < to.channels; i++) out[row * to.channels + i] = more[row * to.channels + i] + bias[i];
    taps.toFiner(from, to, n);
    bend(out, to.count());
  }

  // The slopes of the signals above.
  Rows firstSlopes{positions, bands, narrow}, secondSlopes{positions, bands / 2, middle};
  Rows thirdSlopes{positions, groups, wide};
  Rows joinedSlopes{1, groups, wide + narrow}, upSlopes{1, bands / 2, middle}, againSlopes{1, bands, narrow};
  Buffer groupSlopes{positions * groups * wide}, spreadSlopes{positions * groups * narrow};
  Buffer allSlopes = Buffer::zeros(positions * whole), enteredSlopes = Buffer::zeros(positions * whole);

  /// `gains` and `voices` contain their slopes.
  void backwards() {
    for (long n = 0; n < positions; n++) {
      const float *slopes = &gains[n * bands * 8];
      leave.learnFrom(bands, {upAgain.at(n), narrow}, slopes);
      againSlopes.clear(0);
      leave.backwards(bands, slopes, againSlopes.at(0), narrow);
      fromFiner(againTaps, up, upSlopes, upAgain, againSlopes, firstSlopes, n);
      fromFiner(upTaps, joined, joinedSlopes, up, upSlopes, secondSlopes, n);
      part(n);
    }
    const Windows all = {ofAll.results(), whole};
    voice.learnFrom(positions, all, voices.data());
    voice.backwards(positions, voices.data(), allSlopes.data(), whole);
    spread.learnFrom(positions, all, spreadSlopes.data());
    spread.backwards(positions, spreadSlopes.data(), allSlopes.data(), whole);
    ofAll.backwards(allSlopes.data());
    ofAll.enter.learnFrom(positions, {entered.data(), whole}, ofAll.gates.data());
    ofAll.enter.backwards(positions, ofAll.gates.data(), enteredSlopes.data(), whole);
    unbend(entered.data(), enteredSlopes.data(), positions * whole);
    gather.learnFrom(positions, thirdAsOne(), enteredSlopes.data());
    gather.backwards(positions, enteredSlopes.data(), thirdSlopes.at(0), third.pitch());
    ofGroup.backwards(groupSlopes.data());
    for (long n = 0; n < positions; n++) {
      const float *gates = &ofGroup.gates[n * groups * 3 * wide];
      ofGroup.enter.learnFrom(groups, {third.at(n), wide}, gates);
      ofGroup.enter.backwards(groups, gates, thirdSlopes.at(n), wide);
      fromCoarser(thirdTaps, second, secondSlopes, third, thirdSlopes, n);
      fromCoarser(secondTaps, first, firstSlopes, second, secondSlopes, n);
      unbend(first.at(n), firstSlopes.at(n), first.count());
      learn(bands, {input.margin(n), 8}, firstSlopes.at(n), narrow, learned + at.first, {24, narrow});
      learnBias(bands, firstSlopes.at(n), narrow, learned + at.first + 24 * narrow, narrow);
    }
  }

  /// Back through `finer`: sets the slopes of the coarser side and of the skipped signal.
  void fromFiner(Taps &taps, Rows &coarse, Rows &coarseSlopes, Rows &fine, Rows &fineSlopes, Rows &skipSlopes,
                 long n) {
    unbend(fine.at(n), fineSlopes.at(0), fine.count());
    memcpy(skipSlopes.at(n), fineSlopes.at(0), fine.count() * sizeof(float));
    taps.learnBiasFrom(fineSlopes, 0);
    taps.learnFrom(fineSlopes, 0, coarse, n);
    coarseSlopes.clear(0);
    taps.toCoarser(fineSlopes, 0, coarseSlopes, 0);
  }

  /// Back through `join`.
  void part(long n) {
    for (int group = 0; group < groups; group++) {
      const float *slopes = joinedSlopes.at(0, group);
      memcpy(&groupSlopes[(n * groups + group) * wide], slopes, wide * sizeof(float));
      memcpy(thirdSlopes.at(n, group), slopes, wide * sizeof(float));
      const long place = (n * groups + group) * narrow;
      memcpy(&spreadSlopes[place], slopes + wide, narrow * sizeof(float));
      unbend(&spreadOut[place], &spreadSlopes[place], narrow);
    }
  }

  /// Back through `coarser`: adds to the slopes of the finer side.
  void fromCoarser(Taps &taps, Rows &fine, Rows &fineSlopes, Rows &coarse, Rows &coarseSlopes, long n) {
    unbend(coarse.at(n), coarseSlopes.at(n), coarse.count());
    taps.learnFrom(fine, n, coarseSlopes, n);
    taps.learnBiasFrom(coarseSlopes, n);
    taps.toFiner(coarseSlopes, fineSlopes, n);
  }
};

/// Reads what a frame of an example has after the features.
void readAims(const uint16_t *halves, float *values) {
  int i = 0;
  for (; i + 8 <= loss::values; i += 8)
    _mm256_storeu_ps(values + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(halves + i))));
  for (; i < loss::values; i++) values[i] = _cvtsh_ss(halves[i]);
}

}  // namespace

extern "C" {

/// Returns the number of weights.
int weight_count() { return at.end; }

/// Takes examples of calls, each frames x values as halves. Sets `parts` to the losses of the three gains and of the
/// decision on voice. Adds to the slopes of the weights, unless `slopes` is null.
void step(const float *weights, float *slopes, const uint16_t *const *examples, int calls, int frames, const int *left,
          const float *share, float lost, float voice, const float *kinds, double *parts) {
  arena.used = 0;
  constexpr int pitch = heard + loss::values;
  Network network{weights, slopes, calls, frames};
  for (int call = 0; call < calls; call++) network.hear(call, examples[call], pitch);
  network.forwards();
  for (int part = 0; part <= loss::kinds; part++) parts[part] = 0;
  float frame[loss::values];
  for (long n = 0; n < network.positions; n++) {
    readAims(examples[n % calls] + n / calls * pitch + heard, frame);
    loss::ofGains(&network.gains[n * bands * 8], frame, {left, share}, {lost, voice, kinds},
                  1.0f / (network.positions * loss::bins), parts);
    float *logit = &network.voices[n * 8];
    parts[loss::kinds] += loss::ofVoice(*logit, frame[loss::values - 1], voice / network.positions);
    for (int i = 1; i < 8; i++) logit[i] = 0;
  }
  if (slopes) network.backwards();
}
}

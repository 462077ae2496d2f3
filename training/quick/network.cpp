// The loss of the network in network.py and its gradients, for processors with AVX2. Signals are stored as frames x calls
// x bands x channels. quick_network.py compiles and calls this.
#include <immintrin.h>

#include <cstdint>

#include "layers.h"
#include "loss.h"

namespace {

constexpr int bands = loss::bands, features = 7, narrow = 16, middle = 24, wide = 32, fullBand = 96, groups = bands / 4;
constexpr int featureCount = features * bands;

/// The places of the weights in one array, in the order of the layers. A bias follows its weights.
struct Places {
  int end = 0;
  const int encoder1 = next(3 * 8 * narrow + narrow);
  const int encoder2 = next(4 * narrow * middle + middle);
  const int encoder3 = next(4 * middle * wide + wide);
  const int bandGRU = next(GRU::size(wide));
  const int toFullBand = next(groups * wide * fullBand + fullBand);
  const int fullBandGRU = next(GRU::size(fullBand));
  const int toBands = next(fullBand * groups * narrow + groups * narrow);
  const int decoder1 = next(4 * middle * (wide + narrow) + middle);
  const int decoder2 = next(4 * narrow * middle + narrow);
  const int gainLayer = next(narrow * 8 + 8);
  const int auxiliaryVoice = next(fullBand * 8 + 8);

 private:
  int next(int count) { return (end += count) - count; }
};
const Places at;

/// The network with the signals of one batch of calls.
struct Network {
  const float *weights;
  float *weightGradients;
  const int calls, frames;
  const long positions = long(frames) * calls;
  Rows input{positions, bands, 8}, first{positions, bands, narrow}, second{positions, bands / 2, middle};
  Rows third{positions, groups, wide}, concatenated{positions, groups, wide + narrow};
  Rows decoded1{positions, bands / 2, middle}, decoded2{positions, bands, narrow};
  StridedConvolution encoder2 = strided(narrow, middle, at.encoder2), encoder3 = strided(middle, wide, at.encoder3);
  StridedConvolution decoder1 = strided(middle, wide + narrow, at.decoder1);
  StridedConvolution decoder2 = strided(narrow, middle, at.decoder2);
  GRU bandGRU{wide, calls * groups, frames, weights + at.bandGRU, weightGradients + at.bandGRU};
  GRU fullBandGRU{fullBand, calls, frames, weights + at.fullBandGRU, weightGradients + at.fullBandGRU};
  Dense toFullBand = dense(groups * wide, fullBand, at.toFullBand);
  Dense toBands = dense(fullBand, groups * narrow, at.toBands);
  Dense gainLayer = dense(narrow, 8, at.gainLayer), auxiliaryVoice = dense(fullBand, 8, at.auxiliaryVoice);
  Buffer bottleneck{positions * fullBand}, toBandsOut{positions * groups * narrow};
  /// The outputs of the network, or their gradients: bands x (gains, padded to 8), and a logit of voice padded to 8.
  Buffer gains{positions * bands * 8}, voices{positions * 8};

  StridedConvolution strided(int finer, int coarser, int place) const {
    return StridedConvolution(weights + place, weightGradients + place, finer, coarser);
  }
  Dense dense(int inputs, int outputs, int place) const {
    return Dense({inputs, outputs}, weights + place, weightGradients + place);
  }
  Windows thirdAsOne() { return {third.at(0), third.pitch()}; }

  /// Sets the features of a call, frames x `pitch` halves.
  void setFeatures(int call, const uint16_t *example, int pitch) {
    for (int t = 0; t < frames; t++, example += pitch) {
      float *rows = input.at(long(t) * calls + call);
      for (int band = 0; band < bands; band++) {
        for (int feature = 0; feature < features; feature++)
          rows[band * 8 + feature] = _cvtsh_ss(example[feature * bands + band]);
        rows[band * 8 + features] = 0;
      }
    }
  }

  void forward() {
    for (long n = 0; n < positions; n++) {
      fill(bands, weights + at.encoder1 + 24 * narrow, narrow, first.at(n), narrow);
      multiply(bands, {input.margin(n), 8}, weights + at.encoder1, {24, narrow}, first.at(n), narrow);
      applyTanh(first.at(n), first.count());
      coarser(encoder2, first, second, n);
      coarser(encoder3, second, third, n);
      bandGRU.input.forward(groups, {third.at(n), wide}, &bandGRU.gates[n * groups * 3 * wide]);
    }
    bandGRU.forward();
    toFullBand.forward(positions, thirdAsOne(), bottleneck.data());
    applyTanh(bottleneck.data(), positions * fullBand);
    fullBandGRU.input.forward(positions, {bottleneck.data(), fullBand}, fullBandGRU.gates.data());
    fullBandGRU.forward();
    auxiliaryVoice.forward(positions, {fullBandGRU.results(), fullBand}, voices.data());
    toBands.forward(positions, {fullBandGRU.results(), fullBand}, toBandsOut.data());
    applyTanh(toBandsOut.data(), positions * groups * narrow);
    for (long n = 0; n < positions; n++) {
      concatenate(n);
      finer(decoder1, concatenated, decoded1, second, n);
      finer(decoder2, decoded1, decoded2, first, n);
      gainLayer.forward(bands, {decoded2.at(n), narrow}, &gains[n * bands * 8]);
    }
  }

  void coarser(StridedConvolution &taps, Rows &from, Rows &to, long n) {
    fill(to.rows, taps.bias(), to.channels, to.at(n), to.channels);
    taps.toCoarser(from, n, to, n);
    applyTanh(to.at(n), to.count());
  }

  void concatenate(long n) {
    for (int group = 0; group < groups; group++) {
      float *out = concatenated.at(n, group);
      const float *local = bandGRU.results() + (n * groups + group) * wide, *raw = third.at(n, group);
      for (int i = 0; i < wide; i++) out[i] = local[i] + raw[i];
      memcpy(out + wide, &toBandsOut[(n * groups + group) * narrow], narrow * sizeof(float));
    }
  }

  void finer(StridedConvolution &taps, Rows &from, Rows &to, Rows &skip, long n) {
    const float *bias = taps.bias(), *more = skip.at(n);
    float *out = to.at(n);
    for (int row = 0; row < to.rows; row++)
      for (int i = 0; i < to.channels; i++) out[row * to.channels + i] = more[row * to.channels + i] + bias[i];
    taps.toFiner(from, to, n);
    applyTanh(out, to.count());
  }

  // The gradients of the signals above.
  Rows firstGradients{positions, bands, narrow}, secondGradients{positions, bands / 2, middle};
  Rows thirdGradients{positions, groups, wide};
  Rows concatenatedGradients{1, groups, wide + narrow}, decoded1Gradients{1, bands / 2, middle};
  Rows decoded2Gradients{1, bands, narrow};
  Buffer bandGRUGradients{positions * groups * wide}, toBandsGradients{positions * groups * narrow};
  Buffer fullBandGRUGradients = Buffer::zeros(positions * fullBand);
  Buffer bottleneckGradients = Buffer::zeros(positions * fullBand);

  /// `gains` and `voices` contain their gradients.
  void backward() {
    for (long n = 0; n < positions; n++) {
      const float *gradients = &gains[n * bands * 8];
      gainLayer.accumulateGradient(bands, {decoded2.at(n), narrow}, gradients);
      decoded2Gradients.clear(0);
      gainLayer.backward(bands, gradients, decoded2Gradients.at(0), narrow);
      fromFiner(decoder2, decoded1, decoded1Gradients, decoded2, decoded2Gradients, firstGradients, n);
      fromFiner(decoder1, concatenated, concatenatedGradients, decoded1, decoded1Gradients, secondGradients, n);
      part(n);
    }
    const Windows all = {fullBandGRU.results(), fullBand};
    auxiliaryVoice.accumulateGradient(positions, all, voices.data());
    auxiliaryVoice.backward(positions, voices.data(), fullBandGRUGradients.data(), fullBand);
    toBands.accumulateGradient(positions, all, toBandsGradients.data());
    toBands.backward(positions, toBandsGradients.data(), fullBandGRUGradients.data(), fullBand);
    fullBandGRU.backward(fullBandGRUGradients.data());
    fullBandGRU.input.accumulateGradient(positions, {bottleneck.data(), fullBand}, fullBandGRU.gates.data());
    fullBandGRU.input.backward(positions, fullBandGRU.gates.data(), bottleneckGradients.data(), fullBand);
    tanhGradient(bottleneck.data(), bottleneckGradients.data(), positions * fullBand);
    toFullBand.accumulateGradient(positions, thirdAsOne(), bottleneckGradients.data());
    toFullBand.backward(positions, bottleneckGradients.data(), thirdGradients.at(0), third.pitch());
    bandGRU.backward(bandGRUGradients.data());
    for (long n = 0; n < positions; n++) {
      const float *gates = &bandGRU.gates[n * groups * 3 * wide];
      bandGRU.input.accumulateGradient(groups, {third.at(n), wide}, gates);
      bandGRU.input.backward(groups, gates, thirdGradients.at(n), wide);
      fromCoarser(encoder3, second, secondGradients, third, thirdGradients, n);
      fromCoarser(encoder2, first, firstGradients, second, secondGradients, n);
      tanhGradient(first.at(n), firstGradients.at(n), first.count());
      accumulate(bands, {input.margin(n), 8}, firstGradients.at(n), narrow, weightGradients + at.encoder1,
                 {24, narrow});
      accumulateBias(bands, firstGradients.at(n), narrow, weightGradients + at.encoder1 + 24 * narrow, narrow);
    }
  }

  /// The backward pass of `finer`: sets the gradients of the coarser side and of the skipped signal.
  void fromFiner(StridedConvolution &taps, Rows &coarse, Rows &coarseGradients, Rows &fine, Rows &fineGradients,
                 Rows &skipGradients, long n) {
    tanhGradient(fine.at(n), fineGradients.at(0), fine.count());
    memcpy(skipGradients.at(n), fineGradients.at(0), fine.count() * sizeof(float));
    taps.accumulateBiasGradient(fineGradients, 0);
    taps.accumulateGradient(fineGradients, 0, coarse, n);
    coarseGradients.clear(0);
    taps.toCoarser(fineGradients, 0, coarseGradients, 0);
  }

  /// The backward pass of `concatenate`.
  void part(long n) {
    for (int group = 0; group < groups; group++) {
      const float *gradients = concatenatedGradients.at(0, group);
      memcpy(&bandGRUGradients[(n * groups + group) * wide], gradients, wide * sizeof(float));
      memcpy(thirdGradients.at(n, group), gradients, wide * sizeof(float));
      const long place = (n * groups + group) * narrow;
      memcpy(&toBandsGradients[place], gradients + wide, narrow * sizeof(float));
      tanhGradient(&toBandsOut[place], &toBandsGradients[place], narrow);
    }
  }

  /// The backward pass of `coarser`: adds to the gradients of the finer side.
  void fromCoarser(StridedConvolution &taps, Rows &fine, Rows &fineGradients, Rows &coarse, Rows &coarseGradients,
                   long n) {
    tanhGradient(coarse.at(n), coarseGradients.at(n), coarse.count());
    taps.accumulateGradient(fine, n, coarseGradients, n);
    taps.accumulateBiasGradient(coarseGradients, n);
    taps.toFiner(coarseGradients, fineGradients, n);
  }
};

/// Reads the values of a frame of an example after the features.
void readTargets(const uint16_t *halves, float *values) {
  int i = 0;
  for (; i + 8 <= loss::values; i += 8)
    _mm256_storeu_ps(values + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(halves + i))));
  for (; i < loss::values; i++) values[i] = _cvtsh_ss(halves[i]);
}

}  // namespace

extern "C" {

/// Returns the number of weights.
int weight_count() { return at.end; }

/// Computes the loss of examples of calls, each frames x values as halves. Sets `parts` to the losses of the three gains
/// and of the auxiliary voice output. Adds to the gradients of the weights, unless `gradients` is null.
void step(const float *weights, float *gradients, const uint16_t *const *examples, int calls, int frames,
          const int *left, const float *share, float lost, float voice, const float *gainWeights, double *parts) {
  arena.used = 0;
  constexpr int pitch = featureCount + loss::values;
  Network network{weights, gradients, calls, frames};
  for (int call = 0; call < calls; call++) network.setFeatures(call, examples[call], pitch);
  network.forward();
  for (int part = 0; part <= loss::gainCount; part++) parts[part] = 0;
  float frame[loss::values];
  for (long n = 0; n < network.positions; n++) {
    readTargets(examples[n % calls] + n / calls * pitch + featureCount, frame);
    loss::ofGains(&network.gains[n * bands * 8], frame, {left, share}, {lost, voice, gainWeights},
                  1.0f / (network.positions * loss::bins), parts);
    float *logit = &network.voices[n * 8];
    parts[loss::gainCount] += loss::ofVoice(*logit, frame[loss::values - 1], voice / network.positions);
    for (int i = 1; i < 8; i++) logit[i] = 0;
  }
  if (gradients) network.backward();
}
}

// The loss of a frame: see `loss` in train_network.py.
#pragma once

#include <cmath>

namespace loss {

constexpr int bands = 80, bins = 161, kinds = 3;
/// Of a frame: the magnitudes of the error and of the aims, the aims' magnitudes times the cosine of the phase
/// between aim and error, and whether there is a voice.
constexpr int values = (1 + 2 * kinds) * bins + 1;
constexpr float compression = 0.3f;

/// The weights of lost speech, of the decision on voice, and of the three gains.
struct Weights {
  float lost, voice;
  const float *kinds;
};

/// A bin lies between the bands `left` and `left + 1`; `share` is the share of the latter.
struct Interpolation {
  const int *left;
  const float *share;
};

/// Replaces the logits of the gains (bands x 8, of which three are gains) by their slopes times `scale`, and adds the
/// loss of each gain times `scale` to `parts`.
inline void ofGains(float *logits, const float *frame, Interpolation interpolation, Weights weights, float scale,
                    double *parts) {
  const auto [left, share] = interpolation;
  float gains[kinds][bands], ofBins[kinds][bins], pressed[kinds][bins], made[kinds][bins], slopes[kinds][bins];
  for (int k = 0; k < kinds; k++) {
    for (int b = 0; b < bands; b++) gains[k][b] = 1 / (1 + expf(-(logits[b * 8 + k] + 2)));
    for (int i = 0; i < bins; i++) ofBins[k][i] = (1 - share[i]) * gains[k][left[i]] + share[i] * gains[k][left[i] + 1];
    for (int i = 0; i < bins; i++) pressed[k][i] = powf(fmaxf(ofBins[k][i], 1e-5f), compression);
    const float *before = k ? made[k - 1] : frame;
    const float *aims = frame + (1 + k) * bins, *products = frame + (1 + kinds + k) * bins;
    float sum = 0;
    for (int i = 0; i < bins; i++) {
      const float found = before[i] * pressed[k][i], difference = found - aims[i];
      const float weight = difference < 0 ? weights.lost : 1;
      // The squared distance of two complex numbers, by the law of cosines.
      const float distance = found * found + aims[i] * aims[i] - 2 * found * products[i];
      sum += weight * difference * difference + 0.3f * distance;
      made[k][i] = found;
      slopes[k][i] = (2 * weight * difference + 0.6f * (found - products[i])) * scale * weights.kinds[k];
    }
    parts[k] += sum * scale * weights.kinds[k];
  }
  for (int k = kinds - 1; k >= 0; k--) {
    const float *before = k ? made[k - 1] : frame;
    float ofBands[bands] = {};
    for (int i = 0; i < bins; i++) {
      const float slope = slopes[k][i] * before[i];
      if (k) slopes[k - 1][i] += slopes[k][i] * pressed[k][i];
      slopes[k][i] = ofBins[k][i] > 1e-5f ? slope * compression * pressed[k][i] / ofBins[k][i] : 0;
    }
    for (int i = 0; i < bins; i++) {
      ofBands[left[i]] += (1 - share[i]) * slopes[k][i];
      ofBands[left[i] + 1] += share[i] * slopes[k][i];
    }
    for (int b = 0; b < bands; b++) logits[b * 8 + k] = ofBands[b] * gains[k][b] * (1 - gains[k][b]);
  }
  for (int b = 0; b < bands; b++)
    for (int k = kinds; k < 8; k++) logits[b * 8 + k] = 0;
}

/// Replaces the logit of a voice by its slope times `scale`, and returns the loss times `scale`.
inline float ofVoice(float &logit, float answer, float scale) {
  const float value = fmaxf(logit, 0) - logit * answer + log1pf(expf(-fabsf(logit)));
  logit = scale * (1 / (1 + expf(-logit)) - answer);
  return scale * value;
}

}  // namespace loss

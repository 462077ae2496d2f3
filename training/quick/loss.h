// The loss of a frame: see `loss` in train_network.py.
#pragma once

#include <cmath>

namespace loss {

constexpr int bands = 80, bins = 161, gainCount = 3;
/// Of a frame: the magnitudes of the error and of the targets, the targets' magnitudes times the cosine of the phase
/// between aim and error, and whether there is a voice.
constexpr int values = (1 + 2 * gainCount) * bins + 1;
constexpr float compression = 0.3f;

/// The weights of lost speech, of the auxiliary voice output, and of the three gains.
struct Weights {
  float lost, voice;
  const float *gains;
};

/// A bin lies between the bands `left` and `left + 1`; `share` is the share of the latter.
struct Interpolation {
  const int *left;
  const float *share;
};

/// Replaces the logits of the gains (bands x 8, of which three are gains) by their gradients times `scale`, and adds the
/// loss of each gain times `scale` to `parts`.
inline void ofGains(float *logits, const float *frame, Interpolation interpolation, Weights weights, float scale,
                    double *parts) {
  const auto [left, share] = interpolation;
  float gains[gainCount][bands], ofBins[gainCount][bins], compressed[gainCount][bins], masked[gainCount][bins];
  float gradients[gainCount][bins];
  for (int k = 0; k < gainCount; k++) {
    for (int b = 0; b < bands; b++) gains[k][b] = 1 / (1 + expf(-(logits[b * 8 + k] + 2)));
    for (int i = 0; i < bins; i++) ofBins[k][i] = (1 - share[i]) * gains[k][left[i]] + share[i] * gains[k][left[i] + 1];
    for (int i = 0; i < bins; i++) compressed[k][i] = powf(fmaxf(ofBins[k][i], 1e-5f), compression);
    const float *input = k ? masked[k - 1] : frame;
    const float *targets = frame + (1 + k) * bins, *products = frame + (1 + gainCount + k) * bins;
    float sum = 0;
    for (int i = 0; i < bins; i++) {
      const float found = input[i] * compressed[k][i], difference = found - targets[i];
      const float weight = difference < 0 ? weights.lost : 1;
      // The squared distance of two complex numbers, by the law of cosines.
      const float distance = found * found + targets[i] * targets[i] - 2 * found * products[i];
      sum += weight * difference * difference + 0.3f * distance;
      masked[k][i] = found;
      gradients[k][i] = (2 * weight * difference + 0.6f * (found - products[i])) * scale * weights.gains[k];
    }
    parts[k] += sum * scale * weights.gains[k];
  }
  for (int k = gainCount - 1; k >= 0; k--) {
    const float *input = k ? masked[k - 1] : frame;
    float ofBands[bands] = {};
    for (int i = 0; i < bins; i++) {
      const float gradient = gradients[k][i] * input[i];
      if (k) gradients[k - 1][i] += gradients[k][i] * compressed[k][i];
      gradients[k][i] = ofBins[k][i] > 1e-5f ? gradient * compression * compressed[k][i] / ofBins[k][i] : 0;
    }
    for (int i = 0; i < bins; i++) {
      ofBands[left[i]] += (1 - share[i]) * gradients[k][i];
      ofBands[left[i] + 1] += share[i] * gradients[k][i];
    }
    for (int b = 0; b < bands; b++) logits[b * 8 + k] = ofBands[b] * gains[k][b] * (1 - gains[k][b]);
  }
  for (int b = 0; b < bands; b++)
    for (int k = gainCount; k < 8; k++) logits[b * 8 + k] = 0;
}

/// Replaces the logit of a voice by its gradient times `scale`, and returns the loss times `scale`.
inline float ofVoice(float &logit, float answer, float scale) {
  const float value = fmaxf(logit, 0) - logit * answer + log1pf(expf(-fabsf(logit)));
  logit = scale * (1 / (1 + expf(-logit)) - answer);
  return scale * value;
}

}  // namespace loss

// The engine, the formats and the settings of a session, in words.
import { milliseconds, words } from "./elements.js";

const encodings = {
  AUDIO_ENCODING_PCM_S16LE: "16-bit PCM", AUDIO_ENCODING_PCM_F32LE: "32-bit float PCM",
  AUDIO_ENCODING_OPUS: "Opus",
};
const inputs = [["microphone", "Microphone"], ["reference", "Reference"], ["farEnd", "Far end"],
  ["otherAudio", "Other audio"]];
const outputs = [["processed", "Processed voice"], ["playback", "Playback"],
  ["recognizer", "For a recognizer"], ["raw", "Raw microphone"]];

/** Returns names and values of a session as the server describes it. */
export function factsOf(session) {
  const { engine, config = {} } = session;
  const processing = config.voiceProcessing ?? {};
  const facts = [
    ["Client's host", session.clientHost?.replace(/^ipv[46]:/, "")],
    ["Engine", engine && `${engine.name} ${engine.version}`],
    ["Pacing", words(session.pacing, "PACING_")],
    ...inputs.map(([key, name]) => [name, format(session.inputs?.[key])]),
    ["Named far ends", session.inputs?.farEnds?.map(({ farEndId }) => farEndId).join(", ")],
    ...outputs.map(([key, name]) => [name, format(session.outputs?.[key])]),
    ["Chunks of output", session.outputs && milliseconds(session.outputs.chunkDuration)],
    ["Echo cancellation", stage(processing, processing.echoCancellation, "suppression")],
    ["Noise suppression", stage(processing, processing.noiseSuppression, "level")],
    ["Gain control", gain(processing)],
    ["High-pass filter", processing.highPassFilter && !processing.bypassed ? "on" : "off"],
    ["Turns", config.turnDetection?.enabled ? "detected" : ""],
    ["Spatial audio", config.spatialAudio?.enabled ? "on" : ""],
    ["Voice that is kept", words(session.voiceEnrollment, "VOICE_ENROLLMENT_").replace("none", "")],
    ["Playback by", session.playbackClient],
  ];
  return facts.filter(([, value]) => value);
}

/** Returns a format in words: "16 kHz, mono, 16-bit PCM". */
function format(format) {
  if (!format) return "";
  const channels = { 1: "mono", 2: "stereo" }[format.channelCount] ?? `${format.channelCount} channels`;
  return [`${format.sampleRateHz / 1000} kHz`, channels,
    encodings[format.encoding] ?? words(format.encoding, "AUDIO_ENCODING_")].join(", ");
}

function stage(processing, stage, strength) {
  if (processing.bypassed) return "bypassed";
  return stage?.enabled ? words(stage[strength], "LEVEL_") || "on" : "off";
}

function gain(processing) {
  if (processing.bypassed) return "bypassed";
  const { gainControl } = processing;
  return gainControl?.enabled ? `to −${gainControl.targetLevelDbfs ?? 0} dBFS` : "off";
}

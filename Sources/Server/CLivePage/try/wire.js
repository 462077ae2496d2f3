// The binary messages of GET /v1/process, as docs/reference/websocket.md describes them.

const [microphone, reference] = [1, 2];
const [processed, frames] = [16, 18];
const [firstSampleFlag, deviceTimeFlag] = [1, 2];
const headerSize = 8;

/** Returns a message with samples of 16 bits of the microphone and the reference, of the same time. */
export function encode(first, microphoneSamples, referenceSamples) {
  const parts = [[microphone, microphoneSamples], [reference, referenceSamples]];
  const size = (samples) => aligned(headerSize + 8 + samples.byteLength);
  const message = new Uint8Array(parts.reduce((sum, [, samples]) => sum + size(samples), 0));
  const view = new DataView(message.buffer);
  let position = 0;
  for (const [stream, samples] of parts) {
    view.setUint8(position, stream);
    view.setUint8(position + 1, firstSampleFlag);
    view.setUint32(position + 4, samples.byteLength, true);
    view.setBigInt64(position + headerSize, BigInt(first), true);
    message.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), position + headerSize + 8);
    position += size(samples);
  }
  return message;
}

/**
 * Returns the processed samples of a message with the index of the first one, and the probability of speech of each
 * 10 ms. What the message does not have is undefined.
 */
export function decode(message) {
  const view = new DataView(message);
  const found = { probabilities: [] };
  let position = 0;
  while (position + headerSize <= message.byteLength) {
    const [stream, flags] = [view.getUint8(position), view.getUint8(position + 1)];
    const size = view.getUint32(position + 4, true);
    position += headerSize;
    const first = flags & firstSampleFlag ? Number(view.getBigInt64(position, true)) : undefined;
    position += 8 * Boolean(flags & firstSampleFlag) + 8 * Boolean(flags & deviceTimeFlag);
    if (stream === processed) {
      found.first = first;
      found.samples = new Int16Array(message, position, size / 2);
    } else if (stream === frames) {
      for (let frame = 0; frame < size; frame += 8) found.probabilities.push(view.getFloat32(position + frame, true));
    }
    position = aligned(position + size);
  }
  return found;
}

function aligned(count) {
  return Math.ceil(count / 8) * 8;
}

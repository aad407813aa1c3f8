// Records speech and returns it as a WAV file of 16,000 samples a second, which is all that recognisers use.

const RATE = 16000;
const HEADER_BYTES = 44;

/** Whether this browser can record: it must have a microphone, and the page a secure address. */
export const canRecord = () => navigator.mediaDevices !== undefined && typeof MediaRecorder === "function";

/** @param {MediaStream} stream */
function turnOff(stream) {
  for (const track of stream.getTracks()) track.stop();
}

export class Recorder {
  /** @param {MediaStream} stream */
  constructor(stream) {
    this.stream = stream;
    this.recorder = new MediaRecorder(stream);
    /** @type {Blob[]} */
    this.chunks = [];
    this.recorder.addEventListener("dataavailable", ({ data }) => this.chunks.push(data));
    this.stopped = new Promise((resolve) => this.recorder.addEventListener("stop", resolve, { once: true }));
    this.recorder.start();
  }

  /** Ask for the microphone, then record. */
  static async open() {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    try {
      return new Recorder(stream);
    } catch (error) {
      turnOff(stream); // The browser cannot record what it opened.
      throw error;
    }
  }

  /** Stop, unless the browser stopped it before, and return the recording. @returns {Promise<Blob>} */
  async finish() {
    try {
      if (this.recorder.state !== "inactive") this.recorder.stop();
      await this.stopped;
    } finally {
      this.discard();
    }
    const bytes = await new Blob(this.chunks).arrayBuffer();
    const sound = await new OfflineAudioContext(1, 1, RATE).decodeAudioData(bytes);
    return encodeWave(mixDown(sound));
  }

  /** Let the microphone go. */
  discard() {
    turnOff(this.stream);
  }
}

/** @param {AudioBuffer} sound @returns {Float32Array} the mean of its channels */
function mixDown(sound) {
  const mixed = new Float32Array(sound.length);
  for (let channel = 0; channel < sound.numberOfChannels; channel += 1) {
    const samples = sound.getChannelData(channel);
    for (let place = 0; place < samples.length; place += 1) mixed[place] += samples[place] / sound.numberOfChannels;
  }
  return mixed;
}

/** @param {Float32Array} samples @returns {Blob} 16 bits, one channel */
function encodeWave(samples) {
  const view = new DataView(new ArrayBuffer(HEADER_BYTES + samples.length * 2));
  const write = (/** @type {number} */ place, /** @type {string} */ letters) =>
    [...letters].forEach((letter, index) => view.setUint8(place + index, letter.charCodeAt(0)));
  write(0, "RIFF");
  view.setUint32(4, view.byteLength - 8, true);
  write(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, RATE, true);
  view.setUint32(28, RATE * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  write(36, "data");
  view.setUint32(40, samples.length * 2, true);
  samples.forEach((sample, index) => {
    const level = Math.max(-1, Math.min(1, sample));
    view.setInt16(HEADER_BYTES + index * 2, Math.round(level * 0x7fff), true);
  });
  return new Blob([view], { type: "audio/wav" });
}

const TONES_HZ = [660, 880];
const TONE_S = 0.14;
const LOUDNESS = 0.08;

let context: AudioContext | undefined;

/** Two short tones, made here: no file is fetched. Silent until the person has clicked on the page once, as browsers want it. */
export function ring(): void {
  if (!("AudioContext" in globalThis)) return;
  context ??= new AudioContext();
  const audio = context;
  audio
    .resume()
    .then(() =>
      TONES_HZ.forEach((hz, index) => play(audio, hz, audio.currentTime + index * TONE_S)),
    )
    .catch(() => undefined);
}

function play(audio: AudioContext, hz: number, at: number): void {
  const tone = new OscillatorNode(audio, { type: "sine", frequency: hz });
  const gain = new GainNode(audio, { gain: 0 });
  gain.gain.setValueAtTime(LOUDNESS, at);
  gain.gain.linearRampToValueAtTime(0, at + TONE_S);
  tone.connect(gain).connect(audio.destination);
  tone.start(at);
  tone.stop(at + TONE_S);
}

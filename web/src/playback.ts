export const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10, 60] as const;

/** Where the motion is, and how it goes on: the only thing that knows the time. */
export class Playback {
  time: number;
  playing = false;
  speed = 1;
  loop = true;
  private readonly listeners: (() => void)[] = [];

  constructor(
    public start: number,
    public end: number,
  ) {
    this.time = start;
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }
  private changed(): void {
    for (const listener of this.listeners) listener();
  }

  /** A frame of the screen later by so many seconds. */
  advance(seconds: number): void {
    if (!this.playing) return;
    this.time += seconds * this.speed;
    if (this.time >= this.end) {
      const length = this.end - this.start;
      if (this.loop && length > 0) this.time = this.start + ((this.time - this.start) % length);
      else (this.time = this.end), (this.playing = false);
    }
    this.changed();
  }

  toggle(): void {
    this.playing = !this.playing;
    if (this.playing && this.time >= this.end) this.time = this.start;
    this.changed();
  }
  seek(time: number): void {
    this.time = Math.min(this.end, Math.max(this.start, time));
    this.changed();
  }
  /** To the frame after this one, or before it; stops. */
  step(frames: Float64Array, by: number): void {
    this.playing = false;
    let i = 0;
    if (by > 0) {
      i = frames.findIndex((t) => t > this.time + 1e-12);
      if (i < 0) i = frames.length - 1;
    } else {
      while (i + 1 < frames.length && frames[i + 1]! < this.time - 1e-12) ++i;
    }
    this.seek(frames[i] ?? this.time);
  }
  faster(by: number): void {
    const at = SPEEDS.indexOf(this.speed as (typeof SPEEDS)[number]);
    this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + by))]!;
    this.changed();
  }
  setSpeed(speed: number): void {
    this.speed = speed;
    this.changed();
  }
  setLoop(loop: boolean): void {
    this.loop = loop;
    this.changed();
  }
}

const TICK_MS = 5;

export interface TimeToEnd<T> {
  result: T;
  /** Milliseconds between the deadline and the result. */
  overdueMs: number;
  /** How late timers of this process came in the meantime, for each of the three that an end takes. */
  lagMs: number;
}

/** Makes a call with a deadline and tells how long after it the result came, and how late the machine was meanwhile. */
export async function timeToEnd<T>(call: () => Promise<T>, timeoutMs: number): Promise<TimeToEnd<T>> {
  let lagMs = 0;
  let due = performance.now() + TICK_MS;
  const ticker = setInterval(() => {
    const now = performance.now();
    lagMs = Math.max(lagMs, now - due);
    due = now + TICK_MS;
  }, TICK_MS);
  const deadline = performance.now() + timeoutMs;
  try {
    const result = await call();
    return { result, overdueMs: performance.now() - deadline, lagMs: 3 * lagMs };
  } finally {
    clearInterval(ticker);
  }
}

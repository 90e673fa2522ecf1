import { elapsedMs, sleepMs } from '../core/clock.ts'

const CHECK_MS = 20
const PROBE_PATH = /^(https?:\/\/[^/]+)?\/(healthz|readyz|metrics)(\?|$)/

/** How long no request may have come, and how long that is waited for. */
export interface Patience {
  readonly quietMs: number
  readonly waitMsMax: number
}

/** What stands at the door while the process is leaving: whoever still comes is served and sent elsewhere. */
export interface Farewell {
  /** A request has come. */
  note(request: Request): void
  /** Says of an answer that it is the last one of its connection, once the process is leaving. */
  seal(response: Response): Response
  /** From now on it is leaving. */
  begin(): void
  /** Resolves when no request but probes came for so long, or the wait is over. */
  untilQuiet(patience: Patience): Promise<void>
}

export function openFarewell(): Farewell {
  let isLeaving = false
  let lastCameMs = 0
  return {
    note(request) {
      if (isLeaving && !PROBE_PATH.test(request.url)) lastCameMs = elapsedMs()
    },
    seal(response) {
      if (isLeaving) response.headers.set('connection', 'close')
      return response
    },
    begin() {
      isLeaving = true
      lastCameMs = elapsedMs()
    },
    async untilQuiet({ quietMs, waitMsMax }) {
      const untilMs = elapsedMs() + waitMsMax
      while (elapsedMs() < untilMs && elapsedMs() - lastCameMs < quietMs) await sleepMs(CHECK_MS)
    },
  }
}

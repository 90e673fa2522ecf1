import type { App } from '../http/app.ts'
import { elapsedMs, sleepMs } from '../kernel/clock.ts'

const CHECK_MS = 20
const PROBE_PATH = /^https?:\/\/[^/]+\/(healthz|readyz|metrics)(\?|$)/

/** How long no request may have come, and how long that is waited for. */
export interface Patience {
  readonly quietMs: number
  readonly waitMsMax: number
}

/** What stands at the door while the process is leaving: it serves whoever still comes and sends them elsewhere. */
export interface Farewell extends Pick<App, 'fetch'> {
  /** From now on each answer is the last one of its connection. */
  begin(): void
  /** Resolves when no request but probes came for so long, or the wait is over. */
  untilQuiet(patience: Patience): Promise<void>
}

export function openFarewell(app: Pick<App, 'fetch'>): Farewell {
  let isLeaving = false
  let lastCameMs = 0
  const markLast = (response: Response): Response => {
    if (isLeaving) response.headers.set('connection', 'close')
    return response
  }
  return {
    fetch(request, listener) {
      if (isLeaving && !PROBE_PATH.test(request.url)) lastCameMs = elapsedMs()
      return app.fetch(request, listener).then(markLast)
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

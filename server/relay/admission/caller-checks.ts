import { everyMs } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import type { ClientConnection } from '../request/client-connection.ts'
import { type AuthDeps, authenticate } from './authenticate.ts'

const CHECK_MS = 1_000
/** Their keys are found by one query. */
const CHECKED_AT_ONCE = 500

/** Ends the checks of a caller. */
export type StopChecks = () => void

/**
 * Looks at the callers of open sockets once a second, whether or not anything is sent, so that a ban, or a key that is
 * disabled, deleted or expired, ends what was opened with it in every process.
 */
export class CallerChecks {
  private readonly deps: AuthDeps
  private readonly checks = new Set<() => Promise<void>>()
  private stopTimer: StopChecks | undefined

  constructor(deps: AuthDeps) {
    this.deps = deps
  }

  /** Calls `onRejected` whenever the caller may not go on, until its checks end. A storage that fails rejects nobody. */
  start(
    request: Request,
    connection: ClientConnection,
    onRejected: (error: GatewayError) => void,
  ): StopChecks {
    const check = () =>
      authenticate(request, connection, 'token', this.deps).then(
        () => undefined,
        (error: unknown) => {
          if (error instanceof GatewayError && error.code !== 'storage_failed' && this.checks.has(check))
            onRejected(error)
        },
      )
    this.checks.add(check)
    this.stopTimer ??= everyMs(CHECK_MS, () => this.checkAll())
    return () => {
      this.checks.delete(check)
      if (this.checks.size > 0) return
      this.stopTimer?.()
      this.stopTimer = undefined
    }
  }

  private async checkAll(): Promise<void> {
    const checks = [...this.checks]
    for (let at = 0; at < checks.length; at += CHECKED_AT_ONCE)
      await Promise.all(checks.slice(at, at + CHECKED_AT_ONCE).map(check => check()))
  }
}

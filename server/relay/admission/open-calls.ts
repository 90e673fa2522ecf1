import { everyMs } from '../../core/clock.ts'
import { type Logger, throttledLog } from '../../core/logger.ts'
import { findUsableSessions } from '../../db/accounts/sessions.ts'
import { findCallersById } from '../../db/accounts/tokens.ts'
import type { LiveCall } from '../request/client-presence.ts'
import { ACCESS_ENDED, type AuthDeps, findEnd } from './authenticate.ts'

const CHECK_MS = 1_000

interface OpenCallDeps extends Pick<AuthDeps, 'db' | 'settings'> {
  readonly log: Logger
}

/**
 * What is open in this process. The tokens and sessions of all of it are looked up once a second, so that a ban, or a
 * credential that is disabled, deleted or expired, ends it whichever process was told, whether or not anything is sent. What
 * is stored decides, so that no message can be missed. Whether the caller can pay is the ledger's matter.
 */
export class OpenCalls extends Set<LiveCall> {
  private readonly deps: OpenCallDeps
  private readonly logFailure: ReturnType<typeof throttledLog>

  constructor(deps: OpenCallDeps) {
    super()
    this.deps = deps
    this.logFailure = throttledLog(deps.log, 'the callers of open responses could not be looked up')
  }

  /** Begins to look. Returns the function that ends it. A storage that fails revokes nothing. */
  checkEachSecond(): () => Promise<void> {
    return everyMs(CHECK_MS, () => this.check().catch((error: unknown) => this.logFailure({ error })))
  }

  /** Revokes those whose callers may not go on. */
  async check(): Promise<void> {
    if (this.size === 0) return
    const { db } = this.deps
    const calls = [...this]
    const ids = calls.flatMap(({ caller }) => caller.token?.id ?? [])
    const hashes = calls.flatMap(({ caller }) => (caller.token ? [] : (caller.sessionHash ?? [])))
    const rows = await findCallersById(db, [...new Set(ids)])
    const sessions = await findUsableSessions(db, [...new Set(hashes)])
    for (const call of calls) {
      const { token, sessionHash = '' } = call.caller
      const ofSession = sessions.has(sessionHash) ? undefined : ACCESS_ENDED
      const reason = token ? findEnd(rows.get(token.id), call.connection, this.deps) : ofSession
      if (reason) call.revoke(reason)
    }
  }
}

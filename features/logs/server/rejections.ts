import { LOG_TYPE } from '#contract/enums.ts'
import { elapsedMs, nowSeconds } from '#server/core/clock.ts'
import { clipTexts, textsOf, toStoredText } from '#server/core/language.ts'
import { type Logger, throttledLog } from '#server/core/logger.ts'
import { inRawTransaction, type OpenDatabase } from '#server/db/engine/database.ts'
import { insertRequestLogs } from '#server/db/logs/log-writes.ts'
import { addToUsageHours } from '#server/db/usage/usage-hours.ts'
import { LedgerBatch } from '#server/ledger/ledger-batch.ts'
import type { FailedCall, RejectedCall } from '#server/relay/hooks.ts'
import { toClientError } from '#server/relay/routing/attempts.ts'

/** Rows of one token and error in a minute; what follows is counted in one more row. */
const ROWS_PER_MINUTE = 10
/** Tokens and errors in one minute. */
const SAMPLES_MAX = 1000
const ERROR_BYTES_MAX = 1000
const MINUTE_SECONDS = 60

type SampledRejection = FailedCall & { readonly rejected: RejectedCall }
type LoggedRejection = Parameters<LedgerBatch['log']>

interface Sample {
  rows: number
  /** Requests without a row. */
  more: number
  last: SampledRejection
}

/**
 * The log rows of rejected requests. Nothing is held or charged for them, so anyone can send them in any number: each token
 * has a few rows for each error in a minute, the last of which says how many it stands for. Rows are written in the background.
 */
export class RejectionLog {
  private readonly database: Pick<OpenDatabase, 'db' | 'engine'>
  private readonly reportFailure: ReturnType<typeof throttledLog>
  private readonly samples = new Map<string, Sample>()
  private minute = 0
  private pending: LoggedRejection[] = []

  constructor(database: Pick<OpenDatabase, 'db' | 'engine'>, log: Logger) {
    this.database = database
    this.reportFailure = throttledLog(log, 'rejected requests could not be logged')
  }

  add(call: FailedCall): void {
    const { rejected } = call
    if (!rejected) return
    this.closeMinute()
    const { userId, token } = rejected.owner
    const key = `${userId} ${token?.id ?? ''} ${toClientError(call.error).code}`
    const sample = this.samples.get(key) ?? { rows: 0, more: 0, last: { ...call, rejected } }
    sample.last = { ...call, rejected }
    if (this.samples.size < SAMPLES_MAX) this.samples.set(key, sample)
    if (sample.rows >= ROWS_PER_MINUTE) sample.more += 1
    else if (this.samples.has(key)) {
      sample.rows += 1
      this.pending.push(toLogged(sample.last, 1))
    }
  }

  /** Never rejects: rows that cannot be written are dropped. */
  async write(): Promise<void> {
    this.closeMinute()
    const batch = new LedgerBatch(nowSeconds())
    for (const logged of this.pending) batch.log(...logged)
    this.pending = []
    if (batch.logs.length === 0) return
    try {
      await inRawTransaction(this.database, async connection => {
        await insertRequestLogs(connection, this.database.engine, batch.logs)
        await addToUsageHours(connection, batch.hourRows())
      })
    } catch (error) {
      this.reportFailure({ error })
    }
  }

  /** Writes what is left of the minute. */
  async stop(): Promise<void> {
    this.minute = 0
    await this.write()
  }

  private closeMinute(): void {
    const minute = Math.floor(nowSeconds() / MINUTE_SECONDS)
    if (minute === this.minute) return
    this.minute = minute
    for (const { more, last } of this.samples.values()) if (more > 0) this.pending.push(toLogged(last, more))
    this.samples.clear()
  }
}

function toLogged(
  { requestId, startedMs, error, request, rejected }: SampledRejection,
  count: number,
): LoggedRejection {
  const { status, code, ...texts } = toClientError(error)
  const { userId, username, group, token } = rejected.owner
  const model = request?.model ?? ''
  const hold = {
    request_id: requestId,
    user_id: userId,
    token_id: token?.id ?? null,
    is_token_limited: 0,
    amount: 0,
    budgets: null,
    paid_by: null,
  } as const
  const entry = {
    username,
    tokenName: token?.name ?? `playground-${group}`,
    modelName: model,
    channelId: 0,
    group,
    promptTokens: 0,
    completionTokens: 0,
    useTimeSeconds: 0,
    isStream: false,
    content: toStoredText(clipTexts(textsOf(texts), ERROR_BYTES_MAX)),
  }
  const receipt = {
    ending: 'rejected',
    provenance: 'free',
    status,
    code,
    use_ms: Math.round(elapsedMs() - startedMs),
    model: { requested: model },
    dialect: rejected.dialect,
    ...(count > 1 && { count }),
  }
  return [
    hold,
    { type: LOG_TYPE.rejection, amount: 0, entry, receipt, error: `${status} ${code}`, isRowLogged: true },
  ]
}

import { everyMs, nowSeconds } from '../core/clock.ts'
import { errorMessage } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { Secrets } from '../core/crypto.ts'
import { updateWarnedAt, listUsersToWarn, type BalanceWarningRow } from '../db/billing/balances.ts'
import type { Database } from '../db/engine/database.ts'
import type { Notice } from '../integrations/notice.ts'
import { noticeWishOf } from '../integrations/notice-target.ts'
import type { SendNotice } from '../integrations/send-notice.ts'

const LOOK_EVERY_MS = 2000
const WARN_EVERY_SECONDS = 2 * 3600
/** A warning that did not arrive is tried again after this. */
const RETRY_SECONDS = 10 * 60
const USERS_AT_ONCE = 200
const WAITING_MAX = 100_000

interface Warning {
  readonly db: Database
  readonly secrets: Secrets
  readonly log: Logger
  readonly sendNotice: SendNotice
  /** What the options say at this moment. */
  readonly options: () => {
    /** Units below which a balance is low, for users that chose no other figure. */
    readonly threshold: number
    /** Where people top up; empty when this installation does not know its own address. */
    readonly topUpUrl: string
    /** An amount for people. */
    readonly amountText: (units: number) => string
  }
}

export interface BalanceWatch {
  /** Says that these users were charged. Costs a request nothing: they are looked at a moment later. */
  note(userIds: readonly number[]): void
  /** Looks at once at those that were noted. */
  look(): Promise<void>
  stop(): Promise<void>
}

/**
 * Warns users whose balance a charge has brought below their threshold, once in two hours. The time of the last
 * warning is moved on before it is sent, by one of all processes only.
 */
export function startBalanceWatch(parts: Warning): BalanceWatch {
  const charged = new Set<number>()
  const look = async (): Promise<void> => {
    while (charged.size > 0) {
      const userIds = [...charged].slice(0, USERS_AT_ONCE)
      for (const id of userIds) charged.delete(id)
      const rows = await listUsersToWarn(parts.db, userIds, nowSeconds() - WARN_EVERY_SECONDS)
      await Promise.all(rows.map(row => warnIfLow(row, parts)))
    }
  }
  const lookSafely = () =>
    look().catch(error => parts.log.error('low balances could not be looked for', { error }))
  const stop = everyMs(LOOK_EVERY_MS, lookSafely)
  return {
    note(userIds) {
      for (const id of userIds) if (charged.size < WAITING_MAX) charged.add(id)
    },
    look,
    async stop() {
      await stop()
      await lookSafely()
    },
  }
}

async function warnIfLow(
  row: BalanceWarningRow,
  { db, secrets, log, sendNotice, options }: Warning,
): Promise<void> {
  try {
    const { target, threshold = options().threshold } = noticeWishOf(row, secrets)
    if (!target || row.balance >= threshold) return
    const now = nowSeconds()
    if (!(await updateWarnedAt(db, row.id, { from: row.warned_at, to: now }))) return
    try {
      await sendNotice(lowBalance(row.balance, options()), target)
    } catch (error) {
      await updateWarnedAt(db, row.id, { from: now, to: now - WARN_EVERY_SECONDS + RETRY_SECONDS })
      throw error
    }
  } catch (error) {
    log.warn('a user could not be warned of a low balance', { user_id: row.id, reason: errorMessage(error) })
  }
}

function lowBalance(balance: number, { amountText, topUpUrl }: ReturnType<Warning['options']>): Notice {
  const amount = amountText(balance)
  return {
    type: 'quota_exceed',
    subject: { zh: '您的额度即将用尽', en: 'your balance is running low' },
    text: {
      zh: `您的额度即将用尽，当前剩余额度为 ${amount}。为了不影响您的使用，请及时充值。`,
      en: `Your balance is running low: ${amount} is left. Top up in time to go on without a break.`,
    },
    ...(topUpUrl && { link: { text: { zh: '充值', en: 'Top up' }, url: topUpUrl } }),
    values: [amount, topUpUrl],
  }
}

import { errorMessage } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { RateLimit, RateLimiter } from '../core/rate-limit.ts'
import type { BothLanguages } from '../core/api-error.ts'
import type { Secrets } from '../core/crypto.ts'
import type { Database } from '../db/engine/database.ts'
import { findUser, findUserByRole } from '../db/accounts/users.ts'
import type { Notice } from '../integrations/notice.ts'
import { noticeWishOf } from '../integrations/notice-target.ts'
import type { SendNotice } from '../integrations/send-notice.ts'

const ROOT_ROLE = 100
/** A channel that goes up and down must not fill a mailbox. */
const NOTICES: RateLimit = { name: 'notices to root', limit: 2, windowMs: 3_600_000 }
const STATUS = { enabled: 1, disabled: 3 } as const

interface RootNoticeParts {
  readonly db: Database
  readonly secrets: Secrets
  readonly log: Logger
  readonly sendNotice: SendNotice
  readonly rateLimiter: RateLimiter
}

interface NamedChannel {
  readonly id: number
  readonly name: string
}

/** Tells the super administrator what the gateway did by itself. Nobody waits for it. */
export interface RootNotices {
  channelDisabled(channel: NamedChannel, reason: string): void
  channelEnabled(channel: NamedChannel): void
  /** Waits for the notices under way. */
  close(): Promise<void>
}

export function openRootNotices(parts: RootNoticeParts): RootNotices {
  const underWay = new Set<Promise<void>>()
  const tellSoon = (notice: Notice): void => {
    const telling = tellRoot(notice, parts).finally(() => underWay.delete(telling))
    underWay.add(telling)
  }
  return {
    channelDisabled: ({ id, name }, reason) =>
      tellSoon({
        type: `channel_update_${id}_${STATUS.disabled}`,
        values: [name, String(id), reason],
        ...disabledTexts(`${name} (#${id})`, reason),
      }),
    channelEnabled: ({ id, name }) =>
      tellSoon({
        type: `channel_update_${id}_${STATUS.enabled}`,
        values: [name, String(id)],
        ...enabledTexts(`${name} (#${id})`),
      }),
    close: async () => void (await Promise.allSettled(underWay)),
  }
}

interface Texts {
  readonly subject: BothLanguages
  readonly text: BothLanguages
}

const disabledTexts = (channel: string, reason: string): Texts => ({
  subject: { zh: `通道 ${channel} 已被禁用`, en: `channel ${channel} was disabled` },
  text: {
    zh: `通道 ${channel} 已被自动禁用，原因：${reason}`,
    en: `Channel ${channel} was disabled automatically: ${reason}`,
  },
})

const enabledTexts = (channel: string): Texts => ({
  subject: { zh: `通道 ${channel} 已被启用`, en: `channel ${channel} was enabled` },
  text: {
    zh: `通道 ${channel} 通过测试，已被自动启用`,
    en: `Channel ${channel} passed its test and was enabled automatically`,
  },
})

async function tellRoot(
  notice: Notice,
  { db, secrets, log, sendNotice, rateLimiter }: RootNoticeParts,
): Promise<void> {
  try {
    const first = await findUserByRole(db, ROOT_ROLE)
    const root = first && (await findUser(db, first.id))
    const target = root && noticeWishOf(root, secrets).target
    if (!target || !(await rateLimiter.take(NOTICES, notice.type)).isAllowed) return
    await sendNotice(notice, target)
  } catch (error) {
    log.warn('the super administrator could not be told', { type: notice.type, reason: errorMessage(error) })
  }
}

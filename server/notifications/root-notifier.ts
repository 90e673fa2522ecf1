import { CHANNEL_STATUS, ROLE } from '#contract/enums.ts'
import { errorMessage } from '../core/errors.ts'
import type { BothLanguages } from '../core/language.ts'
import type { RateLimit, RateLimiter } from '../core/rate-limit.ts'
import { findUser, findUserByRole } from '../db/accounts/users.ts'
import { type NotifierDeps, notifierOfUser, type UserNotification } from './send-notification.ts'

/** A flapping channel must not fill a mailbox. */
const NOTIFICATION_LIMIT: RateLimit = { name: 'notices to root', limit: 2, windowMs: 3_600_000 }

type RootNotifierDeps = NotifierDeps & { readonly rateLimiter: RateLimiter }

export interface NamedChannel {
  readonly id: number
  readonly name: string
}

/** Notifies the super administrator of automatic actions, in the background. */
export interface RootNotifier {
  channelDisabled(channel: NamedChannel, reason: BothLanguages): void
  channelEnabled(channel: NamedChannel): void
  /** Of anything else, such as what a feature found. */
  notify(notification: UserNotification): void
  /** Waits for the notifications being sent. */
  close(): Promise<void>
}

export function createRootNotifier(deps: RootNotifierDeps): RootNotifier {
  const sending = new Set<Promise<void>>()
  const notify = (notification: UserNotification): void => {
    const delivery = notifyRoot(notification, deps).finally(() => sending.delete(delivery))
    sending.add(delivery)
  }
  return {
    notify,
    channelDisabled: ({ id, name }, reason) =>
      notify({
        type: `channel_update_${id}_${CHANNEL_STATUS.autoDisabled}`,
        values: [name, String(id), reason.en],
        ...disabledTexts(`${name} (#${id})`, reason),
      }),
    channelEnabled: ({ id, name }) =>
      notify({
        type: `channel_update_${id}_${CHANNEL_STATUS.enabled}`,
        values: [name, String(id)],
        ...enabledTexts(`${name} (#${id})`),
      }),
    close: async () => void (await Promise.allSettled(sending)),
  }
}

type NotificationTexts = Pick<UserNotification, 'subject' | 'text'>

const disabledTexts = (channel: string, reason: BothLanguages): NotificationTexts => ({
  subject: { zh: `渠道 ${channel} 已被禁用`, en: `Channel ${channel} was disabled` },
  text: {
    zh: `渠道 ${channel} 已被自动禁用，原因：${reason.zh}`,
    en: `Channel ${channel} was disabled automatically: ${reason.en}`,
  },
})

const enabledTexts = (channel: string): NotificationTexts => ({
  subject: { zh: `渠道 ${channel} 已被启用`, en: `Channel ${channel} was enabled` },
  text: {
    zh: `渠道 ${channel} 通过测试，已被自动启用`,
    en: `Channel ${channel} passed its test and was enabled automatically`,
  },
})

async function notifyRoot(
  notification: UserNotification,
  { rateLimiter, ...deps }: RootNotifierDeps,
): Promise<void> {
  try {
    const first = await findUserByRole(deps.db, ROLE.root)
    const root = first && (await findUser(deps.db, first.id))
    const notifyUser = root && (await notifierOfUser(root, deps))
    if (!notifyUser || !(await rateLimiter.take(NOTIFICATION_LIMIT, notification.type)).isAllowed) return
    await notifyUser(notification)
  } catch (error) {
    deps.log.warn('the super administrator could not be notified', {
      type: notification.type,
      reason: errorMessage(error),
    })
  }
}

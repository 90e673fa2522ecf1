import { errorMessage } from '#server/core/errors.ts'
import type { BothLanguages } from '#server/core/language.ts'
import {
  type FindNotifier,
  type NotificationTarget,
  readNotificationPreferences,
  type UserNotification,
} from '#server/notifications/send-notification.ts'
import { listRecipients } from './queries/members.ts'

/**
 * An organisation is notified in the way that its administrators have set, and so are the members whom its money concerns, each
 * in theirs. A failure matters when nobody was reached.
 */
export const notifierOfOrganization: FindNotifier = async (
  account,
  { db, secrets, log, sendNotification },
) => {
  if (account.kind !== 'organization') return undefined
  const targets = [account, ...(await listRecipients(db, account.id))].flatMap(
    recipient => readNotificationPreferences(recipient, secrets).target ?? [],
  )
  const distinct = [...new Map(targets.map(target => [addressOf(target), target])).values()]
  if (distinct.length === 0) return undefined
  return async notification => {
    const named = onBehalfOf(account, notification)
    const results = await Promise.allSettled(distinct.map(target => sendNotification(named, target)))
    const failures = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []))
    if (failures.length === distinct.length) throw failures[0]
    for (const failure of failures)
      log.warn('a member could not be notified', { user_id: account.id, reason: errorMessage(failure) })
  }
}

const addressOf = (target: NotificationTarget): string =>
  target.kind === 'mail' ? target.address.toLowerCase() : target.url

/** Members read which of their organisations is meant. */
function onBehalfOf(
  { display_name: name }: { readonly display_name: string },
  notification: UserNotification,
): UserNotification {
  const named = ({ zh, en }: BothLanguages): BothLanguages => ({
    zh: `组织“${name}”：${zh}`,
    en: `Organisation ${name}: ${en}`,
  })
  return { ...notification, subject: named(notification.subject), text: named(notification.text) }
}

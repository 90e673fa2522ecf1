import { z } from 'zod'
import { updateSelf } from '#contract/entities/user.ts'
import { checkCaptcha } from '#server/accounts/captcha.ts'
import { createAccount } from '#server/accounts/create-account.ts'
import { consumeEmailCode, type VerifiedCode, verifyEmailCode } from '#server/accounts/email-codes.ts'
import type { ApiContext } from '#server/api/context.ts'
import { handle, handleResult } from '#server/api/handle.ts'
import { hashPassword, type Secrets } from '#server/core/crypto.ts'
import { formatQuota, quota } from '#server/core/money.ts'
import { findInviter, findUser, lockUser, updateUser } from '#server/db/accounts/users.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import { defineFeature } from '#server/feature.ts'
import { transferInvitation } from '#server/ledger/adjust.ts'
import {
  readNotificationPreferences,
  readWebhookAddress,
  type UserNotification,
} from '#server/notifications/send-notification.ts'
import * as endpoints from '../contract.ts'
import { accountError } from './errors.ts'
import { updateOwnAccount } from './update-own.ts'

const TRANSFERRED = { zh: '划转成功', en: 'the earnings have been moved to your balance' }
const STORED = { zh: '设置已更新', en: 'the settings have been saved' }
const TEST_NOTICE: UserNotification = {
  type: 'test',
  subject: { zh: '测试通知', en: 'Test notification' },
  text: {
    zh: '这是一条测试通知，收到此通知说明通知设置正确。',
    en: 'This is a test notification. If you can read it, your notification settings work.',
  },
  values: [],
}

const routes = [
  handle(updateSelf, ({ body, ...context }) => updateOwnAccount(body, context)),

  handle(endpoints.register, async ({ body, query, ...context }) => {
    await registerAccount(body, query.turnstile, context)
  }),

  handle(
    endpoints.getInvitationCode,
    async ({ db, caller }) => (await findUser(db, caller.id))?.aff_code ?? '',
  ),

  handleResult(
    endpoints.transferInvitationQuota,
    async ({ db, body, caller, settings, requestId, language }) => {
      const { values } = settings.current()
      const least = values.QuotaPerUnit
      if (body.quota < least) throw accountError('too_little', { least: formatQuota(least, values) })
      const change = {
        userId: caller.id,
        amount: quota(body.quota),
        actorId: caller.id,
        reason: { zh: '邀请收益转入余额', en: 'Rewards moved to the balance' },
        requestId,
      }
      await inTransaction(db, tx => transferInvitation(tx, change))
      return { message: TRANSFERRED[language] }
    },
  ),

  handleResult(endpoints.updateSetting, async ({ db, body, caller, secrets, language }) => {
    await inTransaction(db, async tx => {
      const user = await lockUser(tx, caller.id)
      await updateUser(tx, caller.id, { setting: serializeSetting(body, user?.setting ?? '', secrets) })
    })
    return { message: STORED[language] }
  }),

  handle(endpoints.testSetting, async ({ db, caller, secrets, sendNotification }) => {
    const user = await findUser(db, caller.id)
    const target = user && readNotificationPreferences(user, secrets).target
    if (!target) throw accountError('no_target')
    await sendNotification(TEST_NOTICE, target)
  }),
]

/** Both are encrypted. */
const StoredSetting = z.object({
  webhook_url: z.string().default(''),
  webhook_secret: z.string().optional(),
})

/**
 * Serializes a setting for storage, with address and secret of a webhook encrypted. A secret that is not sent again is kept only for
 * the same address, so that it cannot be redirected to another server.
 */
function serializeSetting(
  setting: endpoints.NotificationSetting,
  storedText: string,
  secrets: Secrets,
): string {
  if (setting.notify_type === 'email') return JSON.stringify(setting)
  const stored = StoredSetting.parse(storedText === '' ? {} : JSON.parse(storedText))
  const isSameAddress = readWebhookAddress(stored.webhook_url, secrets) === setting.webhook_url
  const kept = isSameAddress ? stored.webhook_secret : undefined
  const encrypted = setting.webhook_secret ? secrets.encrypt(setting.webhook_secret) : kept
  return JSON.stringify({
    ...setting,
    webhook_url: secrets.encrypt(setting.webhook_url),
    webhook_secret: encrypted,
  })
}

/**
 * Registers a visitor and grants the quota for new and invited users. A failed registration consumes no code. The right
 * code stands for the human check that its mail required, since a Turnstile response is valid once.
 */
async function registerAccount(
  registration: endpoints.Registration,
  turnstile: string | undefined,
  context: ApiContext,
): Promise<void> {
  const { db, settings, requestId } = context
  const { username, password, aff_code } = registration
  const { values } = settings.current()
  if (!values.RegisterEnabled) throw accountError('registration_off')
  if (!values.PasswordRegisterEnabled) throw accountError('password_registration_off')
  const proof = values.EmailVerificationEnabled ? await verifyAddress(registration, context) : undefined
  if (!proof) await checkCaptcha(turnstile, context)
  const passwordHash = await hashPassword(password)
  await inTransaction(db, async tx => {
    if (proof && !(await consumeEmailCode(tx, proof.code))) throw accountError('wrong_code')
    const inviter = aff_code ? await findInviter(tx, aff_code) : undefined
    const email = proof?.address ?? ''
    const account = { username, displayName: username, passwordHash, email, inviter }
    const user = await createAccount(tx, account, { values, actorId: 0, requestId })
    if (!user) throw accountError('name_taken')
  })
}

interface VerifiedEmail {
  readonly address: string
  readonly code: VerifiedCode
}

async function verifyAddress(
  { email, verification_code }: endpoints.Registration,
  context: ApiContext,
): Promise<VerifiedEmail> {
  if (!email || !verification_code) throw accountError('email_unverified')
  const code = await verifyEmailCode({ purpose: 'verify', address: email }, verification_code, context)
  if (!code) throw accountError('wrong_code')
  return { address: email, code }
}

export const feature = defineFeature({ start: () => ({ routes }) })

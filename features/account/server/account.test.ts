import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { getSelf } from '#contract/entities/user.ts'
import { listSelfLogs } from '#features/logs/contract/logs.ts'
import { PROVIDER_ENDPOINTS } from '#server/http-client/provider-request.ts'
import { send } from '#server/http-client/send.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import { type LocalServer, openLocalServer } from '#server/testing/local-server.ts'
import { LOCALHOST } from '#server/testing/localhost.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import {
  getInvitationCode,
  register,
  testSetting,
  transferInvitationQuota,
  updateSetting,
} from '../contract.ts'

let app: TestApp
let anna: TestClient
beforeEach(async () => {
  app = await openTestApp()
  anna = await app.addUser({ username: 'anna' })
})
afterEach(() => app.close())

const PASSWORD = 'a good password'
const options = async (values: Readonly<Record<string, string>>) => {
  const body = JSON.stringify(Object.entries(values).map(([key, value]) => ({ key, value })))
  await app.root.fetch('/api/option/', { method: 'PUT', body })
}
const join = (body: object) =>
  app.visitor.call(register, { body: { username: 'bert', password: PASSWORD, ...body } })
const self = async (client: TestClient) => (await client.call(getSelf)).data
const signedIn = async (username: string) => {
  const row = await app.db
    .selectFrom('users')
    .select('id')
    .where('username', '=', username)
    .executeTakeFirstOrThrow()
  return app.visitor.signIn({ id: row.id, username, password: PASSWORD })
}

describe('200', () => {
  test('registers a visitor with the quota for new users', async () => {
    await options({ QuotaForNewUser: '250' })
    expect((await join({ password2: PASSWORD, email: 'b@example.org' })).success).toBe(true)
    expect(await self(await signedIn('bert'))).toMatchObject({
      username: 'bert',
      display_name: 'bert',
      role: 1,
      group: 'default',
      quota: 250,
      email: '',
      inviter_id: 0,
    })
  })

  test('posts the invitation rewards of both sides and logs each of them', async () => {
    await options({ QuotaForInvitee: '100', QuotaForInviter: '40' })
    const { data: code } = await anna.call(getInvitationCode)
    expect(code).toMatch(/^[A-Za-z0-9]{8,}$/)
    await join({ aff_code: code })
    const bert = await signedIn('bert')
    expect(await self(bert)).toMatchObject({ quota: 100, inviter_id: anna.id })
    expect(await self(anna)).toMatchObject({
      quota: 0,
      aff_count: 1,
      aff_quota: 40,
      aff_history_quota: 40,
    })
    for (const [client, quota] of [
      [bert, 100],
      [anna, 40],
    ] as const)
      expect((await client.call(listSelfLogs)).data.items).toMatchObject([{ type: 4, quota }])
    expect((await auditLedger(app.db)).drift).toBe(0)
  })

  test('counts invitations without a reward and ignores unknown codes', async () => {
    await join({ aff_code: (await anna.call(getInvitationCode)).data })
    expect((await join({ username: 'carl', aff_code: 'nobody' })).success).toBe(true)
    expect((await self(anna)).aff_count).toBe(1)
  })

  test('transfers invitation rewards to the balance and keeps their history', async () => {
    await options({ QuotaForInviter: '600000' })
    await join({ aff_code: (await anna.call(getInvitationCode)).data })
    const response = await anna.call(transferInvitationQuota, { body: { quota: 500_000 } })
    expect(response).toMatchObject({ success: true, message: 'the earnings have been moved to your balance' })
    expect(await self(anna)).toMatchObject({
      quota: 500_000,
      aff_quota: 100_000,
      aff_history_quota: 600_000,
    })
    expect((await auditLedger(app.db)).drift).toBe(0)
  })

  test('transfers no more than the available rewards in ten concurrent calls', async () => {
    await options({ QuotaForInviter: '1200000' })
    await join({ aff_code: (await anna.call(getInvitationCode)).data })
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => anna.call(transferInvitationQuota, { body: { quota: 500_000 } })),
    )
    expect(responses.filter(response => response.success).length).toBe(2)
    expect(await self(anna)).toMatchObject({ quota: 1_000_000, aff_quota: 200_000 })
  })

  test('encrypts a webhook secret and keeps it only for the same address', async () => {
    const webhook = {
      notify_type: 'webhook',
      quota_warning_threshold: 1000,
      webhook_url: 'https://example.org/hook',
    } as const
    const stored = async () => {
      const row = await app.db
        .selectFrom('users')
        .select('setting')
        .where('id', '=', anna.id)
        .executeTakeFirstOrThrow()
      return JSON.parse(row.setting)
    }
    await anna.call(updateSetting, { body: { ...webhook, webhook_secret: 'hush' } })
    expect(app.secrets.decrypt((await stored()).webhook_secret)).toBe('hush')
    expect(app.secrets.decrypt((await stored()).webhook_url)).toBe(webhook.webhook_url)
    expect(JSON.parse((await self(anna)).setting)).toEqual(webhook)
    await anna.call(updateSetting, { body: { ...webhook, webhook_secret: '' } })
    expect(app.secrets.decrypt((await stored()).webhook_secret)).toBe('hush')
    await anna.call(updateSetting, { body: { ...webhook, webhook_url: 'https://example.com/' } })
    expect((await stored()).webhook_secret).toBeUndefined()
  })

  test('reads a webhook address that an earlier version stored, and encrypts it at the next change', async () => {
    const webhook = {
      notify_type: 'webhook',
      quota_warning_threshold: 1,
      webhook_url: 'https://example.org/old',
    } as const
    const ofAnna = app.db.updateTable('users').where('id', '=', anna.id)
    const webhook_secret = app.secrets.encrypt('hush')
    await ofAnna.set({ setting: JSON.stringify({ ...webhook, webhook_secret }) }).execute()
    expect(JSON.parse((await self(anna)).setting)).toEqual(webhook)
    await anna.call(updateSetting, { body: webhook })
    const { setting } = await app.db
      .selectFrom('users')
      .select('setting')
      .where('id', '=', anna.id)
      .executeTakeFirstOrThrow()
    expect(setting).not.toContain('example.org')
    expect(app.secrets.decrypt(JSON.parse(setting).webhook_secret)).toBe('hush')
  })

  test('drops the webhook fields when notifications go by email', async () => {
    const setting = {
      notify_type: 'email',
      quota_warning_threshold: 5,
      notification_email: 'a@example.org',
    } as const
    await anna.call(updateSetting, { body: { ...setting, webhook_url: 'https://example.org' } })
    expect(JSON.parse((await self(anna)).setting)).toEqual(setting)
  })
})

describe('a test notification', () => {
  let hook: LocalServer
  beforeEach(() => {
    hook = openLocalServer({ isEncrypted: true })
  })
  afterEach(() => hook.close())

  test('is delivered with the stored settings, or reports why it was not', async () => {
    const trusting = await openTestApp({
      parts: { send, providerEndpoints: { ...PROVIDER_ENDPOINTS, mailCertificateAuthority: LOCALHOST.cert } },
    })
    const bert = await trusting.addUser({ username: 'bert' })
    const setting = {
      notify_type: 'webhook',
      quota_warning_threshold: 5,
      webhook_url: `${hook.url}/hook`,
      webhook_secret: 'hush',
    } as const
    await bert.call(updateSetting, { body: setting })
    expect(await bert.call(testSetting)).toMatchObject({ success: false, code: 'notice.undelivered' })
    hook.handlers['/hook'] = () => new Response('thanks')
    expect((await bert.call(testSetting)).success).toBe(true)
    expect(hook.requests.at(-1)?.headers.get('authorization')).toBe('Bearer hush')
    expect(JSON.parse(hook.requests.at(-1)?.body ?? '{}')).toMatchObject({ type: 'test', values: [] })
    await trusting.close()
  })

  test('requires an address to deliver to', async () => {
    expect((await anna.call(testSetting)).code).toBe('account.no_target')
    await app.db.updateTable('users').set({ email: 'a@example.org' }).where('id', '=', anna.id).execute()
    expect((await anna.call(testSetting)).code).toBe('mail.not_configured')
  })
})

describe('errors', () => {
  test('rejects a registration while registration is off', async () => {
    await options({ RegisterEnabled: 'false' })
    expect((await join({})).code).toBe('account.registration_off')
    await options({ RegisterEnabled: 'true', PasswordRegisterEnabled: 'false' })
    expect((await join({})).code).toBe('account.password_registration_off')
  })

  test('rejects an unverified address where verification is required', async () => {
    await options({ EmailVerificationEnabled: 'true', SMTPServer: 'mail.example' })
    expect((await join({ email: 'b@example.org' })).code).toBe('account.email_unverified')
    expect((await join({ email: 'b@example.org', verification_code: '123456' })).code).toBe(
      'account.wrong_code',
    )
  })

  test('requires a name of 1 to 12 characters without spaces and a repeated password of 8 to 20', async () => {
    for (const body of [
      { username: '' },
      { username: '  ' },
      { username: 'a b' },
      { username: 'x'.repeat(13) },
      { password: 'short' },
      { password: 'x'.repeat(21) },
      { password2: 'another one' },
      { email: 'x'.repeat(51) },
    ])
      expect((await join(body)).code).toBe('invalid_parameter')
    const response = await app.visitor.call(register, {
      body: { username: 'bert', password: PASSWORD, password2: 'another one' },
      headers: { 'accept-language': 'zh' },
    })
    expect(response.message).toContain('两次输入的密码不一致')
  })

  test('rejects a name that is taken, even by a deregistered user', async () => {
    await app.db.updateTable('users').set({ deleted_at: 1 }).where('id', '=', anna.id).execute()
    expect((await join({ username: 'anna' })).code).toBe('account.name_taken')
  })

  test('rejects transfers of less than one dollar or more than the available rewards', async () => {
    const transfer = async (quota: unknown) =>
      (await anna.call(transferInvitationQuota, { body: { quota } as object })).code
    expect(await transfer(499_999)).toBe('account.too_little')
    expect(await transfer(-500_000)).toBe('invalid_parameter')
    expect(await transfer(500_000)).toBe('ledger.invitation_too_small')
  })

  test('accepts https and email addresses and a positive threshold only', async () => {
    const put = async (change: object) => {
      const body = {
        notify_type: 'webhook',
        quota_warning_threshold: 5,
        webhook_url: 'https://a.b',
        ...change,
      }
      return (await anna.call(updateSetting, { body })).code
    }
    expect(await put({})).toBeUndefined()
    for (const change of [
      { webhook_url: 'http://example.org' },
      { webhook_url: '' },
      { webhook_url: 'example' },
      { quota_warning_threshold: 0 },
      { quota_warning_threshold: -1 },
      { notify_type: 'pigeon' },
      { notify_type: 'email', notification_email: 'nobody' },
    ])
      expect(await put(change)).toBe('invalid_parameter')
  })
})

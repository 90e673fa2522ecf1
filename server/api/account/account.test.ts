import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  getInvitationCode,
  register,
  testSetting,
  transferInvitationQuota,
  updateSetting,
} from '#contract/accounts/account.ts'
import { getSelf } from '#contract/accounts/users.ts'
import { listSelfLogs } from '#contract/logs/logs.ts'
import { PROVIDER_ENDPOINTS } from '../../integrations/provider-request.ts'
import { auditLedger } from '../../ledger/audit.ts'
import { send } from '../../relay/upstream/send.ts'
import { type LocalServer, openLocalServer } from '../../testing/local-server.ts'
import { LOCALHOST } from '../../testing/localhost.ts'
import { openTestApp, type TestApp } from '../../testing/open-test-app.ts'
import type { TestClient } from '../../testing/test-client.ts'

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
  test('a visitor registers and signs in, with the quota of new users', async () => {
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

  test('an invitation rewards both sides through the books, each with a log row', async () => {
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

  test('an invitation without a reward is counted, and an unknown code is as good as none', async () => {
    await join({ aff_code: (await anna.call(getInvitationCode)).data })
    expect((await join({ username: 'carl', aff_code: 'nobody' })).success).toBe(true)
    expect((await self(anna)).aff_count).toBe(1)
  })

  test('earnings move into the wallet, and what was earned stays known', async () => {
    await options({ QuotaForInviter: '600000' })
    await join({ aff_code: (await anna.call(getInvitationCode)).data })
    const answer = await anna.call(transferInvitationQuota, { body: { quota: 500_000 } })
    expect(answer).toMatchObject({ success: true, message: 'transferred' })
    expect(await self(anna)).toMatchObject({
      quota: 500_000,
      aff_quota: 100_000,
      aff_history_quota: 600_000,
    })
    expect((await auditLedger(app.db)).drift).toBe(0)
  })

  test('ten transfers at once move what there is, no more', async () => {
    await options({ QuotaForInviter: '1200000' })
    await join({ aff_code: (await anna.call(getInvitationCode)).data })
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => anna.call(transferInvitationQuota, { body: { quota: 500_000 } })),
    )
    expect(answers.filter(answer => answer.success).length).toBe(2)
    expect(await self(anna)).toMatchObject({ quota: 1_000_000, aff_quota: 200_000 })
  })

  test('a notice by webhook is stored with its secret sealed, and the secret stays with its address', async () => {
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
    expect(JSON.parse((await self(anna)).setting)).toEqual(webhook)
    await anna.call(updateSetting, { body: { ...webhook, webhook_secret: '' } })
    expect(app.secrets.decrypt((await stored()).webhook_secret)).toBe('hush')
    await anna.call(updateSetting, { body: { ...webhook, webhook_url: 'https://example.com/' } })
    expect((await stored()).webhook_secret).toBeUndefined()
  })

  test('a notice by mail drops what belongs to the webhook', async () => {
    const setting = {
      notify_type: 'email',
      quota_warning_threshold: 5,
      notification_email: 'a@example.org',
    } as const
    await anna.call(updateSetting, { body: { ...setting, webhook_url: 'https://example.org' } })
    expect(JSON.parse((await self(anna)).setting)).toEqual(setting)
  })
})

describe('a notice to try the settings', () => {
  let hook: LocalServer
  beforeEach(() => {
    hook = openLocalServer({ isEncrypted: true })
  })
  afterEach(() => hook.close())

  test('arrives the way that is stored, and says so when it does not', async () => {
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

  test('needs somewhere to go', async () => {
    expect((await anna.call(testSetting)).code).toBe('account.no_target')
    await app.db.updateTable('users').set({ email: 'a@example.org' }).where('id', '=', anna.id).execute()
    expect((await anna.call(testSetting)).code).toBe('mail.not_configured')
  })
})

describe('refused', () => {
  test('registering that is turned off', async () => {
    await options({ RegisterEnabled: 'false' })
    expect((await join({})).code).toBe('account.registration_off')
    await options({ RegisterEnabled: 'true', PasswordRegisterEnabled: 'false' })
    expect((await join({})).code).toBe('account.password_registration_off')
  })

  test('an address that nobody has verified, where one is needed', async () => {
    await options({ EmailVerificationEnabled: 'true' })
    expect((await join({ email: 'b@example.org' })).code).toBe('account.email_unverified')
    expect((await join({ email: 'b@example.org', verification_code: '123456' })).code).toBe(
      'account.wrong_code',
    )
  })

  test('names of 1 to 12 characters without spaces, passwords of 8 to 20, typed twice alike', async () => {
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
    const answer = await app.visitor.call(register, {
      body: { username: 'bert', password: PASSWORD, password2: 'another one' },
      headers: { 'accept-language': 'zh' },
    })
    expect(answer.message).toContain('两次输入的密码不一致')
  })

  test('a name that is taken, by a deregistered user too', async () => {
    await app.db.updateTable('users').set({ deleted_at: 1 }).where('id', '=', anna.id).execute()
    expect((await join({ username: 'anna' })).code).toBe('account.name_taken')
  })

  test('less than one dollar, or more than was earned, is not transferred', async () => {
    const transfer = async (quota: unknown) =>
      (await anna.call(transferInvitationQuota, { body: { quota } as object })).code
    expect(await transfer(499_999)).toBe('account.too_little')
    expect(await transfer(-500_000)).toBe('invalid_parameter')
    expect(await transfer(500_000)).toBe('ledger.invitation_too_small')
  })

  test('notices go to https addresses and mail addresses, from a positive balance on', async () => {
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

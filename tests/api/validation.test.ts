import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { login } from '#contract/accounts/session.ts'
import type { AnyEndpoint } from '#contract/endpoint.ts'
import { createToken, updateToken } from '#contract/entities/token.ts'
import { deleteSelf, updateSelf } from '#contract/entities/user.ts'
import { listOptions, putOptions } from '#contract/options/options.ts'
import { register, transferInvitationQuota, updateSetting } from '#features/account/contract.ts'
import * as channelCalls from '#features/channels/contract/channel-endpoints.ts'
import { deleteLogs } from '#features/logs/contract/log-deletion.ts'
import { createRedemptions, listRedemptions, redeem } from '#features/redemption-codes/contract.ts'
import { payTopUp } from '#features/top-ups/contract.ts'
import { createUser, manageUser, updateUser } from '#features/users/contract.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'

let app: TestApp
let people: Readonly<Record<'visitor' | 'user' | 'admin' | 'root', TestClient>>
let betterId: number
beforeAll(async () => {
  app = await openTestApp()
  people = {
    visitor: app.visitor,
    user: await app.addUser({ username: 'user' }),
    admin: await app.addUser({ username: 'admin', role: 'admin' }),
    root: app.root,
  }
  betterId = (await app.addUser({ username: 'admin2', role: 'admin' })).id
  await app.root.call(channelCalls.createChannels, { body: CHANNEL })
})
afterAll(() => app.close())

const CHANNEL = { type: 1, name: 'one', key: 'k', models: 'm', group: 'default', tag: 't' }
const option = (key: string, value: string) => ({ key, value })
const NEW = { username: 'new', password: 'long enough', password2: 'long enough' }

interface Rejected {
  /** The rule, as the specification words it. */
  readonly rule: string
  readonly by: 'visitor' | 'user' | 'admin' | 'root'
  readonly call: AnyEndpoint
  readonly body?: object
  readonly query?: Readonly<Record<string, string>>
  readonly code: string
}

const accounts: readonly Rejected[] = [
  ...[{ password: 'long enough' }, { username: 'x' }, { username: '', password: 'long enough' }].map(
    body => ({
      rule: 'add user: username and password required',
      by: 'admin' as const,
      call: createUser,
      body,
      code: 'invalid_parameter',
    }),
  ),
  ...['7chars_', 'a'.repeat(21)].map(password => ({
    rule: 'register: password at least 8 characters, up to 20',
    by: 'visitor' as const,
    call: register,
    body: { ...NEW, password, password2: password },
    code: 'invalid_parameter',
  })),
  {
    rule: 'register: username up to 12',
    by: 'visitor',
    call: register,
    body: { ...NEW, username: 'a'.repeat(13) },
    code: 'invalid_parameter',
  },
  {
    rule: 'register: the confirm entry must match',
    by: 'visitor',
    call: register,
    body: { ...NEW, password2: 'another one' },
    code: 'invalid_parameter',
  },
  ...[
    { username: '', password: 'x' },
    { username: 'x', password: '' },
  ].map(body => ({
    rule: 'login: username and password required',
    by: 'visitor' as const,
    call: login,
    body,
    code: 'session.missing',
  })),
  {
    rule: 'edit user: password minimum 8',
    by: 'root',
    call: updateUser,
    body: { id: 2, password: 'short' },
    code: 'invalid_parameter',
  },
  ...[-1, 'many', 1.5].map(quota => ({
    rule: 'edit user: quota is numeric and may not be negative as a result',
    by: 'root' as const,
    call: updateUser,
    body: { id: 2, quota },
    code: quota === -1 ? 'user.negative_quota' : 'invalid_parameter',
  })),
  {
    rule: 'self delete: the typed text must equal the own username',
    by: 'user',
    call: deleteSelf,
    body: { username: 'somebody' },
    code: 'user.wrong_name',
  },
  {
    rule: 'edit user: password minimum 8, of oneself too',
    by: 'user',
    call: updateSelf,
    body: { password: 'short' },
    code: 'invalid_parameter',
  },
  {
    rule: 'affiliate transfer: at least one quota unit',
    by: 'user',
    call: transferInvitationQuota,
    body: { quota: 499_999 },
    code: 'account.too_little',
  },
]

const JSON_OPTIONS = [
  'TopupGroupRatio',
  'GroupRatio',
  'UserUsableGroups',
  'ModelPrice',
  'ModelRatio',
  'CompletionRatio',
  'Chats',
]
const settings: readonly Rejected[] = [
  ...JSON_OPTIONS.map(key => ({
    rule: `JSON-valued settings must be valid JSON: ${key}`,
    by: 'root' as const,
    call: putOptions,
    body: option(key, '{"a":'),
    code: 'invalid_parameter',
  })),
  {
    rule: 'group names must be unique',
    by: 'root',
    call: putOptions,
    body: option('GroupRatio', '{"default":1,"vip":1,"vip":2}'),
    code: 'invalid_parameter',
  },
  {
    rule: 'server address is required before saving payment settings',
    by: 'root',
    call: putOptions,
    body: option('PayAddress', 'https://pay.example'),
    code: 'option.server_address',
  },
  { rule: 'log clearing needs a chosen date-time', by: 'root', call: deleteLogs, code: 'log.time_needed' },
  ...(
    [
      ['GitHubOAuthEnabled', 'option.github'],
      ['WeChatAuthEnabled', 'option.wechat'],
      ['TurnstileCheckEnabled', 'option.turnstile'],
    ] as const
  ).map(([key, code]) => ({
    rule: `enabling requires the configuration first: ${key}`,
    by: 'root' as const,
    call: putOptions,
    body: option(key, 'true'),
    code,
  })),
  {
    rule: 'visual pricing: values must be numeric',
    by: 'root',
    call: putOptions,
    body: option('ModelRatio', '{"m":"cheap"}'),
    code: 'invalid_parameter',
  },
  {
    rule: 'visual pricing: a duplicate model name is rejected',
    by: 'root',
    call: putOptions,
    body: option('ModelPrice', '{"m":1,"m":2}'),
    code: 'invalid_parameter',
  },
  {
    rule: 'webhook notification: https only',
    by: 'user',
    call: updateSetting,
    body: { notify_type: 'webhook', quota_warning_threshold: 1, webhook_url: 'http://hook.example' },
    code: 'invalid_parameter',
  },
]

const channel = (change: object) => ({ ...CHANNEL, ...change })
const channels: readonly Rejected[] = [
  ...(
    [
      [{ name: ' ' }, 'channel.name_needed'],
      [{ key: '' }, 'channel.key_needed'],
      [{ models: ' , ' }, 'channel.models_needed'],
    ] as const
  ).map(([change, code]) => ({
    rule: 'create needs name, key and at least one model',
    by: 'admin' as const,
    call: channelCalls.createChannels,
    body: channel(change),
    code,
  })),
  ...(
    [
      [{ type: 9999 }, 'channel.unknown_type'],
      [{ group: '' }, 'channel.groups_needed'],
    ] as const
  ).map(([change, code]) => ({
    rule: 'type, groups and models are required',
    by: 'admin' as const,
    call: channelCalls.createChannels,
    body: channel(change),
    code,
  })),
  ...(['model_mapping', 'status_code_mapping', 'setting', 'param_override'] as const).map(field => ({
    rule: `${field} must be valid JSON`,
    by: 'admin' as const,
    call: channelCalls.createChannels,
    body: channel({ [field]: '{' }),
    code: 'invalid_parameter',
  })),
  {
    rule: 'tag edit: nothing changed gives a no-change message',
    by: 'admin',
    call: channelCalls.updateTag,
    body: { tag: 't', new_tag: 't' },
    code: 'channel.nothing_to_change',
  },
  ...[{ priority: 1.5 }, { weight: -1 }, { weight: 0.5 }].map(change => ({
    rule: 'tag-wide priority must be an integer; tag-wide weight a non-negative integer',
    by: 'admin' as const,
    call: channelCalls.updateTag,
    body: { tag: 't', ...change },
    code: 'invalid_parameter',
  })),
  ...[channelCalls.deleteChannels, channelCalls.tagChannels].map(call => ({
    rule: 'batch delete and batch set tag need a selection',
    by: 'admin' as const,
    call,
    body: { ids: [], tag: 'x' },
    code: 'invalid_parameter',
  })),
]

const tokens: readonly Rejected[] = [
  ...[{}, { name: '  ' }].map(body => ({
    rule: 'token: name is required on create',
    by: 'user' as const,
    call: createToken,
    body,
    code: 'invalid_parameter',
  })),
  ...['2026-01-01', -2, 1.5].map(expired_time => ({
    rule: 'expired_time must be a time or -1',
    by: 'user' as const,
    call: createToken,
    body: { name: 'x', expired_time },
    code: 'invalid_parameter',
  })),
  ...[1.5, -1, '5'].map(remain_quota => ({
    rule: 'remain_quota is an integer',
    by: 'user' as const,
    call: createToken,
    body: { name: 'x', remain_quota },
    code: 'invalid_parameter',
  })),
  {
    rule: 'IP whitelist is one per line',
    by: 'user',
    call: createToken,
    body: { name: 'x', allow_ips: '10.0.0.1\nhome' },
    code: 'invalid_parameter',
  },
  {
    rule: 'group is selectable only from the groups offered to the user',
    by: 'user',
    call: createToken,
    body: { name: 'x', group: 'svip' },
    code: 'token.unknown_group',
  },
  {
    rule: 'group is selectable only from the groups offered to the user, on edit too',
    by: 'user',
    call: updateToken,
    body: { id: 1, group: 'svip' },
    code: 'token.unknown',
  },
]

const money: readonly Rejected[] = [
  {
    rule: 'redemption: name 1 to 20 characters',
    by: 'admin',
    call: createRedemptions,
    body: { name: '兑'.repeat(21), quota: 1, count: 1 },
    code: 'invalid_parameter',
  },
  ...[{ quota: 1.5 }, { quota: -1 }, { count: 0 }, { count: 101 }, { count: 1.5 }].map(change => ({
    rule: 'redemption: quota and count are integers, count greater than 0 and at most 100',
    by: 'admin' as const,
    call: createRedemptions,
    body: { name: 'x', quota: 1, count: 1, ...change },
    code: 'invalid_parameter',
  })),
  {
    rule: 'wallet: code required to redeem',
    by: 'user',
    call: redeem,
    body: { key: ' ' },
    code: 'redemption.missing',
  },
  {
    rule: 'wallet: online top-up needs the admin to have enabled it',
    by: 'user',
    call: payTopUp,
    body: { amount: 1, payment_method: 'zfb' },
    code: 'top_up.not_configured',
  },
]

const roles: readonly Rejected[] = [
  {
    rule: 'admins cannot create users of equal or higher level',
    by: 'admin',
    call: createUser,
    body: { ...NEW, role: 10 },
    code: 'user.role_too_high',
  },
  {
    rule: 'admins cannot promote others',
    by: 'admin',
    call: manageUser,
    body: { id: 2, action: 'promote' },
    code: 'user.only_root_promotes',
  },
]

async function errorIn(language: 'zh' | 'en', { by, call, body, query }: Rejected) {
  const address = `${call.path}${query ? `?${new URLSearchParams(query)}` : ''}`
  const response = await people[by].fetch(address, {
    method: call.method,
    headers: { 'accept-language': language },
    ...(body && { body: JSON.stringify(body) }),
  })
  const { success, code, message, data } = await response.json()
  return {
    status: response.status,
    success: success === true,
    code,
    text: String(message === 'error' ? data : message),
  }
}

describe('rejected input, section 5 of the specification', () => {
  for (const rejectedInput of [...accounts, ...settings, ...channels, ...tokens, ...money, ...roles])
    test(`${rejectedInput.rule}: ${JSON.stringify(rejectedInput.body ?? {}).slice(0, 90)}`, async () => {
      const chinese = await errorIn('zh', rejectedInput)
      const english = await errorIn('en', rejectedInput)
      expect({ ...chinese, text: '' }).toEqual({
        status: 200,
        success: false,
        code: rejectedInput.code,
        text: '',
      })
      expect(english.code).toBe(rejectedInput.code)
      expect(chinese.text).toMatch(/\p{Script=Han}/u)
      expect(english.text).not.toMatch(/\p{Script=Han}/u)
      expect(english.text).toMatch(/[a-z]{3}/)
    })

  test('rejects administrators who update users of the same or a higher rank', async () => {
    const { code } = await people.admin.call(updateUser, { body: { id: betterId, display_name: 'x' } })
    expect(code).toBe('user.no_permission')
  })

  test('rejects a top-up below the minimum', async () => {
    const given = {
      ServerAddress: 'https://g.example',
      PayAddress: 'https://p.example',
      EpayId: '1',
      EpayKey: 'k',
    }
    const body = Object.entries({ ...given, MinTopUp: '3' }).map(([key, value]) => option(key, value))
    await people.root.call(putOptions, { body })
    const pay = async (amount: number) => {
      const sent = { method: 'POST', body: JSON.stringify({ amount, payment_method: 'zfb' }) }
      return (await (await people.user.fetch('/api/user/pay', sent)).json()).message
    }
    expect([await pay(2), await pay(3)]).toEqual(['error', 'success'])
  })
})

describe('corrected input, section 5 of the specification', () => {
  for (const key of ['ServerAddress', 'WorkerUrl', 'PayAddress', 'WeChatServerAddress'])
    test(`the trailing slash is removed from ${key}`, async () => {
      await people.root.call(putOptions, { body: option('ServerAddress', 'https://gate.example') })
      // Another address would ask for the secret of the former one, which goes with it.
      await people.root.call(putOptions, { body: option(key, '') })
      await people.root.call(putOptions, { body: option(key, 'https://x.example/') })
      const { data } = await people.root.call(listOptions)
      expect(data.find(entry => entry.key === key)?.value).toBe('https://x.example')
    })

  test("corrects a channel's trailing slash, negative weight, auto_ban and empty new tag", async () => {
    const body = { ...CHANNEL, tag: 'gone', base_url: 'https://up.example/', weight: -5, auto_ban: false }
    const { data } = await people.admin.call(channelCalls.createChannels, { body })
    expect(data[0]).toMatchObject({ base_url: 'https://up.example', weight: 0, auto_ban: 0 })
    await people.admin.call(channelCalls.updateTag, { body: { tag: 'gone', new_tag: '' } })
    const id = data[0]?.id ?? 0
    expect((await people.admin.call(channelCalls.getChannel, { params: { id } })).data.tag).toBe('')
  })

  test('fills in the version of Azure and Spark and the region of Vertex', async () => {
    const { data } = await people.admin.call(channelCalls.listChannelTypes)
    const initial = (type: number) => data.find(known => known.type === type)?.form.other?.default_value
    expect([initial(3), initial(18)]).toEqual(['2023-06-01-preview', 'v2.1'])
    expect(initial(41)).toContain('us-central1')
  })

  test('names a code without a name after its amount', async () => {
    await people.admin.call(createRedemptions, { body: { name: '', quota: 500_000, count: 1 } })
    expect((await people.admin.call(listRedemptions)).data.items[0]?.name).toContain('1.0')
  })
})

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { LOG_TYPE } from '#contract/enums.ts'
import { readStoredText } from '#server/core/language.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { testUnsavedChannel } from '../contract/channel-checks.ts'
import { createChannels, getChannel, updateChannel } from '../contract/channel-endpoints.ts'
import type { Channel, ChannelDraft } from '../contract/channels.ts'
import { type ChannelsTestApp, openChannelsApp } from './testing.ts'

let app: ChannelsTestApp
let admin: TestClient
beforeEach(async () => {
  app = await openChannelsApp()
  admin = await app.addUser({ username: 'admin', role: 'admin' })
})
afterEach(() => app.close())

const KEY = 'sk-upstream-1'
const ELSEWHERE = 'https://collector.example'
const SERVICE_ACCOUNT = '{"project_id":"p"}'
const NEEDED = 'channel.key_needed_again'

const DRAFTS: Readonly<Record<string, ChannelDraft>> = {
  openai: { type: 1, base_url: '' },
  compatible: { type: 1, base_url: 'https://one.example/v1' },
  custom: { type: 8, base_url: 'https://one.example/v1/chat/completions' },
  azure: { type: 3, base_url: 'https://mine.openai.azure.com', other: '2024-10-21' },
  vertex: { type: 41, other: 'us-central1', key: SERVICE_ACCOUNT },
  bedrock: { type: 33, key: 'ak|sk|us-east-1' },
  cloudflare: { type: 39, other: 'account' },
  dify: { type: 37 },
  proxied: {
    type: 1,
    base_url: 'http://one.example',
    setting: '{"proxy":"http://user:pass@proxy.example:3128"}',
  },
}

const add = async (draft: ChannelDraft = {}): Promise<Channel> => {
  const body = { name: 'one', key: KEY, models: 'm', group: 'default', type: 1, ...draft }
  const [channel] = (await app.root.call(createChannels, { body })).data
  if (!channel) throw new Error('no channel was made')
  return channel
}
const managementLog = async () =>
  (
    await app.db
      .selectFrom('logs')
      .select(['username', 'content'])
      .where('type', '=', LOG_TYPE.management)
      .orderBy('id')
      .execute()
  ).map(({ username, content }) => `${username}: ${readStoredText(content, 'zh')}`)

test.each(Object.keys(DRAFTS))(
  'sends no stored key of a channel like %s to an address of the administrator',
  async kind => {
    const { id } = await add(DRAFTS[kind])
    const before = (await app.root.call(getChannel, { params: { id } })).data
    for (const caller of [admin, app.root]) {
      const change = { id, base_url: ELSEWHERE, key: '' }
      expect((await caller.call(updateChannel, { body: change })).code).toBe(NEEDED)
      const copy = { copy_from: id, name: 'two', base_url: ELSEWHERE }
      expect((await caller.call(createChannels, { body: copy })).code).toBe(NEEDED)
      expect((await caller.call(testUnsavedChannel, { body: copy })).code).toBe(NEEDED)
    }
    expect(app.relayTest.calls).toEqual([])
    expect((await app.root.call(getChannel, { params: { id } })).data).toEqual(before)
    expect(await managementLog()).toEqual([])
  },
)

test.each([
  ['another scheme', { base_url: 'http://one.example/v1' }],
  ['another port', { base_url: 'https://one.example:8443/v1' }],
  ['a host that only starts alike', { base_url: 'https://one.example.org/v1' }],
  ["the provider's own address", { base_url: '' }],
  ['another provider at the same address', { type: 8 }],
  ['a proxy', { setting: '{"proxy":"http://collector.example:3128"}' }],
  [
    'a proxy beside other settings',
    { setting: '{"force_format":true,"proxy":"socks5://collector.example"}' },
  ],
])('asks for the key again before it goes to %s', async (_, change) => {
  const { id } = await add(DRAFTS.compatible)
  expect((await admin.call(updateChannel, { body: { id, ...change } })).code).toBe(NEEDED)
  expect((await admin.call(testUnsavedChannel, { body: { copy_from: id, ...change } })).code).toBe(NEEDED)
})

test.each([
  ['another path', { base_url: 'https://ONE.example:443/v2' }],
  ['other settings', { setting: '{"force_format":true}', name: 'two' }],
])('keeps the key for %s at the same origin', async (_, change) => {
  const { id } = await add(DRAFTS.compatible)
  expect(await admin.call(updateChannel, { body: { id, ...change, key: '' } })).toMatchObject({
    success: true,
  })
  expect(await managementLog()).toEqual([])
})

test('keeps the key when the proxy is left out, or when the default address is written out', async () => {
  const { id } = await add({ setting: '{"proxy":"socks5://proxy.example"}' })
  const change = { id, setting: '', base_url: 'https://api.openai.com' }
  expect(await admin.call(updateChannel, { body: change })).toMatchObject({ success: true })
})

test('logs who moved a key where, without the credentials of the proxy', async () => {
  const { id } = await add(DRAFTS.proxied)
  await admin.call(updateChannel, { body: { id, base_url: ELSEWHERE, key: 'sk-new' } })
  expect(await managementLog()).toEqual([
    `admin: 管理员 admin 将渠道 #${id} (one) 的密钥发送地址从 OpenAI · http://one.example · proxy http://proxy.example:3128 ` +
      `改为 OpenAI · ${ELSEWHERE} · proxy http://proxy.example:3128`,
  ])
})

test('logs every test of an unsaved channel with the address that got the key', async () => {
  const { id } = await add(DRAFTS.compatible)
  await admin.call(testUnsavedChannel, { body: { copy_from: id, base_url: 'https://one.example/other' } })
  await admin.call(testUnsavedChannel, { body: { type: 1, key: 'k', models: 'm', base_url: ELSEWHERE } })
  expect(app.relayTest.calls).toHaveLength(2)
  expect(await managementLog()).toEqual([
    `admin: 管理员 admin 对渠道 #${id} (one) 进行了保存前测试，已保存的密钥发送至 OpenAI · https://one.example`,
    `admin: 管理员 admin 对新渠道进行了保存前测试，新填写的密钥发送至 OpenAI · ${ELSEWHERE}`,
  ])
})

test('accepts no placeholder in the host, which a model name could fill in', async () => {
  const body = { type: 8, name: 'one', key: KEY, models: 'm', base_url: 'https://{model}/v1' }
  expect((await admin.call(createChannels, { body })).code).toBe('invalid_parameter')
})

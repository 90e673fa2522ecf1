import { afterAll, beforeAll, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { type TokenDraft, updateToken } from '#contract/entities/token.ts'
import { getSelf } from '#contract/entities/user.ts'
import { createChannels, updateChannel } from '#features/channels/contract/channel-endpoints.ts'
import { addUser } from '../harness/add-user.ts'
import type { AdminClient } from '../harness/api-client.ts'
import { callChat, errorOf } from '../harness/call-chat.ts'
import { freePort } from '../harness/free-port.ts'
import { inDatabase } from '../harness/in-database.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { readNamespace } from '../harness/lab-namespace.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'

const MODEL = 'asked'
const WALLET = 1_000_000
const MIB = 1024 * 1024
const messages = [{ role: 'user', content: 'hello' }]
const good = { model: MODEL, messages }
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

let site: Site
let user: AdminClient

beforeAll(async () => {
  site = await startSite()
  const models = [MODEL, 'other', 'unreachable', 'nowhere', 'broken', 'looped']
  await setOptions(site.root, { ModelRatio: Object.fromEntries(models.map(model => [model, 1])) })
  const namespace = 'rejections'
  await addLabChannel(site.root, site.lab, {
    provider: 'openai',
    models: [MODEL, 'other', 'unpriced'],
    namespace,
  })
  user = await addUser(site.gateway, { username: 'ann', wallet: WALLET })
})

afterAll(() => site?.stop())

interface ExpectedError {
  readonly status: number
  readonly code: string
  /** Expected part of the message. */
  readonly says?: RegExp
}

/** Expects a rejection with this status, code and message, without a charge and without an upstream call. */
async function expectError(
  key: string,
  body: unknown,
  { status, code, says = /./ }: ExpectedError,
): Promise<void> {
  const [before, requested] = await Promise.all([user.call(getSelf), readNamespace(site.lab, 'refusals')])
  const response = await callChat({ url: site.gateway.url, key, body })
  const error = errorOf(response)
  expect({ status: response.status, code: error.code }).toEqual({ status, code })
  expect(error.message).toMatch(says)
  expect(error.message).toEndWith(`(request id: ${response.requestId})`)
  const after = await user.call(getSelf)
  expect([after.quota, after.used_quota]).toEqual([before.quota, before.used_quota])
  expect((await readNamespace(site.lab, 'refusals')).requests).toBe(requested.requests)
}

const tokens: readonly (readonly [string, Partial<TokenDraft>, ExpectedError])[] = [
  ['has expired', { expired_time: inSeconds(-10) }, { status: 401, code: 'token_expired', says: /expired/ }],
  [
    'has spent its limit',
    { unlimited_quota: false, remain_quota: 0 },
    { status: 401, code: 'token_exhausted', says: /used up/ },
  ],
  [
    'has too little left',
    { unlimited_quota: false, remain_quota: 3 },
    { status: 403, code: 'insufficient_token_quota', says: /\$0\.000006 left, the request needs \$0\.\d+/ },
  ],
  [
    'may be used elsewhere only',
    { allow_ips: '10.0.0.0/8' },
    { status: 403, code: 'ip_not_allowed', says: /127\.0\.0\.1/ },
  ],
  [
    'may use another model only',
    { model_limits_enabled: true, model_limits: 'other' },
    { status: 403, code: 'model_not_allowed', says: /asked/ },
  ],
]

test.each(tokens)('rejects a token that %s', async (_state, draft, rejection) => {
  await expectError((await addToken(user, draft)).key, good, rejection)
})

test('rejects a disabled token until it is enabled again', async () => {
  const token = await addToken(user)
  await user.call(updateToken, { query: { status_only: 'true' }, body: { id: token.id, status: 2 } })
  await expectError(token.key, good, { status: 401, code: 'token_disabled' })
  await user.call(updateToken, { query: { status_only: 'true' }, body: { id: token.id, status: 1 } })
  expect(await callChat({ url: site.gateway.url, key: token.key, body: good })).toMatchObject({ status: 200 })
})

test('rejects unknown keys and requests without a key', async () => {
  await expectError('nobody', good, { status: 401, code: 'invalid_api_key' })
  await expectError('', good, { status: 401, code: 'invalid_api_key', says: /Authorization/ })
})

test('the official client maps rejections to its own error classes', async () => {
  const errorFor = (key: string, model: string) =>
    new OpenAI({ apiKey: key, baseURL: `${site.gateway.url}/v1`, maxRetries: 0 }).chat.completions
      .create({ model, messages: [{ role: 'user', content: 'hello' }] })
      .catch((thrown: unknown) => thrown)
  const limited = await addToken(user, { model_limits_enabled: true, model_limits: 'other' })
  expect(await errorFor('sk-nobody', MODEL)).toBeInstanceOf(OpenAI.AuthenticationError)
  expect(await errorFor(`sk-${limited.key}`, MODEL)).toBeInstanceOf(OpenAI.PermissionDeniedError)
})

test('rejects tokens of a banned user and tokens of a group that was closed', async () => {
  const bob = await addUser(site.gateway, { username: 'bob', wallet: WALLET })
  const { key, id } = await addToken(bob)
  await inDatabase(site.gateway, db =>
    db.updateTable('tokens').set({ group: 'secret' }).where('id', '=', id).execute(),
  )
  await expectError(key, good, { status: 403, code: 'group_not_allowed', says: /secret/ })
  await inDatabase(site.gateway, db =>
    db.updateTable('users').set({ status: 2 }).where('username', '=', 'bob').execute(),
  )
  await expectError(key, good, { status: 403, code: 'user_banned' })
})

test('rejects a request that the wallet cannot afford, with the balance and the price', async () => {
  const poor = await addUser(site.gateway, { username: 'poor', wallet: 7 })
  const { key } = await addToken(poor)
  const says = /\$0\.000014 left, the request needs \$0\.\d+/
  await expectError(key, good, { status: 403, code: 'insufficient_user_quota', says })
})

const big = `{"model":"${MODEL}","messages":[{"role":"user","content":"${'x'.repeat(65 * MIB)}"}]}`
const bodies: readonly (readonly [string, unknown, ExpectedError])[] = [
  ['nothing', '', { status: 400, code: 'invalid_json', says: /empty/ }],
  ['half an object', '{"model":', { status: 400, code: 'invalid_json', says: /not valid JSON/ }],
  ['a list', [], { status: 400, code: 'invalid_request', says: /list/ }],
  ['no model', { messages }, { status: 400, code: 'model_required' }],
  ['no messages', { model: MODEL }, { status: 400, code: 'invalid_request', says: /messages/ }],
  [
    'messages that are text',
    { ...good, messages: 'hi' },
    { status: 400, code: 'invalid_request', says: /"hi"/ },
  ],
  [
    'a message of a number',
    { ...good, messages: [{ role: 'user', content: 5 }] },
    { status: 400, code: 'invalid_request', says: /messages\[0\]/ },
  ],
  [
    'max_tokens in words',
    { ...good, max_tokens: 'many' },
    { status: 400, code: 'invalid_request', says: /max_tokens.*"many".*number/ },
  ],
  [
    'max_tokens below zero',
    { ...good, max_tokens: -1 },
    { status: 400, code: 'invalid_request', says: /max_tokens/ },
  ],
  ['stream in words', { ...good, stream: 'yes' }, { status: 400, code: 'invalid_request', says: /stream/ }],
  [
    'an unknown model',
    { ...good, model: 'nothing' },
    { status: 404, code: 'model_not_found', says: /default.*nothing/ },
  ],
  [
    'a model without a price',
    { ...good, model: 'unpriced' },
    { status: 404, code: 'model_not_found', says: /unpriced.*administrator/ },
  ],
  ['more than 64 MiB', big, { status: 413, code: 'body_too_large', says: /64 MiB/ }],
  [
    'an unknown token limit',
    { ...good, max_tokens: 1e15 },
    { status: 400, code: 'invalid_request', says: /max_tokens/ },
  ],
]

test.each(bodies)('rejects a body with %s and explains why', async (_what, body, rejection) => {
  await expectError((await addToken(user)).key, body, rejection)
})

test('rejects a gzip bomb and an unknown encoding before decompression', async () => {
  const { key } = await addToken(user)
  const post = (encoding: string, body: Uint8Array<ArrayBuffer>) =>
    fetch(`${site.gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer sk-${key}`, 'content-encoding': encoding },
      body,
    })
  const bomb = await post('gzip', Bun.gzipSync(new Uint8Array(80 * MIB)))
  expect(bomb.status).toBe(413)
  const unknown = await post('lzma', new Uint8Array(8))
  expect(unknown.status).toBe(415)
  expect(errorOf({ text: await unknown.text() }).message).toContain('lzma')
  const packed = await post('gzip', Bun.gzipSync(JSON.stringify(good)))
  expect(packed.status).toBe(200)
})

test('returns unknown paths in the same error format', async () => {
  const responses = await Promise.all(
    ['/v1/nothing', '/v1/files'].map(async path => {
      const response = await fetch(`${site.gateway.url}${path}`)
      return [response.status, errorOf({ text: await response.text() }).code]
    }),
  )
  expect(responses).toEqual([
    [404, 'not_found'],
    [501, 'api_not_implemented'],
  ])
})

test('returns 502 without the address for an upstream that is unreachable or does not resolve', async () => {
  const { key } = await addToken(user)
  const addresses = [
    ['unreachable', `http://127.0.0.1:${await freePort()}`],
    ['nowhere', 'http://nowhere.invalid'],
  ] as const
  for (const [model, base_url] of addresses) {
    await addLabChannel(site.root, site.lab, { provider: 'openai', models: [model], draft: { base_url } })
    const response = await callChat({ url: site.gateway.url, key, body: { ...good, model } })
    expect(response.status).toBe(502)
    expect(errorOf(response).code).toBe('upstream_unreachable')
    expect(response.text).not.toMatch(/127\.0\.0\.1|invalid/)
  }
})

test('rejects an invalid channel setting on save, with its position and the reason', async () => {
  const drafts = [
    { model_mapping: '{"a":' },
    { model_mapping: '{"a":5}' },
    { status_code_mapping: '{"429":"many"}' },
    { setting: '{"proxy":"not an address"}' },
    { param_override: '[]' },
    { base_url: 'not an address' },
    { type: 9999 },
  ]
  for (const draft of drafts) {
    const body = { type: 1, name: 'broken', key: 'k', models: 'broken', group: 'default', ...draft }
    const { envelope } = await site.root.send(createChannels, { body })
    expect({ draft, isDone: envelope.success }).toEqual({ draft, isDone: false })
    expect(envelope.message.length).toBeGreaterThan(5)
  }
})

test('skips a channel whose stored settings are invalid and uses the others', async () => {
  const { key } = await addToken(user)
  const made = await addLabChannel(site.root, site.lab, { provider: 'openai', models: ['broken'] })
  await inDatabase(site.gateway, db =>
    db.updateTable('channels').set({ setting: '{"proxy":' }).where('id', '=', made.id).execute(),
  )
  const looped = await addLabChannel(site.root, site.lab, {
    provider: 'openai',
    models: ['looped'],
    draft: { model_mapping: '{"looped":"round","round":"looped"}' },
  })
  await site.root.call(updateChannel, { body: { id: looped.id, weight: 1 } })
  await expectError(key, { ...good, model: 'broken' }, { status: 404, code: 'model_not_found' })
  await expectError(
    key,
    { ...good, model: 'looped' },
    { status: 502, code: 'upstream_failed', says: /circular/ },
  )
  expect(await callChat({ url: site.gateway.url, key, body: good })).toMatchObject({ status: 200 })
  expect(site.gateway.output()).toContain(`"channel_id":${made.id}`)
})

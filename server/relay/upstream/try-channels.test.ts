import { afterEach, expect, test } from 'bun:test'
import { ownMessage } from '../../core/language.ts'
import type { SendResult } from '../../http-client/send.ts'
import { receivedResponse } from '../../testing/received-response.ts'
import { connectionFor } from '../../testing/test-connection.ts'
import { TestRelay } from '../../testing/test-relay.ts'
import { relay as runRelay } from '../pipeline.ts'

/** Trades its key for a token. */
const BAIDU = 15

/** More than any of these requests may make. */
const CALLS_MAX = 20

const CONNECTION_LOST: SendResult = {
  kind: 'failure',
  failure: {
    status: 502,
    code: 'upstream_unreachable',
    ...ownMessage({ zh: '连接中断', en: 'the connection was lost' }),
    isConnectionLost: true,
  },
}

let relay: TestRelay
afterEach(() => relay.close())

/** Requests a chat of a relay whose upstreams are `respond`. Returns the status and the hosts and keys that were called. */
async function requestChat(
  respond: (call: { readonly host: string; readonly key: string }) => SendResult,
  { retryTimes, channels }: { readonly retryTimes: number; readonly channels: readonly Channel[] },
) {
  const calls: string[] = []
  relay = await TestRelay.open({
    options: { RetryTimes: retryTimes },
    async send({ url, headers }) {
      const host = new URL(url).hostname
      if (calls.length > CALLS_MAX) throw new Error('the calls do not end')
      const key = (headers.authorization ?? '').replace('Bearer ', '')
      calls.push(`${host} ${key}`)
      return respond({ host, key })
    },
  })
  for (const { host, keys, priority } of channels)
    await relay.addChannel({
      base_url: `http://${host}`,
      key_sealed: relay.encryptKey(keys.join('\n')),
      setting: '{"several_keys":true}',
      priority,
    })
  const body = { model: 'lab', messages: [{ role: 'user', content: 'hi' }] }
  const response = await relay.request('/v1/chat/completions', await relay.addToken(), body)
  await response.text()
  return { status: response.status, calls }
}

interface Channel {
  readonly host: string
  readonly keys: readonly string[]
  readonly priority: number
}

const reply = (status: number): SendResult =>
  receivedResponse(
    status === 200
      ? Response.json({
          id: 'x',
          choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
        })
      : Response.json({ error: { message: `it is ${status}`, code: 'c' } }, { status }),
  )

const FIRST = { host: 'first.test', keys: ['a', 'b', 'c'], priority: 9 }
const SECOND = { host: 'second.test', keys: ['d'], priority: 1 }

test('reconnects once per request, however many channels lose their connections', async () => {
  const channels = [{ ...FIRST, keys: ['a'] }, SECOND]
  const { status, calls } = await requestChat(() => CONNECTION_LOST, { retryTimes: 3, channels })
  expect(status).toBe(502)
  expect(calls).toEqual(['first.test a', 'first.test a', 'second.test d'])
})

test('renews a credential that the provider rejects once for each key', async () => {
  const calls: string[] = []
  let issued = 0
  relay = await TestRelay.open({
    options: { RetryTimes: 0 },
    async send({ url }) {
      const isIssue = url.includes('/oauth/')
      if (calls.length > CALLS_MAX) throw new Error('the calls do not end')
      calls.push(isIssue ? 'issue' : (new URL(url).searchParams.get('access_token') ?? ''))
      return isIssue
        ? receivedResponse(Response.json({ access_token: `token ${++issued}`, expires_in: 2_592_000 }))
        : reply(401)
    },
  })
  await relay.addChannel({ type: BAIDU, key_sealed: relay.encryptKey('key|secret') })
  const body = { model: 'lab', messages: [{ role: 'user', content: 'hi' }] }
  await relay.request('/v1/chat/completions', await relay.addToken(), body)
  expect(calls).toEqual(['issue', 'token 1', 'issue', 'token 2'])
})

test('leaves a URL that the server lacks once for each channel', async () => {
  const calls: string[] = []
  relay = await TestRelay.open({
    options: { RetryTimes: 3 },
    async send({ url }) {
      if (calls.length > CALLS_MAX) throw new Error('the calls do not end')
      calls.push(url.replace('http://', ''))
      return receivedResponse(new Response('no such page', { status: 404 }))
    },
  })
  for (const [base_url, priority] of [
    ['http://first.test', 9],
    ['http://second.test', 1],
  ] as const)
    await relay.addChannel({ base_url, priority })
  await relay.request('/v1/responses', await relay.addToken(), { model: 'lab', input: 'hi' })
  expect(calls).toEqual([
    'first.test/v1/responses',
    'first.test/v1/chat/completions',
    'second.test/v1/responses',
    'second.test/v1/chat/completions',
  ])
})

/** Requests a chat of a client that leaves while `leaveAt` is called. Returns the hosts that were called. */
async function leaveDuring(leaveAt: 'the credential' | 'the call') {
  const client = new AbortController()
  const calls: string[] = []
  relay = await TestRelay.open({
    options: { RetryTimes: 3, DisconnectReadSeconds: 60 },
    async send({ url }) {
      const isIssue = url.includes('/oauth/')
      calls.push(isIssue ? 'issue' : new URL(url).hostname)
      if (isIssue === (leaveAt === 'the credential')) client.abort()
      return isIssue ? receivedResponse(Response.json({ access_token: 't', expires_in: 9_999 })) : reply(500)
    },
  })
  for (const base_url of ['http://first.test', 'http://second.test'])
    await relay.addChannel({ type: BAIDU, base_url, key_sealed: relay.encryptKey('key|secret') })
  const token = await relay.addToken()
  const request = new Request('http://gateway.test/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer sk-${token}` },
    signal: client.signal,
  })
  const body = JSON.stringify({ model: 'lab', messages: [{ role: 'user', content: 'hi' }] })
  await runRelay(request, connectionFor(request, body), relay.context)
  return calls
}

test('calls nobody for a client that leaves before the first call', async () => {
  expect(await leaveDuring('the credential')).toEqual(['issue'])
})

test('calls no further channel for a client that leaves during a call', async () => {
  expect(await leaveDuring('the call')).toHaveLength(2)
})

test('does not count the other keys of a channel as retries', async () => {
  const { status, calls } = await requestChat(({ host }) => reply(host === 'first.test' ? 429 : 200), {
    retryTimes: 1,
    channels: [FIRST, SECOND],
  })
  expect(status).toBe(200)
  expect(calls.toSorted()).toEqual(['first.test a', 'first.test b', 'first.test c', 'second.test d'])
})

test('calls no further channel once the retries are used up', async () => {
  const { status, calls } = await requestChat(() => reply(503), { retryTimes: 0, channels: [FIRST, SECOND] })
  expect(status).toBe(503)
  expect(calls).toHaveLength(1)
})

test.each([
  ['no retries left', 503, 0],
  ['failure is final', 400, 3],
  [undefined, 200, 0],
] as const)('says %p of the channel that was not tried after %d', async (reason, status, retryTimes) => {
  await requestChat(() => reply(status), { retryTimes, channels: [FIRST, SECOND] })
  const { body } = await relay.db.selectFrom('receipts').select('body').executeTakeFirstOrThrow()
  const { candidates } = JSON.parse(body)
  expect(candidates.map((candidate: Record<string, unknown>) => candidate.obstacle)).toEqual([
    undefined,
    reason,
  ])
})

test('tries the other keys of a channel where no retries are allowed', async () => {
  const { status, calls } = await requestChat(() => reply(429), { retryTimes: 0, channels: [FIRST, SECOND] })
  expect(status).toBe(429)
  expect(calls.toSorted()).toEqual(['first.test a', 'first.test b', 'first.test c'])
})

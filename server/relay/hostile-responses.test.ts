import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Server } from 'bun'
import { send } from '../http-client/send.ts'
import { auditLedger } from '../ledger/audit.ts'
import { TestRelay } from '../testing/test-relay.ts'

/** A provider's answer that costs the reader far more than the sender. */
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const many = (count: number, entry: string) => `[${`${entry},`.repeat(count - 1)}${entry}]`
const json = (text: string) => new Response(text, { headers: { 'content-type': 'application/json' } })
const events = (...texts: string[]) =>
  new Response(texts.map(text => `data: ${text}\n\n`).join(''), {
    headers: { 'content-type': 'text/event-stream' },
  })

const HOSTILE: Readonly<Record<string, () => Response>> = {
  'three million choices': () => json(`{"choices":${many(3_000_000, '{}')}}`),
  'two million numbers for choices': () => json(`{"choices":${many(2_000_000, '0')}}`),
  'five million levels without an end': () => json('['.repeat(5_000_000)),
  'a hundred thousand levels in an unknown field': () =>
    json(`{"choices":[{"message":{"content":"ok"}}],"more":${nested(100_000)}}`),
  'a million numbers in the arguments of a call': () => {
    const call = {
      id: 'c',
      type: 'function',
      function: { name: 'f', arguments: `{"a":${many(1_000_000, '0')}}` },
    }
    return json(JSON.stringify({ choices: [{ message: { tool_calls: [call] } }] }))
  },
  'levels in an event': () => events(`{"choices":[{"delta":{"content":"ok"}}],"more":${nested(20_000)}}`),
  'a million choices in an event': () => events(`{"choices":${many(1_000_000, '{}')}}`),
  'an event of endless lines': () =>
    new Response('data: x\n'.repeat(1_000_000), { headers: { 'content-type': 'text/event-stream' } }),
  'repetition in disguise': () => {
    const body = Bun.gzipSync(`{"choices":[{"message":{"content":"${'a'.repeat(32 * 1024 * 1024)}"}}]}`)
    return new Response(body, { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } })
  },
}

let server: Server<undefined>
let relay: TestRelay
let respond: () => Response
beforeEach(async () => {
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => respond() })
  relay = await TestRelay.open({ send, wallet: WALLET, options: { RetryTimes: 1 } })
})
afterEach(async () => {
  await relay.close()
  await server.stop(true)
})

const chat = { model: 'lab', max_tokens: 10, messages: [{ role: 'user', content: 'hello' }] }
const gemini = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }
const CLIENTS: readonly (readonly [path: string, body: object])[] = [
  ['/v1/chat/completions', chat],
  ['/v1/chat/completions', { ...chat, stream: true }],
  ['/v1/messages', chat],
  ['/v1/messages', { ...chat, stream: true }],
  ['/v1/responses', { model: 'lab', input: 'hello' }],
  ['/v1beta/models/lab:generateContent', gemini],
  ['/v1beta/models/lab:streamGenerateContent', gemini],
]

const WALLET = 1_000_000

const readWallet = () =>
  relay.db.selectFrom('users').select(['quota', 'used_quota', 'held_quota']).executeTakeFirstOrThrow()

test.each(Object.entries(HOSTILE))('charges nothing and names the provider for %s', async (_, hostile) => {
  const prepared = hostile()
  respond = () => prepared.clone()
  await relay.addChannel({ base_url: server.url.href })
  const token = await relay.addToken()
  for (const [path, body] of CLIENTS) {
    const response = await relay.request(path, token, body)
    const text = await response.text()
    expect([path, response.status, text]).toEqual([
      path,
      502,
      expect.stringMatching(/upstream|response|stream/),
    ])
    expect(text.length).toBeLessThan(1_000)
  }
  expect(await readWallet()).toEqual({ quota: WALLET, used_quota: 0, held_quota: 0 })
  expect((await auditLedger(relay.db)).drift).toBe(0)
})

test.each(Object.entries(HOSTILE))('goes on to the next channel after %s', async (_, hostile) => {
  const responses = [hostile, () => json('{"choices":[{"message":{"content":"ok"}}]}')]
  respond = () => (responses.shift() ?? hostile)()
  for (const priority of [1, 0]) await relay.addChannel({ base_url: server.url.href, priority })
  const response = await relay.request('/v1/chat/completions', await relay.addToken(), chat)
  expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'ok' } }] })
})

test('passes on vectors and log probabilities, which have more numbers than other answers', async () => {
  const vectors = many(400, `{"embedding":${many(1_536, '0.123')}}`)
  respond = () => json(`{"data":${vectors},"usage":{"prompt_tokens":400,"total_tokens":400}}`)
  await relay.addChannel({ base_url: server.url.href })
  const token = await relay.addToken()
  const input = Array.from({ length: 400 }, () => 'hello')
  expect((await relay.request('/v1/embeddings', token, { model: 'lab', input })).status).toBe(200)
  const likely = many(20, '{"token":"a","logprob":-1.5,"bytes":[97]}')
  const tokens = many(5_000, `{"token":"a","logprob":-1.5,"bytes":[97],"top_logprobs":${likely}}`)
  respond = () => json(`{"choices":[{"message":{"content":"ok"},"logprobs":{"content":${tokens}}}]}`)
  const withLogprobs = { ...chat, logprobs: true, top_logprobs: 20 }
  expect((await relay.request('/v1/chat/completions', token, withLogprobs)).status).toBe(200)
  expect((await relay.request('/v1/chat/completions', token, chat)).status).toBe(502)
})

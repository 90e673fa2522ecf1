import { afterEach, describe, expect, test } from 'bun:test'
import { waitUntil } from '../../../tests/harness/wait-until.ts'
import type { Send } from '../../http-client/send.ts'
import { auditLedger } from '../../ledger/audit.ts'
import { receivedResponse } from '../../testing/received-response.ts'
import { connectionFor } from '../../testing/test-connection.ts'
import { TestRelay } from '../../testing/test-relay.ts'
import { relay as serve } from '../pipeline.ts'

const OPENAI = 1
const ANTHROPIC = 14
const BANNED = 2
const DISABLED = 2
const WAIT = { description: 'the response', timeoutMs: 20_000 }

const CHAT = `data: ${JSON.stringify({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'lab',
  choices: [{ index: 0, delta: { content: 'Hello there' }, finish_reason: null }],
})}\n\n`
const CLAUDE = [
  {
    type: 'message_start',
    message: { id: 'm', model: 'lab', usage: { input_tokens: 40, output_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello there' } },
]
  .map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join('')

let opened: TestRelay | undefined
afterEach(async () => {
  const audit = opened && (await auditLedger(opened.db))
  const holds = await opened?.db.selectFrom('holds').selectAll().execute()
  await opened?.close()
  opened = undefined
  expect({ drift: audit?.drift, holds }).toEqual({ drift: 0, holds: [] })
})

/** Sends the first events of a response, or nothing at all, and then stalls until it is ended. */
const stallAfter =
  (events: string): Send =>
  async (_request, { signal }) => {
    const stalled = Promise.withResolvers<never>()
    signal.addEventListener('abort', () => stalled.reject(new DOMException('aborted', 'AbortError')))
    if (events === '') return stalled.promise
    const body = new ReadableStream({
      start: controller => controller.enqueue(new TextEncoder().encode(events)),
    })
    return receivedResponse(
      new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
      () => undefined,
    )
  }

const messages = [{ role: 'user', content: 'Hi' }]
const chat = { model: 'lab', stream: true, max_tokens: 100, messages }

async function open(events: string, type: number = OPENAI) {
  opened = await TestRelay.open({ send: stallAfter(events) })
  await opened.addChannel({ type })
  const key = await opened.addToken()
  return { relay: opened, key, revoke: revoker(opened) }
}

const revoker = (relay: TestRelay) => () => relay.context.openCalls.check()

async function readFirst(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const first = await reader?.read()
  return {
    first: first?.value ?? '',
    async rest() {
      let text = ''
      for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read())
        text += part.value
      return text
    },
  }
}

const banOwner = (relay: TestRelay) => relay.db.updateTable('users').set({ status: BANNED }).execute()
const ENDS: Readonly<Record<string, (relay: TestRelay) => Promise<unknown>>> = {
  'the owner is banned': banOwner,
  'the owner is deleted': relay => relay.db.updateTable('users').set({ deleted_at: 5 }).execute(),
  'the token expires': relay => relay.db.updateTable('tokens').set({ expired_time: 5 }).execute(),
  'the token is disabled': relay => relay.db.updateTable('tokens').set({ status: DISABLED }).execute(),
  'the token is deleted': relay => relay.db.updateTable('tokens').set({ deleted_at: 5 }).execute(),
}

test.each(Object.entries(ENDS))(
  'a stream ends when %s, and what was delivered is charged',
  async (_, end) => {
    const { relay, key, revoke } = await open(CHAT)
    const stream = await readFirst(await relay.request('/v1/chat/completions', key, chat))
    expect(stream.first).toContain('Hello there')
    await revoke()
    expect(relay.context.openCalls.size).toBe(1)
    await end(relay)
    await revoke()
    expect(await stream.rest()).toContain('the token or sign-in has ended')
    expect(relay.context.openCalls.size).toBe(0)
    const log = await relay.db.selectFrom('logs').selectAll().executeTakeFirstOrThrow()
    expect(log.completion_tokens).toBeGreaterThan(0)
    expect(log.completion_tokens).toBeLessThan(10)
    expect(log.quota).toBe(log.prompt_tokens + 2 * log.completion_tokens)
  },
)

const CLIENTS = {
  chat: { path: '/v1/chat/completions', body: chat },
  completions: { path: '/v1/completions', body: { model: 'lab', stream: true, prompt: 'Hi' } },
  messages: { path: '/v1/messages', body: chat },
  responses: { path: '/v1/responses', body: { model: 'lab', stream: true, input: 'Hi' } },
  gemini: {
    path: '/v1beta/models/lab:streamGenerateContent?alt=sse',
    body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
  },
} as const
const PROVIDERS = [
  ['OpenAI', OPENAI, CHAT],
  ['Anthropic', ANTHROPIC, CLAUDE],
] as const

describe.each(PROVIDERS)('of %s', (_, type, events) => {
  test.each(Object.entries(CLIENTS).filter(([name]) => type === ANTHROPIC || name !== 'responses'))(
    'a stream of %s ends with the reason',
    async (_name, { path, body }) => {
      const { relay, key, revoke } = await open(events, type)
      const stream = await readFirst(await relay.request(path, key, body))
      await banOwner(relay)
      await revoke()
      expect(await stream.rest()).toContain('the token or sign-in has ended')
      const logs = await relay.db.selectFrom('logs').select('quota').execute()
      expect(logs).toHaveLength(1)
      expect(logs[0]?.quota).toBeGreaterThan(0)
    },
  )
})

test('a client that reads no further is charged all the same, and its upstream is let go', async () => {
  const { relay, key, revoke } = await open(CHAT)
  const response = await relay.request('/v1/chat/completions', key, chat)
  await banOwner(relay)
  await revoke()
  const holds = () => relay.db.selectFrom('holds').selectAll().execute()
  await waitUntil(WAIT, async () => (await holds()).length === 0)
  await response.body?.cancel()
})

test('a call that waits for its first output ends, too', async () => {
  const { relay, key, revoke } = await open('')
  const responding = relay.request('/v1/chat/completions', key, chat)
  await waitUntil(WAIT, () => relay.context.openCalls.size > 0)
  await banOwner(relay)
  await revoke()
  expect((await responding).ok).toBe(false)
  expect(relay.context.openCalls.size).toBe(0)
})

test('a stream of the playground ends with its session, and others go on', async () => {
  const { relay, revoke } = await open(CHAT)
  const sessions = ['first', 'second']
  for (const id_hash of sessions)
    await relay.db
      .insertInto('sessions')
      .values({ id_hash, user_id: relay.userId, created_at: 1, expires_at: 9e9 })
      .execute()
  const [first, second] = await Promise.all(
    sessions.map(async sessionHash => {
      const body = JSON.stringify(chat)
      const request = new Request('http://gateway.test/pg/chat/completions', { method: 'POST', body })
      const user = { id: relay.userId, username: 'caller', role: 1, group: 'default', walletUnits: 1_000_000 }
      const session = async () => ({ ...user, sessionHash })
      return readFirst(await serve(request, { ...connectionFor(request, body), session }, relay.context))
    }),
  )
  await relay.db.deleteFrom('sessions').where('id_hash', '=', 'first').execute()
  await revoke()
  expect(await first?.rest()).toContain('the token or sign-in has ended')
  expect(relay.context.openCalls.size).toBe(1)
  await relay.db.deleteFrom('sessions').execute()
  await revoke()
  expect(await second?.rest()).toContain('the token or sign-in has ended')
})

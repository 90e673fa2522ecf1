import { afterAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { elapsedMs, sleepMs } from '../core/clock.ts'
import { MIB } from '../core/limits.ts'
import { FAULTS } from './faults.ts'
import { serveLab } from './open-lab.ts'

const lab = serveLab({ port: 0 })
afterAll(() => lab.stop())

/** The bytes that arrived on the socket. The end is `open` when the connection still exists after the wait. */
interface ReceivedBytes {
  readonly head: string
  /** Raw, including chunk headers. */
  readonly body: string
  readonly end: 'ended' | 'reset' | 'open'
  readonly ms: number
  readonly writes: number
}

interface FaultRequest {
  readonly fault: string
  readonly isStream?: boolean
  readonly waitMs?: number
  readonly tools?: boolean
  readonly fields?: object
}

const TIMEOUT_MS = 5000
const tool = {
  type: 'function',
  function: { name: 'get_weather', parameters: { type: 'object', properties: {} } },
}

/** Sends a request over a plain socket, so that no HTTP client hides a fault. */
function send({
  fault,
  isStream = true,
  waitMs = TIMEOUT_MS,
  tools = false,
  fields = {},
}: FaultRequest): Promise<ReceivedBytes> {
  const body = JSON.stringify({
    model: 'gpt-4o-mini',
    messages: [{ role: 'user', content: 'hello there' }],
    ...(isStream && { stream: true, stream_options: { include_usage: true } }),
    ...(tools && { tools: [tool] }),
    ...fields,
  })
  const lines = [
    `POST /fault/${fault}/v1/chat/completions HTTP/1.1`,
    'Host: lab.test',
    'Connection: close',
    'Authorization: Bearer key',
    `Content-Length: ${body.length}`,
  ]
  return new Promise(resolve => {
    const pieces: Buffer[] = []
    const startedMs = elapsedMs()
    const socket = connect({ port: Number(new URL(lab.url).port), host: '127.0.0.1' })
    const finish = (end: ReceivedBytes['end']) => {
      clearTimeout(timer)
      socket.destroy()
      const [head = '', ...rest] = Buffer.concat(pieces).toString().split('\r\n\r\n')
      resolve({ head, body: rest.join('\r\n\r\n'), end, ms: elapsedMs() - startedMs, writes: pieces.length })
    }
    const timer = setTimeout(() => finish('open'), waitMs)
    socket.on('data', piece => pieces.push(typeof piece === 'string' ? Buffer.from(piece) : piece))
    socket.on('error', () => finish('reset'))
    socket.on('end', () => finish('ended'))
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`)
  })
}

const statusOf = (received: ReceivedBytes): number => Number(received.head.split(' ')[1])
const json = (received: ReceivedBytes) => JSON.parse(received.body)
const deltas = (received: ReceivedBytes): number =>
  received.body.match(/"delta":\{"content":"(?!"|")/g)?.length ?? 0
const LAST_CHUNK = /\r\n0\r\n\r\n$/

const DEFAULT_TOKENS_BEFORE = 3
const testProviderError = (fault: string, status: number, code: string | null) => async () => {
  const received = await send({ fault })
  expect(statusOf(received)).toBe(status)
  expect(json(received).error.code).toBe(code)
}

/** Tests each fault over a plain socket. */
const FAULT_TESTS: Readonly<Record<string, () => Promise<void>>> = {
  async tokens() {
    const received = await send({ fault: 'tokens-7' })
    expect(deltas(received)).toBe(7)
    expect(received.body).toContain('"completion_tokens":7')
  },
  async million() {
    const payload = json(await send({ fault: 'million', isStream: false }))
    expect(payload.usage.completion_tokens).toBe(1_000_000)
    expect(payload.choices[0].message.content.split(' ')).toHaveLength(1_000_000)
  },
  async reasoning() {
    const received = await send({ fault: 'reasoning-2' })
    expect(received.body.match(/reasoning_content/g)).toHaveLength(2)
    expect(received.body).toContain('"reasoning_tokens":2')
  },
  async cached() {
    const payload = json(await send({ fault: 'cached', isStream: false }))
    expect(payload.usage.prompt_tokens_details.cached_tokens).toBe(payload.usage.prompt_tokens)
  },
  async 'cache-write'() {
    const headers = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01', 'x-lab': 'cache-write-2' }
    const body = JSON.stringify({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hello' }] })
    const reply = await fetch(`${lab.url}/v1/messages`, { method: 'POST', headers, body })
    expect((await reply.json()).usage.cache_creation_input_tokens).toBe(2)
  },
  async tools() {
    const payload = json(await send({ fault: 'tools-2', isStream: false, tools: true }))
    expect(payload.choices[0].message.tool_calls).toHaveLength(2)
  },
  async filter() {
    const received = await send({ fault: 'filter' })
    expect(received.body).toContain('"finish_reason":"content_filter"')
    expect(deltas(received)).toBe(0)
  },
  async decline() {
    const received = await send({ fault: 'decline' })
    expect(received.body).toContain('"delta":{"refusal":"Hello"}')
  },
  async interleaved() {
    const { body } = await send({ fault: 'tools-2+interleaved', tools: true })
    const indexes = [...body.matchAll(/"tool_calls":\[\{"index":(\d)/g)].map(match => match[1])
    expect(indexes.slice(0, 4)).toEqual(['0', '1', '0', '1'])
  },
  async lenient() {
    const result = { role: 'tool', tool_call_id: 'unknown', content: 'x' }
    const fields = { messages: [result], unheard_of: 1 }
    expect((await send({ fault: 'status-418', isStream: false, fields })).head).toContain(' 400 ')
    expect((await send({ fault: 'lenient', isStream: false, fields })).head).toContain(' 200 ')
  },
  async huge() {
    const received = await send({ fault: `huge-${2 * MIB}` })
    expect(received.body).toContain('x'.repeat(2 * MIB))
  },
  async 'no-usage'() {
    expect((await send({ fault: 'no-usage' })).body).not.toContain('prompt_tokens')
    expect(json(await send({ fault: 'no-usage', isStream: false })).usage).toBeUndefined()
  },
  async 'zero-usage'() {
    const { usage } = json(await send({ fault: 'zero-usage', isStream: false }))
    expect([usage.prompt_tokens, usage.completion_tokens, usage.total_tokens]).toEqual([0, 0, 0])
  },
  async 'slow-headers'() {
    const early = await send({ fault: 'slow-headers-120', waitMs: 60 })
    expect([early.head, early.end]).toEqual(['', 'open'])
    const received = await send({ fault: 'slow-headers-120' })
    expect([statusOf(received), received.ms >= 115]).toEqual([200, true])
  },
  async hang() {
    const received = await send({ fault: 'hang', waitMs: 150 })
    expect([received.head, received.end]).toEqual(['', 'open'])
  },
  async 'first-token'() {
    const early = await send({ fault: 'first-token-150', waitMs: 90 })
    expect([statusOf(early), deltas(early), early.end]).toEqual([200, 0, 'open'])
    expect(deltas(await send({ fault: 'first-token-150' }))).toBe(22)
  },
  async pace() {
    const received = await send({ fault: 'pace-20+tokens-5' })
    expect([deltas(received), received.ms >= 95, received.writes >= 5]).toEqual([5, true, true])
  },
  async drip() {
    const received = await send({ fault: 'drip-16+tokens-2' })
    expect(received.writes).toBeGreaterThan(20)
    expect(received.body).toContain('\r\n10\r\n')
  },
  async status() {
    const received = await send({ fault: 'status-418' })
    expect([statusOf(received), json(received).error.type]).toEqual([418, 'invalid_request_error'])
    expect((await send({ fault: 'status-429' })).head).toMatch(/retry-after: 2/i)
  },
  async 'hidden-error'() {
    const received = await send({ fault: 'hidden-error-503' })
    expect([statusOf(received), json(received).error.type]).toEqual([200, 'server_error'])
  },
  async html() {
    const received = await send({ fault: 'html' })
    expect([statusOf(received), received.body.startsWith('<html>')]).toEqual([502, true])
    expect(received.head).toMatch(/content-type: text\/html/i)
  },
  async 'retry-after'() {
    expect((await send({ fault: 'status-500+retry-after-7' })).head).toMatch(/retry-after: 7/i)
  },
  'dead-key': testProviderError('dead-key', 401, 'invalid_api_key'),
  'no-money': testProviderError('no-money', 429, 'insufficient_quota'),
  'rate-limit': testProviderError('rate-limit', 429, 'rate_limit_exceeded'),
  'context-length': testProviderError('context-length', 400, 'context_length_exceeded'),
  'no-model': testProviderError('no-model', 404, 'model_not_found'),
  overloaded: testProviderError('overloaded', 503, null),
  async empty() {
    const received = await send({ fault: 'empty' })
    expect([statusOf(received), received.body]).toEqual([200, ''])
  },
  async garbage() {
    const received = await send({ fault: 'garbage', isStream: false })
    expect(statusOf(received)).toBe(200)
    expect(() => json(received)).toThrow()
  },
  async 'wrong-type'() {
    const received = await send({ fault: 'wrong-type', isStream: false })
    expect(received.head).toMatch(/content-type: text\/plain/i)
    expect(json(received).object).toBe('chat.completion')
  },
  async 'json-for-stream'() {
    const received = await send({ fault: 'json-for-stream' })
    expect(received.head).toMatch(/content-type: application\/json/i)
    expect(json(received).object).toBe('chat.completion')
  },
  async 'stream-for-json'() {
    const received = await send({ fault: 'stream-for-json', isStream: false })
    expect(received.head).toMatch(/content-type: text\/event-stream/i)
    expect(received.body).toContain('data: [DONE]')
  },
  async reset() {
    const received = await send({ fault: 'reset' })
    expect([received.head, received.end]).toEqual(['', 'reset'])
  },
  async cut() {
    const received = await send({ fault: 'cut' })
    expect([deltas(received), received.end]).toEqual([DEFAULT_TOKENS_BEFORE, 'reset'])
    expect(received.body).toMatch(/"model":"gpt-4o-mini",?[^}]*$/)
    const json = await send({ fault: 'cut', isStream: false })
    expect([json.end, LAST_CHUNK.test(json.body)]).toEqual(['reset', false])
  },
  async 'half-event'() {
    const received = await send({ fault: 'half-event-1' })
    expect([deltas(received), received.end, LAST_CHUNK.test(received.body)]).toEqual([1, 'ended', true])
    expect(received.body.replace(LAST_CHUNK, '')).not.toMatch(/\}\n\n$/)
  },
  async 'no-finish'() {
    const received = await send({ fault: 'no-finish' })
    expect([deltas(received), received.end]).toEqual([DEFAULT_TOKENS_BEFORE, 'ended'])
    expect(received.body).not.toMatch(/"finish_reason":"|\[DONE\]|prompt_tokens/)
  },
  async stall() {
    const received = await send({ fault: 'stall-2', waitMs: 200 })
    expect([deltas(received), received.end]).toEqual([2, 'open'])
  },
  async chatter() {
    const received = await send({ fault: 'chatter-2', waitMs: 300 })
    expect([deltas(received), received.end]).toEqual([2, 'open'])
    expect(received.body.match(/: still here\n\n/g)?.length).toBeGreaterThan(2)
  },
  async 'error-event'() {
    const received = await send({ fault: 'error-event' })
    expect([deltas(received), received.end]).toEqual([DEFAULT_TOKENS_BEFORE, 'ended'])
    expect(received.body).toMatch(/data: \{"error":/)
  },
  async 'broken-event'() {
    const received = await send({ fault: 'broken-event' })
    expect([deltas(received), received.end]).toEqual([DEFAULT_TOKENS_BEFORE, 'ended'])
    expect(received.body).toContain('{"choices":[{"delta":\n\n')
  },
  async 'no-end-mark'() {
    const received = await send({ fault: 'no-end-mark' })
    expect(received.body).toContain('"finish_reason":"stop"')
    expect(received.body).not.toContain('[DONE]')
  },
  async 'task-ms'() {
    expect(await submitAndFindDrawing('task-ms-1')).toMatchObject({ status: 'SUCCESS' })
  },
  async 'task-fail'() {
    expect(await submitAndFindDrawing('task-ms-1+task-fail')).toMatchObject({ status: 'FAILURE' })
  },
  async 'task-stuck'() {
    expect(await submitAndFindDrawing('task-ms-1+task-stuck')).toMatchObject({ status: 'IN_PROGRESS' })
  },
  async 'task-lost'() {
    expect(await submitAndFindDrawing('task-lost')).toBeUndefined()
  },
  async 'task-code'() {
    expect(await submitDrawing('task-code-23')).toMatchObject({ code: 23 })
  },
}

const callDrawing = async (path: string, body: unknown) => {
  const init = { method: 'POST', headers: { 'mj-api-secret': 'lab' }, body: JSON.stringify(body) }
  return (await fetch(lab.url + path, init)).json()
}
const submitDrawing = (fault: string) => callDrawing('/mj/submit/imagine', { prompt: `a [lab: ${fault}]` })

/** Submits a drawing and returns its task shortly afterwards. */
async function submitAndFindDrawing(fault: string): Promise<unknown> {
  const { result } = await submitDrawing(fault)
  await sleepMs(10)
  return (await callDrawing('/mj/task/list-by-condition', { ids: [result] }))[0]
}

test('every fault has a test over a plain socket', () => {
  expect(Object.keys(FAULT_TESTS).sort()).toEqual(Object.keys(FAULTS).sort())
})

test.each(Object.entries(FAULT_TESTS))('the fault %s behaves as its description says', (_, run) => run())

test('every fault has a description of one line', () => {
  for (const { says } of Object.values(FAULTS)) expect(says).toMatch(/^[^\n]{10,110}$/)
})

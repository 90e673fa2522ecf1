import { afterAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { elapsedMs, sleepMs } from '../core/clock.ts'
import { MIB } from '../core/limits.ts'
import { FAULTS } from './faults.ts'
import { serveLab } from './open-lab.ts'

const lab = serveLab({ port: 0 })
afterAll(() => lab.stop())

/** What came over the socket. `open`: the time was up and the connection still stood. */
interface ClientView {
  readonly head: string
  /** As sent, with the marks of chunks. */
  readonly body: string
  readonly end: 'ended' | 'reset' | 'open'
  readonly ms: number
  readonly writes: number
}

interface HttpExchange {
  readonly fault: string
  readonly isStream?: boolean
  readonly waitMs?: number
  readonly tools?: boolean
}

const TIMEOUT_MS = 5000
const tool = { type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }

/** Speaks HTTP on a bare socket, so that nothing is repaired on the way. */
function ask({
  fault,
  isStream = true,
  waitMs = TIMEOUT_MS,
  tools = false,
}: HttpExchange): Promise<ClientView> {
  const body = JSON.stringify({
    model: 'gpt-4o-mini',
    messages: [{ role: 'user', content: 'hello there' }],
    ...(isStream && { stream: true, stream_options: { include_usage: true } }),
    ...(tools && { tools: [tool] }),
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
    const finish = (end: ClientView['end']) => {
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

const statusOf = (view: ClientView): number => Number(view.head.split(' ')[1])
const json = (view: ClientView) => JSON.parse(view.body)
const deltas = (view: ClientView): number => view.body.match(/"delta":\{"content":"(?!"|")/g)?.length ?? 0
const LAST_CHUNK = /\r\n0\r\n\r\n$/

const TOKENS_BEFORE = 3
const vendorError = (fault: string, status: number, code: string | null) => async () => {
  const view = await ask({ fault })
  expect(statusOf(view)).toBe(status)
  expect(json(view).error.code).toBe(code)
}

/** For each fault, what a bare socket sees of it. */
const PROOFS: Readonly<Record<string, () => Promise<void>>> = {
  async tokens() {
    const view = await ask({ fault: 'tokens-7' })
    expect(deltas(view)).toBe(7)
    expect(view.body).toContain('"completion_tokens":7')
  },
  async million() {
    const payload = json(await ask({ fault: 'million', isStream: false }))
    expect(payload.usage.completion_tokens).toBe(1_000_000)
    expect(payload.choices[0].message.content.split(' ')).toHaveLength(1_000_000)
  },
  async reasoning() {
    const view = await ask({ fault: 'reasoning-2' })
    expect(view.body.match(/reasoning_content/g)).toHaveLength(2)
    expect(view.body).toContain('"reasoning_tokens":2')
  },
  async cached() {
    const payload = json(await ask({ fault: 'cached', isStream: false }))
    expect(payload.usage.prompt_tokens_details.cached_tokens).toBe(payload.usage.prompt_tokens)
  },
  async 'cache-write'() {
    const headers = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01', 'x-lab': 'cache-write-2' }
    const body = JSON.stringify({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hello' }] })
    const reply = await fetch(`${lab.url}/v1/messages`, { method: 'POST', headers, body })
    expect((await reply.json()).usage.cache_creation_input_tokens).toBe(2)
  },
  async tools() {
    const payload = json(await ask({ fault: 'tools-2', isStream: false, tools: true }))
    expect(payload.choices[0].message.tool_calls).toHaveLength(2)
  },
  async filter() {
    const view = await ask({ fault: 'filter' })
    expect(view.body).toContain('"finish_reason":"content_filter"')
    expect(deltas(view)).toBe(0)
  },
  async huge() {
    const view = await ask({ fault: `huge-${2 * MIB}` })
    expect(view.body).toContain('x'.repeat(2 * MIB))
  },
  async 'no-usage'() {
    expect((await ask({ fault: 'no-usage' })).body).not.toContain('prompt_tokens')
    expect(json(await ask({ fault: 'no-usage', isStream: false })).usage).toBeUndefined()
  },
  async 'zero-usage'() {
    const { usage } = json(await ask({ fault: 'zero-usage', isStream: false }))
    expect([usage.prompt_tokens, usage.completion_tokens, usage.total_tokens]).toEqual([0, 0, 0])
  },
  async 'slow-headers'() {
    const early = await ask({ fault: 'slow-headers-120', waitMs: 60 })
    expect([early.head, early.end]).toEqual(['', 'open'])
    const view = await ask({ fault: 'slow-headers-120' })
    expect([statusOf(view), view.ms >= 115]).toEqual([200, true])
  },
  async hang() {
    const view = await ask({ fault: 'hang', waitMs: 150 })
    expect([view.head, view.end]).toEqual(['', 'open'])
  },
  async 'first-token'() {
    const early = await ask({ fault: 'first-token-150', waitMs: 90 })
    expect([statusOf(early), deltas(early), early.end]).toEqual([200, 0, 'open'])
    expect(deltas(await ask({ fault: 'first-token-150' }))).toBe(22)
  },
  async pace() {
    const view = await ask({ fault: 'pace-20+tokens-5' })
    expect([deltas(view), view.ms >= 95, view.writes >= 5]).toEqual([5, true, true])
  },
  async drip() {
    const view = await ask({ fault: 'drip-16+tokens-2' })
    expect(view.writes).toBeGreaterThan(20)
    expect(view.body).toContain('\r\n10\r\n')
  },
  async status() {
    const view = await ask({ fault: 'status-418' })
    expect([statusOf(view), json(view).error.type]).toEqual([418, 'invalid_request_error'])
    expect((await ask({ fault: 'status-429' })).head).toMatch(/retry-after: 2/i)
  },
  async 'hidden-error'() {
    const view = await ask({ fault: 'hidden-error-503' })
    expect([statusOf(view), json(view).error.type]).toEqual([200, 'server_error'])
  },
  async html() {
    const view = await ask({ fault: 'html' })
    expect([statusOf(view), view.body.startsWith('<html>')]).toEqual([502, true])
    expect(view.head).toMatch(/content-type: text\/html/i)
  },
  async 'retry-after'() {
    expect((await ask({ fault: 'status-500+retry-after-7' })).head).toMatch(/retry-after: 7/i)
  },
  'dead-key': vendorError('dead-key', 401, 'invalid_api_key'),
  'no-money': vendorError('no-money', 429, 'insufficient_quota'),
  'rate-limit': vendorError('rate-limit', 429, 'rate_limit_exceeded'),
  'context-length': vendorError('context-length', 400, 'context_length_exceeded'),
  'no-model': vendorError('no-model', 404, 'model_not_found'),
  overloaded: vendorError('overloaded', 503, null),
  async empty() {
    const view = await ask({ fault: 'empty' })
    expect([statusOf(view), view.body]).toEqual([200, ''])
  },
  async garbage() {
    const view = await ask({ fault: 'garbage', isStream: false })
    expect(statusOf(view)).toBe(200)
    expect(() => json(view)).toThrow()
  },
  async 'wrong-type'() {
    const view = await ask({ fault: 'wrong-type', isStream: false })
    expect(view.head).toMatch(/content-type: text\/plain/i)
    expect(json(view).object).toBe('chat.completion')
  },
  async 'json-for-stream'() {
    const view = await ask({ fault: 'json-for-stream' })
    expect(view.head).toMatch(/content-type: application\/json/i)
    expect(json(view).object).toBe('chat.completion')
  },
  async 'stream-for-json'() {
    const view = await ask({ fault: 'stream-for-json', isStream: false })
    expect(view.head).toMatch(/content-type: text\/event-stream/i)
    expect(view.body).toContain('data: [DONE]')
  },
  async reset() {
    const view = await ask({ fault: 'reset' })
    expect([view.head, view.end]).toEqual(['', 'reset'])
  },
  async cut() {
    const view = await ask({ fault: 'cut' })
    expect([deltas(view), view.end]).toEqual([TOKENS_BEFORE, 'reset'])
    expect(view.body).toMatch(/"model":"gpt-4o-mini",?[^}]*$/)
    const json = await ask({ fault: 'cut', isStream: false })
    expect([json.end, LAST_CHUNK.test(json.body)]).toEqual(['reset', false])
  },
  async 'half-event'() {
    const view = await ask({ fault: 'half-event-1' })
    expect([deltas(view), view.end, LAST_CHUNK.test(view.body)]).toEqual([1, 'ended', true])
    expect(view.body.replace(LAST_CHUNK, '')).not.toMatch(/\}\n\n$/)
  },
  async 'no-finish'() {
    const view = await ask({ fault: 'no-finish' })
    expect([deltas(view), view.end]).toEqual([TOKENS_BEFORE, 'ended'])
    expect(view.body).not.toMatch(/"finish_reason":"|\[DONE\]|prompt_tokens/)
  },
  async stall() {
    const view = await ask({ fault: 'stall-2', waitMs: 200 })
    expect([deltas(view), view.end]).toEqual([2, 'open'])
  },
  async chatter() {
    const view = await ask({ fault: 'chatter-2', waitMs: 300 })
    expect([deltas(view), view.end]).toEqual([2, 'open'])
    expect(view.body.match(/: still here\n\n/g)?.length).toBeGreaterThan(2)
  },
  async 'error-event'() {
    const view = await ask({ fault: 'error-event' })
    expect([deltas(view), view.end]).toEqual([TOKENS_BEFORE, 'ended'])
    expect(view.body).toMatch(/data: \{"error":/)
  },
  async 'broken-event'() {
    const view = await ask({ fault: 'broken-event' })
    expect([deltas(view), view.end]).toEqual([TOKENS_BEFORE, 'ended'])
    expect(view.body).toContain('{"choices":[{"delta":\n\n')
  },
  async 'no-end-mark'() {
    const view = await ask({ fault: 'no-end-mark' })
    expect(view.body).toContain('"finish_reason":"stop"')
    expect(view.body).not.toContain('[DONE]')
  },
  async 'task-ms'() {
    expect(await drawn('task-ms-1')).toMatchObject({ status: 'SUCCESS' })
  },
  async 'task-fail'() {
    expect(await drawn('task-ms-1+task-fail')).toMatchObject({ status: 'FAILURE' })
  },
  async 'task-stuck'() {
    expect(await drawn('task-ms-1+task-stuck')).toMatchObject({ status: 'IN_PROGRESS' })
  },
  async 'task-lost'() {
    expect(await drawn('task-lost')).toBeUndefined()
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

/** What a drawing has become after a moment. */
async function drawn(fault: string): Promise<unknown> {
  const { result } = await submitDrawing(fault)
  await sleepMs(10)
  return (await callDrawing('/mj/task/list-by-condition', { ids: [result] }))[0]
}

test('every fault has a proof', () => {
  expect(Object.keys(PROOFS).sort()).toEqual(Object.keys(FAULTS).sort())
})

test.each(Object.entries(PROOFS))('%s does on the wire what the list says', (_, prove) => prove())

test('the list says what each fault does in one line', () => {
  for (const { says } of Object.values(FAULTS)) expect(says).toMatch(/^[^\n]{10,110}$/)
})

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dialect } from '../../server/dialects/openai/index.ts'
import type { AnswerContext } from '../../server/provider-kit/client-dialect.ts'
import { openFraming } from '../../server/provider-kit/framing/open-framing.ts'
import { listOf, objectOf } from '../../server/provider-kit/json.ts'
import type { ChatExchange } from '../../server/provider-kit/provider.ts'
import { provider as anthropic } from '../../server/providers/anthropic/index.ts'
import { provider as gemini } from '../../server/providers/gemini/index.ts'
import { toRecordedChannel } from './recorded-channel.ts'
import { readFixtures } from './vendor-fixtures.ts'

const golden = (file: string): unknown => JSON.parse(readFileSync(`tests/providers/fixtures/${file}`, 'utf8'))
const context: AnswerContext = {
  requestId: 'request-1',
  model: 'asked',
  nowSeconds: 1_751_300_000,
  wantsUsage: true,
}

/** The SSE text that a client of the OpenAI dialect gets for a vendor's recorded stream. */
function translate(vendor: string, file: string, chat: ChatExchange | undefined): string {
  const reader = chat?.stream?.(
    toRecordedChannel(undefined).callOf({ model: 'asked', messages: [] }, 'asked', true),
  )
  if (!reader) throw new Error(`${vendor} does not stream`)
  const framer = openFraming('sse')
  const writer = dialect.chat.openWriter(context)
  const bytes = new TextEncoder().encode(readFixtures(vendor).text(file))
  const pieces = [...framer.push(bytes), ...framer.end()].flatMap(event => reader.read(event))
  const written = pieces.map(piece =>
    piece.type === 'failure' ? writer.fail(piece.failure) : writer.write(piece),
  )
  return written.join('') + writer.end(reader.end().usage)
}

const eventsOf = (text: string): readonly unknown[] =>
  text
    .split('\n\n')
    .filter(Boolean)
    .map(event => event.replace(/^data: /, ''))
    .map(data => (data === '[DONE]' ? data : JSON.parse(data)))

/** Placeholders such as `<call id>` stand for whatever was made up. */
function withAnyPlaceholder(value: unknown): unknown {
  if (typeof value === 'string') return /^<.*>$/.test(value) ? expect.anything() : value
  if (Array.isArray(value)) return value.map(withAnyPlaceholder)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withAnyPlaceholder(inner)]))
}

test.each([
  ['anthropic', 'anthropic-stream-tools.to-openai.json', anthropic.chat],
  ['gemini', 'gemini-stream-tools.to-openai.json', gemini.chat],
] as const)('%s: a stream with tool calls reads as OpenAI chunks', (vendor, file, chat) => {
  const expected = listOf(objectOf(golden(file)).chunks)
  const events = eventsOf(translate(vendor, 'stream-tools.sse.txt', chat))
  expect(events).toHaveLength(expected.length)
  for (const [index, event] of events.entries())
    expect({ index, event }).toMatchObject({ index, event: withAnyPlaceholder(expected[index]) })
})

test('an error has the shape of the OpenAI dialect', () => {
  const { canonical, openai } = objectOf(golden('errors.to-client-formats.json'))
  const { status, type, code, message } = objectOf(canonical)
  const written = dialect.writeError(
    { status: Number(status), type: String(type), code: String(code), message: String(message) },
    'request-1',
  )
  const expected = objectOf(objectOf(openai).error)
  expect(written).toEqual({
    error: { ...expected, param: '', message: `${expected.message} (request id: request-1)` },
  })
})

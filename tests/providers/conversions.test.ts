import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { NO_USAGE } from '#server/core/usage.ts'
import { dialect as anthropicDialect } from '#server/dialects/anthropic/index.ts'
import { dialect as geminiDialect } from '#server/dialects/gemini/index.ts'
import { dialect as openaiDialect } from '#server/dialects/openai/index.ts'
import { responseContext } from '#server/dialects/testing.ts'
import type { ChatReply } from '#server/provider-kit/contract/chat.ts'
import type { ClientDialect } from '#server/provider-kit/contract/client-dialect.ts'
import type { Provider } from '#server/provider-kit/contract/provider.ts'
import { createFramer } from '#server/provider-kit/framing/framers.ts'
import { asArray, asObject } from '#server/provider-kit/json.ts'
import { readOpenaiUsage } from '#server/provider-kit/openai-compatible/chat-response.ts'
import { isChatChunk } from '#server/provider-kit/reply-chunks.ts'
import { provider as anthropic } from '#server/providers/anthropic/index.ts'
import { provider as deepseek } from '#server/providers/deepseek/index.ts'
import { provider as gemini } from '#server/providers/gemini/index.ts'
import { provider as openai } from '#server/providers/openai/index.ts'
import { readFixtures } from './provider-fixtures.ts'
import { toRecordedChannel } from './recorded-channel.ts'

const golden = (file: string): Readonly<Record<string, unknown>> =>
  asObject(JSON.parse(readFileSync(`tests/providers/fixtures/${file}`, 'utf8')))
const context = responseContext({ urlParams: { alt: 'sse' } })
const channel = toRecordedChannel(undefined)

/** The text that a client receives for a provider's recorded stream. */
function translate(client: ClientDialect, { name, chat }: Provider, recorded: string): string {
  const reader = chat?.stream?.(channel.callOf({ model: 'asked', messages: [] }, 'asked', true))
  if (!reader) throw new Error(`${name} does not stream`)
  const [provider = '', file] = recorded.split('/')
  const framer = createFramer('sse')
  const writer = client.chat.createWriter(context)
  const bytes = new TextEncoder().encode(readFixtures(provider).text(`${file}.sse.txt`))
  const pieces = [...framer.push(bytes), ...framer.end()].flatMap(event => reader.read(event))
  const written = pieces.map(piece => {
    if (piece.type === 'failure') return writer.fail(piece.failure)
    return isChatChunk(piece) ? writer.write(piece) : ''
  })
  return written.join('') + writer.end(reader.end().usage)
}

/** The event bodies, read by the project's own framing. */
const eventsOf = (text: string): readonly unknown[] =>
  createFramer('sse')
    .push(new TextEncoder().encode(text))
    .map(({ data }) => (data === '[DONE]' ? data : JSON.parse(data)))

/** Placeholders such as `<call id>` match any generated value. */
function withAnyPlaceholder(value: unknown): unknown {
  if (typeof value === 'string') return /^<.*>$|^call_gw_/.test(value) ? expect.anything() : value
  if (Array.isArray(value)) return value.map(withAnyPlaceholder)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withAnyPlaceholder(inner)]))
}

const streams = [
  {
    golden: 'anthropic-stream-tools.to-openai',
    provider: anthropic,
    file: 'anthropic/stream-tools',
    client: openaiDialect,
  },
  {
    golden: 'gemini-stream-tools.to-openai',
    provider: gemini,
    file: 'gemini/stream-tools',
    client: openaiDialect,
  },
  {
    golden: 'openai-stream-tools.to-anthropic',
    provider: openai,
    file: 'openai/chat-stream-tools',
    client: anthropicDialect,
  },
  {
    golden: 'openai-stream-tools.to-gemini',
    provider: openai,
    file: 'openai/chat-stream-tools',
    client: geminiDialect,
  },
  {
    golden: 'openai-stream.to-gemini',
    provider: openai,
    file: 'openai/chat-stream',
    client: geminiDialect,
  },
  {
    golden: 'deepseek-stream-reasoner.to-anthropic',
    provider: deepseek,
    file: 'deepseek/chat-stream-reasoner',
    client: anthropicDialect,
  },
]

test.each(streams)(
  'converts a stream to the recorded $golden',
  ({ golden: recorded, provider, file, client }) => {
    const { chunks, events: named, frames } = golden(`${recorded}.json`)
    const expected = asArray(chunks ?? named ?? frames)
    const events = eventsOf(translate(client, provider, file))
    expect(events).toHaveLength(expected.length)
    for (const [index, event] of events.entries())
      expect({ index, event }).toMatchObject({ index, event: withAnyPlaceholder(expected[index]) })
  },
)

test.each([
  ['anthropic-messages', anthropicDialect],
  ['gemini-generateContent', geminiDialect],
] as const)('converts a %s request to strict OpenAI format', (recorded, client) => {
  const sent = golden(`${recorded}.request.json`)
  const { body, isStream } = client.chat.parse(sent, { model: 'MODEL' })
  const call = { ...channel.callOf(body, 'MODEL', isStream), isTranslated: true }
  expect(JSON.parse(String(openai.chat?.request(call).body))).toEqual(
    withAnyPlaceholder(golden(`${recorded}.as-openai.json`)),
  )
})

test('converts a complete response with tool calls to a Claude message', () => {
  const { body } = golden('openai-chat-tools.to-anthropic.json')
  const call = channel.callOf({ model: 'asked', messages: [] }, 'asked')
  const replied = openai.chat?.reply(readFixtures('openai').json('chat-tools.json'), call)
  if (replied?.kind !== 'reply') throw new Error('expected a reply')
  const written = anthropicDialect.chat.writeReply(replied.reply, replied.usage ?? NO_USAGE, context)
  expect(written).toEqual(asObject(withAnyPlaceholder(body)))
})

test("reports cached tokens next to Claude's input tokens", () => {
  const { input_usage, output_usage } = golden('openai-cached-usage.to-anthropic.json')
  const reply: ChatReply = { choices: [] }
  const written = anthropicDialect.chat.writeReply(reply, readOpenaiUsage(input_usage) ?? NO_USAGE, context)
  expect(written.usage).toEqual(output_usage)
})

test.each([openaiDialect, anthropicDialect, geminiDialect])(
  'writes an error in the shape of the dialect $name',
  client => {
    const { canonical, ...shapes } = golden('errors.to-client-formats.json')
    const { status, type, code, message } = asObject(canonical)
    const error = { status: Number(status), type: String(type), code: String(code), message: String(message) }
    const written = JSON.stringify(client.writeError(error, 'r-1')).replaceAll(' (request id: r-1)', '')
    const { param, ...expected } = asObject(asObject(shapes[client.name]).error)
    expect(JSON.parse(written)).toMatchObject({ ...asObject(shapes[client.name]), error: expected })
  },
)

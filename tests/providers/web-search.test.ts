import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { NO_USAGE } from '#server/core/usage.ts'
import { dialect as anthropicDialect } from '#server/dialects/anthropic/index.ts'
import { dialect as geminiDialect } from '#server/dialects/gemini/index.ts'
import { dialect as openaiDialect } from '#server/dialects/openai/index.ts'
import { dialect as responsesDialect } from '#server/dialects/responses/index.ts'
import { responseContext } from '#server/dialects/testing.ts'
import type { ChatReply } from '#server/provider-kit/contract/chat.ts'
import type { ClientDialect } from '#server/provider-kit/contract/client-dialect.ts'
import type { Provider } from '#server/provider-kit/contract/provider.ts'
import { createFramer } from '#server/provider-kit/framing/framers.ts'
import { asArray, asObject, type JsonObject } from '#server/provider-kit/json.ts'
import { createReplyCollector, isChatChunk } from '#server/provider-kit/reply-chunks.ts'
import { provider as anthropic } from '#server/providers/anthropic/index.ts'
import { provider as gemini } from '#server/providers/gemini/index.ts'
import { provider as openai } from '#server/providers/openai/index.ts'
import { provider as openrouter } from '#server/providers/openrouter/index.ts'
import { provider as perplexity } from '#server/providers/perplexity/index.ts'
import { provider as zhipu } from '#server/providers/zhipu-v4/index.ts'
import { readSdkTypes } from '../harness/sdk-types.ts'
import { byteByByte } from './read-recorded.ts'
import { toRecordedChannel } from './recorded-channel.ts'

const URL = 'https://en.wikipedia.org/wiki/Claude_Shannon'
const TITLE = 'Claude Shannon - Wikipedia'
const QUERY = 'claude shannon birth date'
const CITED = 'Claude Shannon was born on April 30, 1916, in Petoskey, Michigan'

/** What the providers' documented examples contain: the query, and a citation with its place in the text. */
const EXAMPLES = [
  { name: 'anthropic', provider: anthropic, hasQuery: true, isPlaced: true },
  { name: 'openai', provider: openai, hasQuery: true, isPlaced: true },
  { name: 'gemini', provider: gemini, hasQuery: true, isPlaced: true },
  { name: 'openrouter', provider: openrouter, hasQuery: false, isPlaced: true },
  { name: 'perplexity', provider: perplexity, hasQuery: false, isPlaced: false },
  { name: 'zhipu-v4', provider: zhipu, hasQuery: false, isPlaced: false },
]

const fixture = (file: string): string => readFileSync(`tests/providers/fixtures/web-search/${file}`, 'utf8')
const call = (isStream: boolean) => ({
  ...toRecordedChannel(undefined).callOf({ model: 'm', messages: [] }, 'm', isStream),
  isTranslated: true,
  hostedTools: { tools: [{ name: 'web_search' } as const] },
})

function readJson({ chat }: Provider, name: string) {
  const result = chat?.reply(JSON.parse(fixture(`${name}.json`)), call(false))
  if (result?.kind !== 'reply') throw new Error(`${name} has no reply`)
  return result
}

/** The pieces of a recorded stream that arrives byte by byte. */
function readStream({ chat }: Provider, name: string) {
  const reader = chat?.stream?.(call(true))
  if (!reader) throw new Error(`${name} does not stream`)
  const framer = createFramer('sse')
  const bytes = new TextEncoder().encode(fixture(`${name}.sse.txt`))
  const events = [...byteByByte(bytes)].flatMap(part => framer.push(part))
  const chunks = [...events, ...framer.end()].flatMap(event => reader.read(event)).filter(isChatChunk)
  return { chunks, usage: reader.end().usage, isComplete: reader.end().isComplete }
}

function collect(chunks: ReturnType<typeof readStream>['chunks']): ChatReply {
  const collector = createReplyCollector()
  for (const chunk of chunks) if (isChatChunk(chunk)) collector.add(chunk)
  return collector.reply()
}

test.each(EXAMPLES)('reads the search and the citations of $name, also from a stream', example => {
  const { name, provider, hasQuery, isPlaced } = example
  const json = readJson(provider, name)
  const stream = readStream(provider, name)
  const [choice] = json.reply.choices
  if (!choice) throw new Error(`${name} has no choice`)
  const [search] = choice.searches ?? []
  const [citation] = choice.citations ?? []
  expect(stream.isComplete).toBe(true)
  const collected = collect(stream.chunks).choices[0]
  expect(collected?.text).toBe(choice.text)
  expect(collected?.citations).toEqual(choice.citations)
  expect(collected?.searches).toEqual(choice.searches)
  expect(stream.usage).toEqual(json.usage)
  if (hasQuery) expect(search?.queries).toEqual([QUERY])
  expect([...(search?.sources ?? []), citation].map(source => source?.url)).toContain(URL)
  expect(isPlaced ? choice.text.slice(citation?.start, citation?.end) : CITED).toBe(CITED)
})

test.each(EXAMPLES.filter(({ name }) => name !== 'zhipu-v4'))(
  'counts the search of $name',
  ({ name, provider }) => {
    expect(readJson(provider, name).usage?.webSearches).toBe(1)
  },
)

const DIALECTS: Readonly<Record<string, ClientDialect>> = {
  openai: openaiDialect,
  responses: responsesDialect,
  anthropic: anthropicDialect,
  gemini: geminiDialect,
}
const CASES = EXAMPLES.flatMap(example => Object.keys(DIALECTS).map(dialect => ({ ...example, dialect })))
const context = () => responseContext({ urlParams: { alt: 'sse' }, echoedFields: { searches: true } })

const dialectOf = (name: string): ClientDialect => {
  const found = DIALECTS[name]
  if (!found) throw new Error(`no dialect ${name}`)
  return found
}

const writeJson = ({ name, provider, dialect }: (typeof CASES)[number]): JsonObject => {
  const { reply, usage = NO_USAGE } = readJson(provider, name)
  return dialectOf(dialect).chat.writeReply(reply, usage, context())
}

function writeStream({ name, provider, dialect }: (typeof CASES)[number]): readonly JsonObject[] {
  const { chunks, usage } = readStream(provider, name)
  const writer = dialectOf(dialect).chat.createWriter(context())
  const text =
    chunks.map(chunk => (isChatChunk(chunk) ? writer.write(chunk) : '')).join('') + writer.end(usage)
  return createFramer('sse')
    .push(new TextEncoder().encode(text))
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => asObject(JSON.parse(data)))
}

/** Perplexity and Zhipu tell which pages they found, which chat completions cannot say. */
const saysNothing = ({ dialect, isPlaced }: (typeof CASES)[number]): boolean =>
  dialect === 'openai' && !isPlaced

test.each(CASES)('shows clients of $dialect the pages that $name found, also in a stream', example => {
  const [json, stream] = [writeJson(example), writeStream(example)].map(written => JSON.stringify(written))
  expect(json?.includes(URL)).toBe(!saysNothing(example))
  expect(stream?.includes(URL)).toBe(!saysNothing(example))
})

const openaiShared = 'openai/resources/shared.d.ts'
const responseTypes = readSdkTypes('openai/resources/responses/responses.d.ts', openaiShared)
const chatTypes = readSdkTypes('openai/resources/chat/completions/completions.d.ts', openaiShared)
const messageTypes = readSdkTypes('@anthropic-ai/sdk/resources/messages/messages.d.ts')

/** The SDK itself adds the joined text. */
const isOfApi = (problem: string): boolean => !problem.endsWith('.output_text is missing')

const ofType = (type: string) => (json: unknown) => asObject(json).type === type

test.each(EXAMPLES)('satisfies the types of the OpenAI SDK with the search results of $name', example => {
  const completion = writeJson({ ...example, dialect: 'openai' })
  expect(chatTypes.type('ChatCompletion')(completion)).toEqual([])
  const response = writeJson({ ...example, dialect: 'responses' })
  expect(asArray(response.output).flatMap(responseTypes.type('ResponseOutputItem'))).toEqual([])
  const events = writeStream({ ...example, dialect: 'responses' })
  expect(events.flatMap(responseTypes.type('ResponseStreamEvent')).filter(isOfApi)).toEqual([])
  const last = asObject(events.at(-1)?.response)
  const typesOf = (json: unknown) => new Set(asArray(json).map(item => asObject(item).type))
  expect(typesOf(last.output)).toEqual(typesOf(response.output))
})

test.each(EXAMPLES.filter(({ isPlaced }) => isPlaced))(
  'places the citation of $name in the message of a Responses client that holds it',
  example => {
    const json = writeJson({ ...example, dialect: 'responses' })
    const last = writeStream({ ...example, dialect: 'responses' }).at(-1)
    for (const { output } of [json, asObject(last?.response)]) {
      const parts = asArray(output).flatMap(item => asArray(asObject(item).content).map(asObject))
      const cited = parts.flatMap(({ text, annotations }) =>
        asArray(annotations)
          .map(asObject)
          .map(({ start_index, end_index }) => String(text).slice(Number(start_index), Number(end_index))),
      )
      expect(cited).toEqual([CITED])
    }
  },
)

test.each(EXAMPLES)('satisfies the types of the Anthropic SDK with the search results of $name', example => {
  const message = writeJson({ ...example, dialect: 'anthropic' })
  const events = writeStream({ ...example, dialect: 'anthropic' })
  const streamed = events.filter(ofType('content_block_start')).map(({ content_block }) => content_block)
  const blocks = [...asArray(message.content), ...streamed]
  const used = blocks.filter(ofType('server_tool_use'))
  const results = blocks.filter(ofType('web_search_tool_result'))
  expect(used.flatMap(messageTypes.type('ServerToolUseBlock'))).toEqual([])
  expect(results.flatMap(messageTypes.type('WebSearchToolResultBlock'))).toEqual([])
  expect(results.map(json => asObject(json).tool_use_id)).toEqual(used.map(json => asObject(json).id))
  const deltas = events.filter(ofType('content_block_delta')).map(({ delta }) => delta)
  const citations = deltas.filter(ofType('citations_delta'))
  expect(citations.flatMap(messageTypes.type('CitationsDelta'))).toEqual([])
  expect(citations.length > 0).toBe(example.isPlaced)
})

test.each(EXAMPLES)(
  'ends every block that it starts in a stream with the search results of $name',
  example => {
    const events = writeStream({ ...example, dialect: 'anthropic' })
    const started = events.filter(ofType('content_block_start')).map(({ index }) => index)
    const ended = events.filter(ofType('content_block_stop')).map(({ index }) => index)
    expect(started).toEqual(started.map((_, index) => index))
    expect(ended).toEqual(started)
  },
)

test.each(EXAMPLES.filter(({ isPlaced }) => isPlaced))(
  'counts the bytes before the citation of $name for Gemini',
  example => {
    const json = writeJson({ ...example, dialect: 'gemini' })
    const last = writeStream({ ...example, dialect: 'gemini' }).at(-1)
    for (const written of [json, last]) {
      const { groundingMetadata } = asObject(asArray(asObject(written).candidates)[0])
      const { groundingChunks, groundingSupports } = asObject(groundingMetadata)
      expect(groundingChunks).toEqual([{ web: { uri: URL, title: TITLE } }])
      const [support] = asArray(groundingSupports).map(asObject)
      const { text, startIndex, endIndex } = asObject(support?.segment)
      const before = example.name === 'gemini' ? 'España ganó la Eurocopa de 2024. ' : 'Let me see. '
      expect({ text, startIndex, endIndex }).toEqual({
        text: CITED,
        startIndex: Buffer.byteLength(before),
        endIndex: Buffer.byteLength(before + CITED),
      })
    }
  },
)

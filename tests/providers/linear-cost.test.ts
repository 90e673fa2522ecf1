import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { loadFolders, loadProviders } from '#server/compose/modules.ts'
import { createDialects } from '#server/dialects/dialects.ts'
import type { ChatBody, ChatChunk } from '#server/provider-kit/contract/chat.ts'
import { createOutputMeter, estimatePromptTokens } from '#server/provider-kit/estimate-tokens.ts'
import { createReplyCollector } from '#server/provider-kit/reply-chunks.ts'
import { createRegistry } from '#server/providers/registry.ts'
import { DIALECTS, FORMATS, shapesOf } from './client-bodies.ts'

const SERVER = join(import.meta.dir, '../../server')
const registry = createRegistry(await loadProviders())
const dialects = createDialects(await loadFolders(join(SERVER, 'dialects')))

/** One model a family of formats and rules, by the type of the provider. */
const MODELS: Readonly<Record<number, string>> = {
  1: 'gpt-5',
  4: 'llama3',
  8: 'm',
  14: 'claude-opus-4-6',
  24: 'gemini-2.5-flash',
  34: 'command-r',
}
const CHANNEL = {
  id: 1,
  key: 'k|k|k',
  baseUrl: 'https://p.example',
  other: '',
  organization: '',
  setting: {},
}

const KB = 1_000
const SMALL = 64 * KB
const GROWTH = 8
const LARGEST = 8_000 * KB
/** Twice the linear cost, and what a machine under load adds. */
const COST_MAX = 2 * GROWTH
const LEAST_MS = 10
const TIMEOUT_MS = 120_000
/** What names, schemas and numbers may grow to in another format. */
const OUTPUT_MAX = 4

/** The processor's time, which other programs do not lengthen. */
function cpuMs(work: () => void): number {
  const earlier = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(earlier)
  return (user + system) / 1_000
}

const ATTEMPTS = 4

/** Whether eight times the input costs no more than twice eight times the time. Garbage is collected in some runs. */
function isLinear(small: () => void, large: () => void): boolean {
  let [smallMs, largeMs] = [0, Number.POSITIVE_INFINITY]
  for (
    let attempt = 0;
    attempt < ATTEMPTS && largeMs > COST_MAX * Math.max(smallMs, LEAST_MS);
    attempt += 1
  ) {
    smallMs = Math.max(smallMs, cpuMs(small))
    largeMs = Math.min(largeMs, cpuMs(large))
  }
  return largeMs <= COST_MAX * Math.max(smallMs, LEAST_MS)
}

function translate(dialect: (typeof DIALECTS)[number], json: object, type: number): number {
  const { body: parsed } = dialects.get(dialect).chat.parse(json, { model: 'm' })
  estimatePromptTokens(parsed)
  const model = MODELS[type] ?? 'm'
  const body: ChatBody = { ...parsed, model }
  const call = {
    channel: CHANNEL,
    model,
    body,
    isStream: false,
    isTranslated: dialect !== 'openai',
    requestId: 'r',
    nowSeconds: 1,
    outputTokensMax: 50,
  }
  const chat = registry.byType(type)?.chat
  chat?.adjustments?.(call)
  const sent = chat?.request({ ...call, ownNames: chat.ownNames?.(call) }).body
  return typeof sent === 'string' ? sent.length : 0
}

const TYPES = Object.keys(MODELS).map(Number)

describe.each(DIALECTS)('a body of %s is translated for every provider in linear time and size', dialect => {
  test.each(Object.entries(shapesOf(FORMATS[dialect])))(
    '%s',
    (_, shape) => {
      const [least, small, large] = [KB, SMALL, SMALL * GROWTH].map(shape)
      if (!least || !small || !large) throw new Error('expected three bodies')
      const sizes = new Map([least, small, large].map(json => [json, JSON.stringify(json).length]))
      for (const type of TYPES) {
        for (const [json, size] of sizes)
          expect(translate(dialect, json, type), `provider ${type}`).toBeLessThanOrEqual(OUTPUT_MAX * size)
        const isCheap = isLinear(
          () => translate(dialect, small, type),
          () => translate(dialect, large, type),
        )
        expect({ type, isCheap }).toEqual({ type, isCheap: true })
      }
    },
    TIMEOUT_MS,
  )

  test.each(['letters', 'images', 'wide tool', 'deep tool'])(
    '%s of the largest size',
    name => {
      const json = shapesOf(FORMATS[dialect])[name]?.(LARGEST) ?? {}
      const size = JSON.stringify(json).length
      for (const type of TYPES) expect(translate(dialect, json, type)).toBeLessThanOrEqual(OUTPUT_MAX * size)
    },
    TIMEOUT_MS,
  )
})

const CHUNKS: Readonly<Record<string, (index: number) => ChatChunk>> = {
  text: () => ({ type: 'text-delta', text: 'ab ' }),
  thoughts: () => ({ type: 'reasoning-delta', text: 'ab ' }),
  'text and thoughts': index => ({ type: index % 2 ? 'reasoning-delta' : 'text-delta', text: 'ab ' }),
  arguments: index =>
    index === 0
      ? { type: 'tool-call-start', index, id: 'c', name: 'f', arguments: '' }
      : { type: 'tool-arguments-delta', index: 0, text: '{"a' },
  calls: index => ({ type: 'tool-call-start', index, id: `c${index}`, name: 'f', arguments: '{}' }),
  choices: index => ({ type: 'text-delta', text: 'a', choice: index % 100 }),
}
const CHUNKS_SMALL = 2_000

describe.each(Object.entries(CHUNKS))(
  'a stream of many %s is written in linear time and size',
  (_, chunk) => {
    const writers = {
      ...Object.fromEntries(
        DIALECTS.map(name => [
          name,
          (count: number) => {
            const writer = dialects.get(name).chat.createWriter({
              requestId: 'r',
              model: 'm',
              nowSeconds: 1,
              wantsUsage: true,
              inputTokens: 1,
              urlParams: { alt: 'sse' },
              echoedFields: {},
            })
            let chars = 0
            for (let index = 0; index < count; index += 1) chars += writer.write(chunk(index)).length
            return chars + writer.end(undefined).length
          },
        ]),
      ),
      collected(count: number) {
        const collector = createReplyCollector()
        const meter = createOutputMeter()
        for (let index = 0; index < count; index += 1) {
          collector.add(chunk(index))
          meter.add(chunk(index))
          meter.tokens()
        }
        return JSON.stringify(collector.reply()).length
      },
    }

    test.each(Object.entries(writers))(
      '%s',
      (_, write) => {
        const [small, large] = [CHUNKS_SMALL, CHUNKS_SMALL * GROWTH]
        expect(write(large)).toBeLessThanOrEqual(1.2 * GROWTH * write(small))
        expect(
          isLinear(
            () => write(small),
            () => write(large),
          ),
        ).toBe(true)
      },
      TIMEOUT_MS,
    )
  },
)

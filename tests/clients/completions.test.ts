import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import {
  type DialectSite,
  KINDS,
  OUTPUT_TOKENS,
  QUESTION,
  SENTENCE,
  startDialectSite,
} from '../harness/dialect-site.ts'
import { waitForLog } from '../harness/find-log.ts'
import { addLabChannel } from '../harness/lab-channel.ts'
import { readNamespace } from '../harness/lab-namespace.ts'
import { setOptions } from '../harness/set-options.ts'

/** A model without chat, which uses the provider's completions endpoint. */
const OLD = { provider: 'openai', model: 'gpt-3.5-turbo-instruct' } as const

let site: DialectSite
let openai: OpenAI

beforeAll(async () => {
  site = await startDialectSite()
  await addLabChannel(site.root, site.lab, { ...OLD, models: [OLD.model], namespace: 'old' })
  const ratios = [...KINDS, OLD].map(({ model }) => [model, 1])
  await setOptions(site.root, { ModelRatio: Object.fromEntries(ratios) })
  openai = new OpenAI({ apiKey: site.key, baseURL: `${site.gateway.url}/v1`, maxRetries: 0 })
})

afterAll(() => site?.stop())

describe.each([...KINDS, OLD])('text completions through $provider with $model', ({ model }) => {
  test('returns a JSON completion with its usage, and charges for it', async () => {
    const { data: reply, response } = await openai.completions
      .create({ model, prompt: QUESTION, max_tokens: 500 })
      .withResponse()
    expect(reply).toMatchObject({ object: 'text_completion', model })
    expect(reply.choices).toMatchObject([{ text: SENTENCE, finish_reason: 'stop' }])
    expect(reply.usage).toMatchObject({ completion_tokens: OUTPUT_TOKENS })
    const row = await waitForLog(site.root, response.headers.get('x-oneapi-request-id') ?? '')
    expect(row).toMatchObject({ model_name: model, completion_tokens: OUTPUT_TOKENS })
    expect(row.quota).toBeGreaterThan(OUTPUT_TOKENS)
  })

  test('streams a completion, with usage only when requested', async () => {
    const body = { model, prompt: QUESTION, max_tokens: 500, stream: true } as const
    const chunks = await Array.fromAsync(await openai.completions.create(body))
    expect(chunks.map(chunk => chunk.choices[0]?.text ?? '').join('')).toBe(SENTENCE)
    expect(chunks.flatMap(chunk => chunk.choices[0]?.finish_reason ?? [])).toEqual(['stop'])
    expect(chunks.filter(chunk => chunk.usage)).toEqual([])
    const requested = { ...body, stream_options: { include_usage: true } }
    const counted = await Array.fromAsync(await openai.completions.create(requested))
    expect(counted.at(-1)?.usage).toMatchObject({ completion_tokens: OUTPUT_TOKENS })
  })
})

test('uses the completions endpoint for models without chat and the chat endpoint for others', async () => {
  await openai.completions.create({ model: OLD.model, prompt: 'one' })
  expect((await readNamespace(site.lab, 'old')).last?.body).toContain('"prompt":"one"')
  await openai.completions.create({ model: KINDS[0].model, prompt: 'two' })
  expect((await readNamespace(site.lab, 'openai')).last?.body).toContain('"content":"two"')
})

test('echoes the prompt when the client requests it', async () => {
  const body = { model: KINDS[1].model, prompt: 'Once, ', echo: true, max_tokens: 500 }
  const json = await openai.completions.create(body)
  expect(json.choices[0]?.text).toBe(`Once, ${SENTENCE}`)
  const chunks = await Array.fromAsync(await openai.completions.create({ ...body, stream: true }))
  expect(chunks.map(chunk => chunk.choices[0]?.text ?? '').join('')).toBe(`Once, ${SENTENCE}`)
})

test.each([
  [{ logprobs: 3 }, 'logprobs'],
  [{ suffix: 'the end' }, 'suffix'],
  [{ prompt: ['one', 'two'] }, 'prompt'],
])('%j is refused where only a chat can be asked', async (fields, named) => {
  const requested = openai.completions.create({ model: KINDS[2].model, prompt: 'a', ...fields })
  const error = await requested.catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ status: 400, message: expect.stringContaining(named) })
})

import { afterAll, beforeAll, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { getSelf } from '#contract/entities/user.ts'
import { FAULTS } from '#server/lab/faults.ts'
import { type ChatResult, callChat, errorOf, isCompleteStream } from '../harness/call-chat.ts'
import { waitForLog } from '../harness/find-log.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { faultSights, LAB_PROVIDERS, type LabProviderName, type Sight, type Sights } from './fault-sights.ts'

/** Tested elsewhere: endless and huge responses, and operations without a charge. */
const ELSEWHERE = ['hang', 'stall', 'chatter', 'million', 'filter']
/** Tested with drawings and music. */
const OF_TASKS = ['task-ms', 'task-fail', 'task-stuck', 'task-lost', 'task-code']

let site: Site
let key: string

beforeAll(async () => {
  site = await startSite()
  await setOptions(site.root, {
    ModelRatio: Object.fromEntries(LAB_PROVIDERS.map(provider => [provider, 10])),
    FailedRequestRateLimit: 0,
  })
  for (const provider of LAB_PROVIDERS)
    await addLabChannel(site.root, site.lab, { provider, models: [provider] })
  key = (await addToken(site.root)).key
})

afterAll(() => site?.stop())

test('covers every fault of the lab', () => {
  const proved = Object.keys(faultSights).map(script => script.replace(/-\d+$/, ''))
  expect(new Set([...proved, ...ELSEWHERE, ...OF_TASKS])).toEqual(new Set(Object.keys(FAULTS)))
})

interface Case {
  readonly script: string
  readonly form: 'jsonResponse' | 'stream'
  readonly model: LabProviderName
  readonly sight: Sight
}

const cases: readonly Case[] = Object.entries(faultSights).flatMap(([script, sights]) =>
  LAB_PROVIDERS.flatMap(model =>
    (['jsonResponse', 'stream'] as const).map(form => ({
      script,
      form,
      model,
      sight: sightOf(sights[form], model),
    })),
  ),
)

test.each(cases)('$script: a client of $model with a $form response sees $sight', async requested => {
  const { script, form, model, sight } = requested
  const before = await site.root.call(getSelf)
  const response = await ask(model, script, form === 'stream')
  const [after, row] = await Promise.all([site.root.call(getSelf), waitForLog(site.root, response.requestId)])
  const isCharged = typeof sight === 'string'
  expect(row.type).toBe(isCharged ? 2 : 5)
  expect(row.quota > 0).toBe(isCharged)
  expect(before.quota - after.quota).toBe(row.quota)
  expect(row.detail.provenance).toBe(provenanceOf(requested))
  if (sight === 'served') expectServed(response, form)
  if (sight === 'broken') expectBroken(response)
  if (typeof sight === 'number') expectRejected(response, sight)
})

test('the official client throws when a stream breaks off', async () => {
  const openai = new OpenAI({ apiKey: `sk-${key}`, baseURL: `${site.gateway.url}/v1`, maxRetries: 0 })
  let text = ''
  const reading = async () => {
    const messages = [{ role: 'user' as const, content: 'hello [lab: error-event]' }]
    for await (const chunk of await openai.chat.completions.create({
      model: 'openai',
      messages,
      stream: true,
    }))
      text += chunk.choices[0]?.delta.content ?? ''
  }
  const error = await reading().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(OpenAI.APIError)
  expect(text).toBe('Hello from the')
})

test('passes retry-after of the upstream to the official client', async () => {
  const openai = new OpenAI({ apiKey: `sk-${key}`, baseURL: `${site.gateway.url}/v1`, maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: 'hello [lab: status-429+retry-after-7]' }]
  const requested = openai.chat.completions.create({ model: 'openai', messages })
  const error = await requested.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(OpenAI.RateLimitError)
  expect(error instanceof OpenAI.APIError && error.headers?.get('retry-after')).toBe('7')
})

test('delivers and charges a stream of a million tokens', async () => {
  const response = await ask('openai', 'million', true)
  expect(isCompleteStream(response)).toBe(true)
  expect(await waitForLog(site.root, response.requestId)).toMatchObject({ completion_tokens: 1_000_000 })
})

function ask(model: string, script: string, isStream: boolean): Promise<ChatResult> {
  const tool = { type: 'function', function: { name: 'get', parameters: { type: 'object', properties: {} } } }
  const messages = [{ role: 'user', content: `hello [lab: ${script}]` }]
  const body = { model, stream: isStream, messages, ...(script === 'tools' && { tools: [tool] }) }
  return callChat({ url: site.gateway.url, key, body })
}

function sightOf(sights: Sights, provider: LabProviderName): Sight {
  return typeof sights === 'object' ? sights[provider] : sights
}

/** OpenAI reports the usage of a stream only on request. */
function provenanceOf({ script, form, model, sight }: Case): string {
  if (typeof sight === 'number') return 'free'
  const isUntold =
    script.endsWith('-usage') ||
    (script === 'stream-for-json' && form === 'jsonResponse' && model === 'openai')
  return sight === 'broken' || isUntold ? 'estimated' : 'upstream'
}

function expectServed(response: ChatResult, form: 'jsonResponse' | 'stream'): void {
  expect(response.status).toBe(200)
  if (form === 'stream') expect(isCompleteStream(response)).toBe(true)
  else expect(JSON.parse(response.text).choices[0].finish_reason).toBeString()
}

function expectBroken(response: ChatResult): void {
  expect(response.status).toBe(200)
  const events = response.text.trimEnd().split('\n\n')
  expect(events.length).toBeGreaterThan(2)
  expectError({ ...response, text: (events.at(-1) ?? '').replace(/^data: /, '') })
}

function expectRejected(response: ChatResult, status: number): void {
  expect(response.status).toBe(status)
  expectError(response)
}

/** Expects an error in OpenAI's format with the request id and without the upstream's address or path. */
function expectError(response: ChatResult): void {
  const { code, message, type } = errorOf(response)
  expect({ code, type }).toEqual({ code: expect.stringMatching(/./), type: expect.stringMatching(/./) })
  expect(message).toContain(`(request id: ${response.requestId})`)
  expect(message).not.toMatch(/127\.0\.0\.1|localhost|fetch|verbose|<html/)
}

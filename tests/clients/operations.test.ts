import { afterAll, beforeAll, expect, test } from 'bun:test'
import OpenAI, { AzureOpenAI, toFile } from 'openai'
import { findLogs, newestCharge, waitForLog } from '../harness/find-log.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { readNamespace, setScenario } from '../harness/lab-namespace.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'
import { waitUntil } from '../harness/wait-until.ts'

const LANE = 'operations'
const WAIT_MS = 20_000
const MODELS = ['dall-e-2', 'dall-e-3', 'gpt-image-1', 'tts-1', 'whisper-1', 'omni-moderation-latest']

let site: Site
let apiKey: string
let openai: OpenAI

beforeAll(async () => {
  site = await startSite()
  await setOptions(site.root, {
    ModelRatio: { 'gpt-image-1': 2.5, 'tts-1': 7.5, 'whisper-1': 15, 'omni-moderation-latest': 1 },
    ModelPrice: { 'dall-e-2': 0.02, 'dall-e-3': 0.04 },
    CompletionRatio: { 'gpt-image-1': 8 },
  })
  await addLabChannel(site.root, site.lab, { provider: 'openai', models: MODELS, namespace: LANE })
  const { key } = await addToken(site.root)
  apiKey = `sk-${key}`
  openai = new OpenAI({ apiKey, baseURL: `${site.gateway.url}/v1`, maxRetries: 0 })
})

afterAll(async () => {
  const audit = await verifyLedger({ DATA_DIR: site.gateway.dataDir })
  await site.stop()
  expect(audit).toMatchObject({ drift: 0, openHolds: 0 })
})

const rowOf = (response: Response) => waitForLog(site.root, response.headers.get('x-oneapi-request-id') ?? '')
const png = () => toFile(Buffer.from('\x89PNG'), 'a.png', { type: 'image/png' })
const mp3 = () => toFile(Buffer.alloc(12_000), 'a.mp3', { type: 'audio/mpeg' })

test('the official client generates images, charged by size, quality and number', async () => {
  const { data, response } = await openai.images
    .generate({ model: 'dall-e-3', prompt: 'a lighthouse', size: '1024x1792', quality: 'hd', n: 2 })
    .withResponse()
  expect(data.data).toHaveLength(2)
  const row = await rowOf(response)
  expect(row).toMatchObject({ type: 2, quota: 20_000 * 2 * 2 * 1.5 })
  expect(row.detail).toMatchObject({ images: 6, model_price: 0.04 })
})

test('the official client edits images, charged by tokens', async () => {
  const { data, response } = await openai.images
    .edit({ model: 'gpt-image-1', prompt: 'a lighthouse', image: [await png(), await png()], quality: 'low' })
    .withResponse()
  expect(data.usage).toMatchObject({ output_tokens: 272 })
  expect(await rowOf(response)).toMatchObject({
    completion_tokens: 272,
    quota: Math.round(((data.usage?.input_tokens ?? 0) + 272 * 8) * 2.5),
  })
})

test('the official client varies an image, charged by size and number', async () => {
  const { data, response } = await openai.images
    .createVariation({ image: await png(), n: 2, size: '256x256', response_format: 'b64_json', user: 'u' })
    .withResponse()
  expect(data.data?.map(image => typeof image.b64_json)).toEqual(['string', 'string'])
  expect(await rowOf(response)).toMatchObject({ type: 2, model_name: 'dall-e-2', quota: 10_000 * 2 * 0.4 })
})

test('the official client of Azure varies an image', async () => {
  const azure = new AzureOpenAI({
    apiKey,
    endpoint: site.gateway.url,
    apiVersion: '2024-10-21',
    maxRetries: 0,
  })
  const { data, response } = await azure.images.createVariation({ image: await png() }).withResponse()
  expect(data.data?.map(image => typeof image.url)).toEqual(['string'])
  expect(await rowOf(response)).toMatchObject({ type: 2, model_name: 'dall-e-2', quota: 10_000 })
})

test('a variation whose client leaves is charged once, for what the provider returns', async () => {
  const before = await newestCharge(site.root)
  await setScenario(site.lab, LANE, 'slow-headers-300')
  const leaving = new AbortController()
  const variation = openai.images.createVariation(
    { image: await png(), n: 2, size: '256x256' },
    { signal: leaving.signal },
  )
  const end = variation.catch((thrown: unknown) => thrown)
  await waitUntil({ description: 'the call of the provider', timeoutMs: WAIT_MS }, async () => {
    const { inFlight } = await readNamespace(site.lab, LANE)
    return inFlight === 1
  })
  leaving.abort()
  expect(await end).toBeInstanceOf(OpenAI.APIUserAbortError)
  const row = await waitUntil({ description: 'the charge', timeoutMs: WAIT_MS }, async () => {
    const newest = await newestCharge(site.root)
    return newest !== undefined && newest.id !== before?.id && newest
  })
  await setScenario(site.lab, LANE, '')
  expect(row).toMatchObject({ model_name: 'dall-e-2', quota: 10_000 * 2 * 0.4 })
  expect(await findLogs(site.root, row.request_id)).toHaveLength(1)
})

test('the official client synthesizes speech, charged by character', async () => {
  const { data, response } = await openai.audio.speech
    .create({ model: 'tts-1', voice: 'alloy', input: 'Hello, world' })
    .withResponse()
  expect(response.headers.get('content-type')).toBe('audio/mpeg')
  expect((await data.arrayBuffer()).byteLength).toBe(3 + 12 * 100)
  expect(await rowOf(response)).toMatchObject({ prompt_tokens: 12, quota: 90 })
})

test('the official client finds the voices of a speech server, free of charge', async () => {
  const reply = await openai.get('/audio/voices', { query: { model: 'tts-1' } })
  expect(reply).toMatchObject({
    object: 'list',
    data: [
      { id: 'lab_ada', object: 'audio.voice', name: 'Ada', models: ['tts-1'] },
      { id: 'lab_alan', name: 'Alan' },
    ],
  })
})

test('the official client transcribes and translates speech, charged by duration', async () => {
  const spoken = await openai.audio.transcriptions
    .create({ model: 'whisper-1', file: await mp3() })
    .withResponse()
  expect(spoken.data.text).toBe('Hello from the lab.')
  expect(await rowOf(spoken.response)).toMatchObject({ prompt_tokens: 100, quota: 1500 })
  const text: unknown = await openai.audio.translations.create({
    model: 'whisper-1',
    file: await mp3(),
    response_format: 'text',
  })
  expect(text).toBe('Hello from the lab.\n')
  expect((await readNamespace(site.lab, LANE)).last).toMatchObject({
    path: expect.stringContaining('/v1/audio/translations'),
    body: expect.stringContaining('"file":{"name":"a.mp3","bytes":12000}'),
  })
})

test('the official client moderates texts', async () => {
  const judged = await openai.moderations.create({
    model: 'omni-moderation-latest',
    input: ['peace', 'violence'],
  })
  expect(judged.results.map(({ flagged }) => flagged)).toEqual([false, true])
})

test('charges nothing when the provider fails, and returns the error in the client format', async () => {
  await setScenario(site.lab, LANE, 'status-500')
  const failing = openai.images.generate({ model: 'dall-e-3', prompt: 'a lighthouse' })
  const error = await failing.catch((thrown: unknown) => thrown)
  const varying = openai.images.createVariation({ image: await png() })
  expect(await varying.catch((thrown: unknown) => thrown)).toMatchObject({ status: 500 })
  await setScenario(site.lab, LANE, '')
  if (!(error instanceof OpenAI.APIError)) throw new Error('expected an error of the client')
  expect(error.status).toBe(500)
  const [row] = await findLogs(site.root, error.headers?.get('x-oneapi-request-id') ?? '')
  expect(row).toMatchObject({ type: 5, quota: 0 })
})

import { describe, expect, test } from 'bun:test'
import { fetchFromLab, parseEvents, readRecorded, shapeDifference } from '../testing.ts'

const KEY = { 'x-goog-api-key': 'some-key' }
const hello = { contents: [{ role: 'user', parts: [{ text: 'hello there' }] }] }
const tools = [
  {
    functionDeclarations: [
      {
        name: 'get_weather',
        parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' }, unit: { enum: ['celsius'] } } },
      },
    ],
  },
]
const pathOf = (model: string, method = 'generateContent') => `/v1beta/models/${model}:${method}`
const STREAM = 'streamGenerateContent?alt=sse'

const json = async (reply: Promise<Response>) => (await reply).json()
const recorded = (name: string) => JSON.parse(readRecorded('gemini', name))
const recordedStream = (name: string) => parseEvents(readRecorded('gemini', name)).map(event => event.payload)
const streamed = async (model: string, body: object = hello) =>
  parseEvents(await (await fetchFromLab(pathOf(model, STREAM), KEY, body)).text()).map(event => event.payload)

describe('a JSON response of the lab in the Gemini format', () => {
  test('has the recorded shape', async () => {
    const reply = await json(fetchFromLab(pathOf('gemini-2.5-flash'), KEY, hello))
    expect(shapeDifference(reply, recorded('generate.json'))).toEqual([])
  })

  test('has the recorded shape for thoughts and function calls', async () => {
    const thinking = await json(fetchFromLab(pathOf('lab-reasoning-4'), KEY, hello))
    const mayDiffer = [/thoughtSignature/]
    expect(shapeDifference(thinking, recorded('generate-thinking.json'), mayDiffer)).toEqual([])
    const body = { ...hello, tools, toolConfig: { functionCallingConfig: { mode: 'ANY' } } }
    const calling = await json(fetchFromLab(pathOf('gemini-2.5-flash'), KEY, body))
    const others = [/finishMessage/, /thoughtsTokenCount/]
    expect(shapeDifference(calling, recorded('generate-tools.json'), others)).toEqual([])
  })

  test('counts thoughts apart from the candidates and cached tokens as part of the prompt', async () => {
    const { usageMetadata } = await json(
      fetchFromLab(pathOf('lab-reasoning-4+cached-2+tokens-3'), KEY, hello),
    )
    expect(usageMetadata).toMatchObject({
      promptTokenCount: 4,
      cachedContentTokenCount: 2,
      candidatesTokenCount: 3,
      thoughtsTokenCount: 4,
      totalTokenCount: 11,
    })
  })

  test('counts calls and their results as part of the prompt', async () => {
    const call = {
      functionCall: { name: 'f', args: {} },
      thoughtSignature: 'skip_thought_signature_validator',
    }
    const result = { functionResponse: { name: 'f', response: { output: 'x'.repeat(4000) } } }
    const contents = [...hello.contents, { role: 'model', parts: [call] }, { role: 'user', parts: [result] }]
    const { usageMetadata } = await json(fetchFromLab(pathOf('gemini-2.5-flash'), KEY, { contents }))
    expect(usageMetadata.promptTokenCount).toBeGreaterThan(1000)
  })

  test('stops at maxOutputTokens', async () => {
    const body = { ...hello, generationConfig: { maxOutputTokens: 2 } }
    const { candidates } = await json(fetchFromLab(pathOf('gemini-2.5-flash'), KEY, body))
    expect(candidates[0]).toMatchObject({
      finishReason: 'MAX_TOKENS',
      content: { parts: [{ text: 'Hello from' }] },
    })
  })
})

describe('a streamed response of the lab in the Gemini format', () => {
  test('has the recorded events and line endings', async () => {
    expect(shapeDifference(await streamed('gemini-2.5-flash'), recordedStream('stream.sse.txt'))).toEqual([])
    const text = await (await fetchFromLab(pathOf('gemini-2.5-flash', STREAM), KEY, hello)).text()
    expect(text.replaceAll('\r\n', '')).not.toContain('\n')
  })

  test('has the recorded events for thoughts and function calls', async () => {
    const thinking = await streamed('lab-reasoning-4')
    expect(
      shapeDifference(thinking, recordedStream('stream-thinking.sse.txt'), [/thoughtSignature/]),
    ).toEqual([])
    const calling = await streamed('lab-tools-2', { ...hello, tools })
    const mayDiffer = [/thoughtsTokenCount/, /promptTokensDetails/]
    expect(shapeDifference(calling, recordedStream('stream-tools.sse.txt'), mayDiffer)).toEqual([])
  })

  test('counts up to the usage of the JSON response', async () => {
    const payload = await json(fetchFromLab(pathOf('lab-reasoning-4'), KEY, hello))
    const frames = await streamed('lab-reasoning-4')
    expect(frames.at(-1)).toMatchObject({ usageMetadata: payload.usageMetadata })
    expect(frames[0]).toMatchObject({ usageMetadata: { thoughtsTokenCount: 1, totalTokenCount: 5 } })
  })

  test('requires alt=sse', async () => {
    const reply = await fetchFromLab(pathOf('gemini-2.5-flash', 'streamGenerateContent'), KEY, hello)
    expect(reply.headers.get('content-type')).toBe('application/json')
  })
})

test('single and batch embeddings of Gemini have the recorded shapes', async () => {
  const one = { content: { parts: [{ text: 'hello' }] }, outputDimensionality: 3 }
  const single = await json(fetchFromLab(pathOf('text-embedding-004', 'embedContent'), KEY, one))
  expect(shapeDifference(single, recorded('embed.json'))).toEqual([])
  const many = await json(
    fetchFromLab(pathOf('text-embedding-004', 'batchEmbedContents'), KEY, { requests: [one, one] }),
  )
  expect(shapeDifference(many, recorded('batch-embed.json'))).toEqual([])
})

test('the Gemini model list has the recorded shape', async () => {
  const mayDiffer = [/temperature/, /top[PK]/, /maxTemperature/, /thinking/, /nextPageToken/]
  expect(
    shapeDifference(await json(fetchFromLab('/v1beta/models', KEY)), recorded('models.json'), mayDiffer),
  ).toEqual([])
})

describe('Gemini errors of the lab', () => {
  test.each([
    ['dead-key', 400],
    ['rate-limit', 429],
    ['overloaded', 503],
    ['status-403', 403],
    ['status-404', 404],
  ])('%s has a recorded status code and name', async (fault, status) => {
    const reply = await fetchFromLab(pathOf(`lab-${fault}`), KEY, hello)
    const { error } = await reply.json()
    const errors: { status: number; body: { error?: { status: string } } }[] = recorded('errors.json')
    expect([reply.status, error.code]).toEqual([status, status])
    expect(errors.filter(other => other.status === status).map(other => other.body.error?.status)).toContain(
      error.status,
    )
  })

  test('report a revoked key with the reason API_KEY_INVALID', async () => {
    const { error } = await json(fetchFromLab(pathOf('lab-dead-key'), KEY, hello))
    expect(error.details[0].reason).toBe('API_KEY_INVALID')
  })

  test('reject a request without contents', async () => {
    const reply = await json(fetchFromLab(pathOf('gemini-2.5-flash'), KEY, {}))
    expect(reply.error).toMatchObject({ code: 400, message: expect.stringContaining('contents') })
  })
})

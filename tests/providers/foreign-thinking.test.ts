import { afterEach, describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { asArray, asObject, type JsonObject, parseJson } from '#server/provider-kit/json.ts'
import { testPrices } from '#server/testing/test-prices.ts'
import { sendThrough, TestRelay } from '#server/testing/test-relay.ts'
import {
  chatDriver,
  generateDriver,
  messagesDriver,
  responsesDriver,
  type SessionDriver,
} from './session-drivers.ts'

let relay: TestRelay
afterEach(() => relay.close())

const CLAUDE = 'claude-sonnet-4-5'
const CLAUDE_SIGNATURE = 'EqoBCkgIARABGAIiQL2U+/oU=='
const GEMINI_SIGNATURE = Buffer.from([
  0x0a,
  0x22,
  0x0a,
  0x20,
  0x01,
  ...Buffer.from('made by another provider'),
])
const ENCRYPTED = 'gAAAAABo-k_of-another-provider'
const USAGE = { input_tokens: 3, output_tokens: 2 }
const THOUGHT = { type: 'thinking', thinking: 'hm', signature: CLAUDE_SIGNATURE }
const TEXT_BLOCK = { type: 'text', text: 'yes' }

const { privateKey: private_key } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const SERVICE_ACCOUNT = { project_id: 'demo', client_email: 'relay@demo.example', private_key }
/** Where Claude runs. */
const CLOUDS = {
  Anthropic: { type: 14, key: 'key' },
  Bedrock: { type: 33, key: 'access|secret|us-east-1' },
  Vertex: { type: 41, key: JSON.stringify(SERVICE_ACCOUNT), other: 'us-central1' },
} as const
const FOREIGN = { 'gemini-3-pro-preview': 24, 'gpt-5.5': 1, 'deepseek-v4-pro': 43, 'mimo-v2-pro': 8 } as const
const MODELS = [CLAUDE, ...Object.keys(FOREIGN)]

const CLAUDE_EVENTS: readonly JsonObject[] = [
  { type: 'message_start', message: { type: 'message', role: 'assistant', content: [], usage: USAGE } },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: CLAUDE_SIGNATURE } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: 'yes' } },
  { type: 'content_block_stop', index: 1 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: USAGE },
  { type: 'message_stop' },
]
/** Breaks off before the signature. */
const CUT_EVENTS = CLAUDE_EVENTS.slice(0, 3)

const SSE = { headers: { 'content-type': 'text/event-stream' } }
const toSse = (events: readonly JsonObject[], end = ''): Response =>
  new Response(events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('') + end, SSE)

/** One message of Amazon's binary framing. */
function toFrame(event: JsonObject): Buffer {
  const [name, kind] = [':event-type', 'chunk']
  const header = Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([7, 0, kind.length]),
    Buffer.from(kind),
  ])
  const payload = JSON.stringify({ bytes: Buffer.from(JSON.stringify(event)).toString('base64') })
  const bytes = Buffer.alloc(16 + header.length + payload.length)
  bytes.writeUInt32BE(bytes.length, 0)
  bytes.writeUInt32BE(header.length, 4)
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8)
  header.copy(bytes, 12)
  bytes.write(payload, 12 + header.length)
  bytes.writeUInt32BE(crc32(bytes.subarray(0, bytes.length - 4)), bytes.length - 4)
  return bytes
}
const toFrames = (events: readonly JsonObject[]): Response =>
  new Response(Buffer.concat(events.map(toFrame)), {
    headers: { 'content-type': 'application/vnd.amazon.eventstream' },
  })

const chatReply = (field: 'message' | 'delta'): JsonObject => ({
  id: 'c1',
  choices: [
    {
      index: 0,
      [field]: { role: 'assistant', content: 'yes', reasoning_content: 'hm' },
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 3, completion_tokens: 2 },
})
const geminiReply = {
  candidates: [
    {
      content: {
        role: 'model',
        parts: [
          { text: 'hm', thought: true },
          { text: 'yes', thoughtSignature: GEMINI_SIGNATURE.toString('base64') },
        ],
      },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2 },
}
const responsesReply = {
  ...{ id: 'resp_1', object: 'response', status: 'completed', usage: USAGE },
  output: [
    {
      ...{ type: 'reasoning', id: 'rs_1', encrypted_content: ENCRYPTED },
      summary: [{ type: 'summary_text', text: 'hm' }],
    },
    {
      ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' },
      content: [{ type: 'output_text', text: 'yes', annotations: [] }],
    },
  ],
}
const claudeReply = {
  ...{ type: 'message', role: 'assistant', model: CLAUDE, stop_reason: 'end_turn' },
  ...{ content: [THOUGHT, TEXT_BLOCK], usage: USAGE },
}

type Respond = (isStream: boolean, isCut: boolean) => Response
const eventsOf = (isCut: boolean) => (isCut ? CUT_EVENTS : CLAUDE_EVENTS)
const RESPONSES_EVENTS: readonly JsonObject[] = [
  ...responsesReply.output.flatMap((item, output_index) => [
    { type: 'response.output_item.added', output_index, item },
    { type: 'response.output_item.done', output_index, item },
  ]),
  { type: 'response.completed', response: responsesReply },
]
/** The providers by their paths: each thinks "hm" and says "yes". */
const RESPONSES: readonly (readonly [path: RegExp, respond: Respond])[] = [
  [/oauth2/, () => Response.json({ access_token: 'token', expires_in: 3_600 })],
  [/invoke-with-response-stream$/, (_, isCut) => toFrames(eventsOf(isCut))],
  [/:streamRawPredict$/, (_, isCut) => toSse(eventsOf(isCut))],
  [
    /\/v1\/messages$|\/invoke$|:rawPredict$/,
    (isStream, isCut) => (isStream ? toSse(eventsOf(isCut)) : Response.json(claudeReply)),
  ],
  [/:streamGenerateContent/, () => toSse([geminiReply])],
  [/:generateContent/, () => Response.json(geminiReply)],
  [/\/responses$/, isStream => (isStream ? toSse(RESPONSES_EVENTS) : Response.json(responsesReply))],
  [
    /\/chat\/completions$/,
    isStream =>
      isStream ? toSse([chatReply('delta')], 'data: [DONE]\n\n') : Response.json(chatReply('message')),
  ],
]

/** A relay with Claude in a cloud, and all other providers. */
async function openGateway(cloud: keyof typeof CLOUDS) {
  let isCut = false
  let received: JsonObject = {}
  relay = await TestRelay.open({
    prices: testPrices({ ModelRatio: Object.fromEntries(MODELS.map(model => [model, 1])) }),
    send: sendThrough(async request => {
      const [, respond] = RESPONSES.find(([path]) => path.test(request.url)) ?? []
      const body = asObject(parseJson(await request.text()))
      if (!request.url.includes('oauth2')) received = body
      return respond?.(body.stream === true, isCut) ?? new Response('no such path', { status: 404 })
    }),
  })
  const { key, ...columns } = CLOUDS[cloud]
  const base_url = cloud === 'Anthropic' ? 'http://lab.test' : ''
  await relay.addChannel({ ...columns, key_sealed: relay.encryptKey(key), models: CLAUDE, base_url })
  for (const [models, type] of Object.entries(FOREIGN))
    await relay.addChannel({
      type,
      models,
      base_url: type === 8 ? 'http://lab.test/v1/chat/completions' : 'http://lab.test',
    })
  const token = await relay.addToken()

  /** What the provider received. The client keeps the response. */
  return async (
    driver: SessionDriver,
    model: string,
    isStream: boolean,
    cuts = false,
  ): Promise<JsonObject> => {
    isCut = cuts
    driver.addUser('q')
    const response = await relay.request(driver.path(model, isStream), token, driver.body(model, isStream))
    const text = await response.text()
    expect({ status: response.status, text }).toMatchObject({ status: 200 })
    driver.addReply(isStream ? driver.readStream(text) : asObject(parseJson(text)))
    return received
  }
}

const blocksOf = ({ messages }: JsonObject): readonly JsonObject[] =>
  asArray(messages)
    .flatMap(message => asArray(asObject(message).content))
    .map(asObject)
const thinkingOf = (sent: JsonObject): readonly JsonObject[] =>
  blocksOf(sent).filter(({ type }) => /thinking/.test(String(type)))

const CLIENTS = {
  'chat completions': chatDriver,
  messages: messagesDriver,
  responses: responsesDriver,
  generateContent: generateDriver,
} as const
const WAYS = Object.entries(CLIENTS).flatMap(([client, createDriver]) =>
  [false, true].map(isStream => [isStream ? `streamed ${client}` : client, isStream, createDriver] as const),
)

describe.each(['Anthropic', 'Bedrock', 'Vertex'] as const)('Claude at %s', cloud => {
  for (const foreign of Object.keys(FOREIGN))
    test.each(WAYS)(
      `gets no thinking of ${foreign} from clients of %s`,
      async (_, isStream, createDriver) => {
        const ask = await openGateway(cloud)
        const driver = createDriver()
        await ask(driver, foreign, isStream)
        for (const isStreamedAgain of [false, true]) {
          const sent = await ask(driver, CLAUDE, isStreamedAgain)
          expect(JSON.stringify(sent)).toContain('yes')
          expect(thinkingOf(sent).filter(({ signature }) => signature !== CLAUDE_SIGNATURE)).toEqual([])
          expect(JSON.stringify(sent)).not.toContain(ENCRYPTED)
          expect(JSON.stringify(sent)).not.toContain(GEMINI_SIGNATURE.toString('base64').slice(0, 20))
        }
      },
    )

  test.each(WAYS)('gets its own thinking back from clients of %s', async (_, isStream, createDriver) => {
    const ask = await openGateway(cloud)
    const driver = createDriver()
    await ask(driver, CLAUDE, isStream)
    expect(thinkingOf(await ask(driver, CLAUDE, isStream))).toEqual([THOUGHT])
  })

  test.each(WAYS.filter(([, isStream]) => isStream))(
    'gets no thinking that was cut off before its signature from clients of %s',
    async (_, isStream, createDriver) => {
      const ask = await openGateway(cloud)
      const driver = createDriver()
      await ask(driver, CLAUDE, isStream, true)
      expect(thinkingOf(await ask(driver, CLAUDE, isStream))).toEqual([])
    },
  )
})

/** What clients of Messages may hold in the place of a signature. */
const NO_SIGNATURES: readonly (readonly [maker: string, signature: unknown])[] = [
  ['nobody', ''],
  ['nobody, with a space', ' '],
  ['nobody, as null', null],
  ['nobody, as a number', 5],
  ['DeepSeek', '4f1b7f0e-5c52-4a0e-9d11-0a8f7e2f6f0d'],
  ['MiniMax', 'b0f1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8f9a0b1'],
  ['OpenAI', ENCRYPTED],
  ['Gemini', GEMINI_SIGNATURE.toString('base64')],
  ['Gemini, for URLs', GEMINI_SIGNATURE.toString('base64url')],
]

describe.each(['Anthropic', 'Bedrock', 'Vertex'] as const)('a client of Messages at %s', cloud => {
  test.each(NO_SIGNATURES)('may send a signature of %s', async (_, signature) => {
    const ask = await openGateway(cloud)
    for (const isStream of [false, true])
      for (const block of [
        { type: 'thinking', thinking: 'hm', signature },
        { type: 'redacted_thinking', data: signature },
      ]) {
        const driver = messagesDriver()
        driver.addUser('q')
        driver.addReply({ content: [block, TEXT_BLOCK] })
        expect(thinkingOf(await ask(driver, CLAUDE, isStream))).toEqual([])
      }
  })
})

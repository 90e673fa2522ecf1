import { heapStats } from 'bun:jsc'
import { afterEach, expect, test } from 'bun:test'
import type { Send } from '../http-client/send.ts'
import { receivedResponse } from '../testing/received-response.ts'
import { TestRelay } from '../testing/test-relay.ts'

const OPENAI = 1
const ANTHROPIC = 14
const MESSAGES = 3_000
const COLLECTIONS_MAX = 100
/** The conservative collector may keep one of several prompts alive by mistake. */
const PROMPTS_KEPT_MAX = 1.5
const CHAT_CHUNK = {
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'lab',
  choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }],
}
const CHAT = `data: ${JSON.stringify(CHAT_CHUNK)}\n\n`
const CLAUDE = [
  { type: 'message_start', message: { id: 'm', model: 'lab', usage: { input_tokens: 1, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
]
  .map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join('')
const RESPONSE =
  'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"Hi"}\n\n'

const texts = () => Array.from({ length: MESSAGES }, (_, index) => `What is ${index}?`)
const messages = () => texts().map(content => ({ role: 'user', content }))
const chat = () => ({ model: 'lab', stream: true, max_tokens: 100, messages: messages() })
const response = () => ({ model: 'lab', stream: true, input: messages() })
const gemini = () => ({ contents: texts().map(text => ({ role: 'user', parts: [{ text }] })) })
const completion = () => ({ model: 'lab', stream: true, prompt: 'What is', metadata: messages() })

/** Plain objects and lists of a body: a message of Gemini has three, one of the other formats has one. */
function countObjects(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((count: number, entry) => count + countObjects(entry), 1)
}

let opened: TestRelay | undefined
afterEach(() => opened?.close())

/** Sends the first events of a stream, which then stalls. */
const sendFirst =
  (events: string): Send =>
  async () => {
    const body = new ReadableStream({
      start: controller => controller.enqueue(new TextEncoder().encode(events)),
    })
    return receivedResponse(
      new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
      () => undefined,
    )
  }

/** Plain objects and lists that are alive, once there are no more than this or garbage was collected often enough. */
async function countAlive(enough: number): Promise<number> {
  for (let tries = 0; ; tries += 1) {
    Bun.gc(true)
    const { Object: objects = 0, Array: lists = 0 } = heapStats().objectTypeCounts
    if (objects + lists <= enough || tries === COLLECTIONS_MAX) return objects + lists
    await Bun.sleep(1)
  }
}

const PATHS = {
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  responses: '/v1/responses',
  gemini: '/v1beta/models/lab:streamGenerateContent?alt=sse',
  completions: '/v1/completions',
} as const

test.each([
  { from: 'chat', to: OPENAI, createBody: chat, events: CHAT },
  { from: 'chat', to: ANTHROPIC, createBody: chat, events: CLAUDE },
  { from: 'messages', to: ANTHROPIC, createBody: chat, events: CLAUDE },
  { from: 'messages', to: OPENAI, createBody: chat, events: CHAT },
  { from: 'responses', to: OPENAI, createBody: response, events: RESPONSE },
  { from: 'responses', to: ANTHROPIC, createBody: response, events: CLAUDE },
  { from: 'gemini', to: OPENAI, createBody: gemini, events: CHAT },
  { from: 'completions', to: OPENAI, createBody: completion, events: CHAT },
  { from: 'completions', to: ANTHROPIC, createBody: completion, events: CLAUDE },
] as const)(
  'drops the prompt of an open stream from $from to channel type $to',
  async ({ from, to, createBody, events }) => {
    const relay = await TestRelay.open({ send: sendFirst(events) })
    opened = relay
    await relay.addChannel({ type: to })
    const key = await relay.addToken()
    const open = async () => {
      const response = await relay.request(PATHS[from], key, createBody())
      const reader = response.body?.getReader()
      const { value } = (await reader?.read()) ?? {}
      expect(new TextDecoder().decode(value)).toContain('Hi')
      return reader
    }
    const before = await countAlive(Number.POSITIVE_INFINITY)
    const readers = [await open(), await open(), await open()]
    const allowed = before + PROMPTS_KEPT_MAX * countObjects(createBody())
    expect(await countAlive(allowed)).toBeLessThan(allowed)
    for (const reader of readers) await reader?.cancel()
  },
)

test('drops the upstream request of an open stream', async () => {
  const sendChat = sendFirst(CHAT)
  const requests: WeakRef<object>[] = []
  const send: Send = (request, options) => {
    requests.push(new WeakRef(request))
    return sendChat(request, options)
  }
  const relay = await TestRelay.open({ send })
  opened = relay
  await relay.addChannel()
  const response = await relay.request(PATHS.chat, await relay.addToken(), chat())
  const reader = response.body?.getReader()
  await reader?.read()
  for (let tries = 0; tries < COLLECTIONS_MAX && requests[0]?.deref(); tries += 1) {
    Bun.gc(true)
    await Bun.sleep(1)
  }
  expect(requests.map(request => request.deref())).toEqual([undefined])
  await reader?.cancel()
})

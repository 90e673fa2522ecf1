import { afterEach, beforeEach, expect, test } from 'bun:test'
import { userMessage } from './chat-message.ts'
import { createChats, isThreadBusy, requestLogOf, shownConversation } from './chats.ts'
import { nameOf, STORED_MESSAGES_MAX, storedConversations } from './conversations.ts'
import { Settings } from './settings.ts'

const USER = 7
const { fetch, requestAnimationFrame, cancelAnimationFrame, localStorage } = globalThis

/** The streams of the requests so far, by model. */
let streams: Map<string, ReadableStreamDefaultController<string>>
let bodies: unknown[]
let settings: Settings
let stored: Map<string, string>
let isFull: boolean

beforeEach(() => {
  streams = new Map()
  bodies = []
  isFull = false
  settings = Settings.parse({ model: 'a' })
  stored = new Map([['user', JSON.stringify({ id: USER, username: 'anna' })]])
  Object.assign(globalThis, {
    fetch: respond,
    requestAnimationFrame: (run: () => void) => setTimeout(run, 0),
    cancelAnimationFrame: clearTimeout,
    localStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem(key: string, value: string): void {
        if (isFull) throw new DOMException('full', 'QuotaExceededError')
        stored.set(key, value)
      },
      removeItem: (key: string) => stored.delete(key),
    },
  })
})

afterEach(() => {
  Object.assign(globalThis, { fetch, requestAnimationFrame, cancelAnimationFrame, localStorage })
})

/** A gateway whose responses the tests write, word by word. */
async function respond(
  _: string,
  { body, signal }: { body: string; signal: AbortSignal },
): Promise<Response> {
  const { model } = JSON.parse(body)
  bodies.push(JSON.parse(body))
  const stream = new ReadableStream<string>({
    start(controller) {
      streams.set(model, controller)
      signal.addEventListener('abort', () => controller.error(signal.reason))
    },
  })
  return new Response(stream.pipeThrough(new TextEncoderStream()))
}

const open = () => createChats({ userId: USER, settings: () => settings, onReplied: () => undefined })
type Opened = ReturnType<typeof open>

const settle = () => Bun.sleep(5)
const shown = ({ store }: Opened) => shownConversation(store.get())
const thread = (chats: Opened, index = 0) =>
  shown(chats).threads[index] ?? { id: '', model: '', messages: [] }
const texts = (chats: Opened, index = 0) => thread(chats, index).messages.map(({ content }) => content)

async function write(model: string, content: string): Promise<void> {
  streams.get(model)?.enqueue(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`)
  await settle()
}

async function finish(model: string): Promise<void> {
  streams.get(model)?.enqueue('data: [DONE]\n\n')
  streams.get(model)?.close()
  await settle()
}

async function startReply(chats: Opened): Promise<void> {
  chats.send('hello')
  await settle()
  await write('a', 'Hi')
}

test('a conversation that is cleared while a response streams stays empty', async () => {
  const chats = open()
  await startReply(chats)
  chats.clear()
  await settle()
  expect(texts(chats)).toEqual([])
  expect(requestLogOf(chats.store.get(), thread(chats)).body).toBeUndefined()
  expect(storedConversations(USER)).toEqual([])
})

test('deleting a response while it streams stops it, and it does not come back', async () => {
  const chats = open()
  await startReply(chats)
  const [question, reply = userMessage('')] = thread(chats).messages
  chats.removeMessage(thread(chats).id, reply)
  await settle()
  expect(thread(chats).messages).toEqual(question ? [question] : [])
  chats.send('again')
  expect(isThreadBusy(thread(chats))).toBe(true)
})

test('deleting another message while a response streams lets the response continue', async () => {
  const chats = open()
  await startReply(chats)
  const [question = userMessage('')] = thread(chats).messages
  chats.removeMessage(thread(chats).id, question)
  await write('a', ' there')
  await finish('a')
  expect(texts(chats)).toEqual(['Hi there'])
})

test('a message goes to every model, and a response that fails does not hold the others', async () => {
  const chats = open()
  chats.addThread(['a', 'b'])
  chats.send('hello', [{ name: 'cat.png', url: 'data:image/png;base64,AAAA' }])
  await settle()
  streams.get('b')?.enqueue('data: {"error":{"message":"b is down"}}\n\n')
  await write('a', 'Hi')
  expect(thread(chats, 1).messages[1]).toMatchObject({ state: 'error', problem: 'b is down' })
  expect(isThreadBusy(thread(chats, 0))).toBe(true)
  await finish('a')
  expect(texts(chats)).toEqual(['hello', 'Hi'])
  const content = [
    { type: 'text', text: 'hello' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
  ]
  expect(bodies).toMatchObject([
    { model: 'a', messages: [{ content }] },
    { model: 'b', messages: [{ content }] },
  ])
})

test('a model that is added continues from the messages of the first', async () => {
  const chats = open()
  await startReply(chats)
  await finish('a')
  chats.addThread([])
  expect(texts(chats, 1)).toEqual(['hello', 'Hi'])
  for (let index = 0; index < 5; index += 1) chats.addThread([])
  expect(shown(chats).threads).toHaveLength(4)
})

test('a response streams on while another conversation is shown, and each has its name and is stored', async () => {
  const chats = open()
  await startReply(chats)
  const first = shown(chats).id
  expect(chats.create()).toBe(true)
  expect(texts(chats)).toEqual([])
  await write('a', ' there')
  await finish('a')
  chats.show(first)
  expect(texts(chats)).toEqual(['hello', 'Hi there'])
  expect(nameOf(shown(chats))).toBe('hello')
  chats.rename(first, 'Greetings')
  expect(storedConversations(USER).map(nameOf)).toEqual(['Greetings'])
  chats.remove(first)
  expect(storedConversations(USER)).toEqual([])
})

test('a regenerated response uses the settings of the moment', async () => {
  const chats = open()
  await startReply(chats)
  await finish('a')
  settings = { ...settings, system: 'Be brief.' }
  chats.retry(thread(chats).id, thread(chats).messages[1]?.id ?? '')
  await settle()
  expect(bodies[1]).toMatchObject({ messages: [{ content: 'Be brief.' }, { content: 'hello' }] })
})

test('the question is stored before the response arrives, without the data of its pictures', async () => {
  const chats = open()
  chats.send('hello', [{ name: 'cat.png', url: 'data:image/png;base64,AAAA' }])
  expect(stored.get('playground-chat')).not.toContain('AAAA')
  const [question, reply] = storedConversations(USER)[0]?.threads[0]?.messages ?? []
  expect(question).toMatchObject({ content: 'hello', pictures: [{ name: 'cat.png' }] })
  expect(reply).toMatchObject({ state: 'complete', facts: { isStopped: true } })
})

test('nothing is stored once the user has signed out', async () => {
  const chats = open()
  await startReply(chats)
  stored.clear()
  chats.close()
  await settle()
  expect(stored.size).toBe(0)
})

test('other users do not read a conversation, and two tabs keep those of each other', async () => {
  const [one, two] = [open(), open()]
  one.send('from one')
  two.send('from two')
  expect(storedConversations(USER).map(nameOf)).toEqual(['from two', 'from one'])
  expect(storedConversations(USER + 1)).toEqual([])
})

test('a thread keeps its last 60 messages, and a full storage is reported', async () => {
  const turns = Array.from({ length: 70 }, (_, index) => userMessage(`message ${index}`))
  stored.set('playground-chat', JSON.stringify({ userId: USER, turns }))
  const chats = open()
  expect(nameOf(shown(chats))).toBe('message 0')
  chats.rename(shown(chats).id, 'Long')
  const kept = storedConversations(USER)[0]?.threads[0]?.messages ?? []
  expect(kept).toHaveLength(STORED_MESSAGES_MAX)
  expect(kept.at(-1)?.content).toBe('message 69')
  isFull = true
  chats.rename(shown(chats).id, 'Longer')
  expect(chats.store.get().isStorageFull).toBe(true)
})

test('the number of conversations is bounded', () => {
  const chats = open()
  for (let index = 1; index < 20; index += 1) {
    chats.rename(shown(chats).id, `number ${index}`)
    expect(chats.create()).toBe(true)
  }
  chats.rename(shown(chats).id, 'number 20')
  expect(chats.create()).toBe(false)
})

import { afterEach, expect, test } from 'bun:test'
import { createWordSearch } from '../../core/word-search.ts'
import { TestRelay } from '../../testing/test-relay.ts'
import { formFields } from './parse-request.ts'

const PARTS = 60_000
const DURATION_MS_MAX = 2_000

function formOf(...fields: readonly (readonly [name: string, value: string])[]): FormData {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  return form
}

test('turns a form field that repeats or ends in [] into a list in order', async () => {
  const form = formOf(
    ['one', '1'],
    ['list[]', 'a'],
    ['again', 'x'],
    ['again', 'y'],
    ['mixed', '1'],
    ['mixed[]', '2'],
  )
  expect(await formFields(form)).toEqual({ one: '1', list: ['a'], again: ['x', 'y'], mixed: ['1', '2'] })
})

test('parses many form parts of one name in linear time', async () => {
  const form = formOf(...Array.from({ length: PARTS }, () => ['a[]', 'x'] as const))
  const startedMs = performance.now()
  expect((await formFields(form)).a).toHaveLength(PARTS)
  expect(performance.now() - startedMs).toBeLessThan(DURATION_MS_MAX)
})

let opened: TestRelay | undefined
afterEach(() => opened?.close())

async function ask(path: string, body: object, words: readonly string[] = ['Bad Word']) {
  opened = await TestRelay.open({ settings: { sensitiveWords: createWordSearch(words) } })
  await opened.addChannel()
  const response = await opened.request(path, await opened.addToken(), { model: 'lab', ...body })
  const { error } = (await response.json()) as { error?: { code: string; message: string } }
  return { status: response.status, code: error?.code, message: error?.message ?? '' }
}
const CHAT = '/v1/chat/completions'
const prompt = (content: unknown) => ({ messages: [{ role: 'user', content }] })

test('rejects a prompt with a listed word in any case and any message part', async () => {
  const text = 'this is a BAD word, is it not'
  for (const body of [
    prompt(text),
    prompt([
      { type: 'text', text: 'fine' },
      { type: 'text', text },
    ]),
    { messages: [{ role: 'system', content: text }, ...prompt('fine').messages], stream: true },
  ]) {
    const { status, code, message } = await ask(CHAT, body)
    expect({ status, code }).toEqual({ status: 400, code: 'sensitive_words_detected' })
    expect(message).toContain('"Bad Word"')
  }
})

test('charges nothing and opens no hold for a rejected prompt', async () => {
  await ask(CHAT, prompt('bad word'))
  expect(await opened?.db.selectFrom('holds').selectAll().execute()).toEqual([])
  expect(await opened?.db.selectFrom('logs').select('type').where('quota', '>', 0).execute()).toEqual([])
})

test('accepts a prompt without a listed word', async () => {
  expect((await ask(CHAT, prompt('a good word'))).status).toBe(200)
})

test('does not check embeddings for sensitive words', async () => {
  expect((await ask('/v1/embeddings', { input: 'bad word' })).status).toBe(200)
})

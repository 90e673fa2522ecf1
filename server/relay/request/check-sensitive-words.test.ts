import { afterEach, expect, test } from 'bun:test'
import { createWordSearch } from '../../core/word-search.ts'
import { TestRelay } from '../../testing/test-relay.ts'

let opened: TestRelay | undefined
afterEach(() => opened?.close())

async function ask(path: string, body: object, words: readonly string[] = ['Bad Word']) {
  opened = await TestRelay.open({ settings: { sensitiveWords: createWordSearch(words) } })
  await opened.addChannel()
  const response = await opened.ask(path, await opened.addToken(), { model: 'lab', ...body })
  const { error } = (await response.json()) as { error?: { code: string; message: string } }
  return { status: response.status, code: error?.code, message: error?.message ?? '' }
}
const CHAT = '/v1/chat/completions'
const said = (content: unknown) => ({ messages: [{ role: 'user', content }] })

test('a prompt with a word of the list is refused, in whatever case and in whatever part it stands', async () => {
  const text = 'this is a BAD word, is it not'
  for (const body of [
    said(text),
    said([
      { type: 'text', text: 'fine' },
      { type: 'text', text },
    ]),
    { messages: [{ role: 'system', content: text }, ...said('fine').messages], stream: true },
  ]) {
    const { status, code, message } = await ask(CHAT, body)
    expect({ status, code }).toEqual({ status: 400, code: 'sensitive_words_detected' })
    expect(message).toContain('"Bad Word"')
  }
})

test('what is refused costs nothing, leaves no hold, and no upstream is asked', async () => {
  await ask(CHAT, said('bad word'))
  expect(await opened?.db.selectFrom('holds').selectAll().execute()).toEqual([])
  expect(await opened?.db.selectFrom('logs').select('type').where('quota', '>', 0).execute()).toEqual([])
})

test('other prompts pass', async () => {
  expect((await ask(CHAT, said('a good word'))).status).toBe(200)
})

test('embeddings are not searched', async () => {
  expect((await ask('/v1/embeddings', { input: 'bad word' })).status).toBe(200)
})

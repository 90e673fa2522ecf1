import { afterEach, expect, test } from 'bun:test'
import type { Server } from 'bun'
import { TestRelay } from '../testing/test-relay.ts'
import { send } from './upstream/send.ts'

const DIFY = 37
const PICTURE = 'data:image/png;base64,iVBORw0KGgo='
const ANSWER = [
  { event: 'message', message_id: 'm', answer: 'A cat.' },
  { event: 'message_end', message_id: 'm', metadata: { usage: { prompt_tokens: 20, completion_tokens: 3 } } },
]

let server: Server<undefined>
let relay: TestRelay
afterEach(async () => {
  await relay.close()
  await server.stop(true)
})

/** Asks an application of Dify that sees, and says what it was sent. */
async function ask(uploadStatus: number) {
  const seen = { file: '', user: '', asked: '' }
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      if (!request.url.endsWith('/files/upload')) {
        seen.asked = await request.text()
        const events = ANSWER.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')
        return new Response(events, { headers: { 'content-type': 'text/event-stream' } })
      }
      const form = await request.formData()
      const file = form.get('file')
      seen.file = file instanceof File ? `${file.type} ${file.size}` : ''
      seen.user = String(form.get('user'))
      const body =
        uploadStatus === 201
          ? { id: 'upload-1' }
          : { code: 'unauthorized', message: 'Access token is invalid' }
      return Response.json(body, { status: uploadStatus })
    },
  })
  relay = await TestRelay.open({ send })
  await relay.addChannel({ type: DIFY, base_url: `http://127.0.0.1:${server.port}` })
  const content = [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url: PICTURE } },
  ]
  const body = { model: 'lab', user: 'u', messages: [{ role: 'user', content }] }
  const answer = await relay.request('/v1/chat/completions', await relay.addToken(), body)
  const wallet = await relay.db.selectFrom('users').select('used_quota').executeTakeFirstOrThrow()
  return { seen, status: answer.status, text: await answer.text(), wallet }
}

test('a picture in the body is uploaded before the vendor is asked, in the name of the user', async () => {
  const { seen, text, wallet } = await ask(201)
  expect(seen).toMatchObject({ file: 'image/png 8', user: 'u' })
  expect(JSON.parse(seen.asked)).toMatchObject({
    query: 'What is this?',
    user: 'u',
    files: [{ type: 'image', transfer_method: 'local_file', upload_file_id: 'upload-1' }],
  })
  expect(JSON.parse(text).choices[0].message.content).toBe('A cat.')
  expect(wallet.used_quota).toBe(20 + 2 * 3)
})

test('an upload that is refused is an answer with its reason, and costs nothing', async () => {
  const { seen, status, text, wallet } = await ask(401)
  expect(seen.asked).toBe('')
  expect(status).toBe(401)
  expect(text).toContain('Access token is invalid')
  expect(wallet.used_quota).toBe(0)
})

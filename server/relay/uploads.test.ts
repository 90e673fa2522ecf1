import { afterEach, expect, test } from 'bun:test'
import type { Server } from 'bun'
import { send } from '../http-client/send.ts'
import { TestRelay } from '../testing/test-relay.ts'

const DIFY = 37
const IMAGE = 'data:image/png;base64,iVBORw0KGgo='
const EVENTS = [
  { event: 'message', message_id: 'm', answer: 'A cat.' },
  { event: 'message_end', message_id: 'm', metadata: { usage: { prompt_tokens: 20, completion_tokens: 3 } } },
]

let server: Server<undefined>
let relay: TestRelay
afterEach(async () => {
  await relay.close()
  await server.stop(true)
})

/** Calls a Dify application with an image, and records what it receives. */
async function call(uploadStatus: number) {
  const received = { file: '', user: '', body: '' }
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      if (!request.url.endsWith('/files/upload')) {
        received.body = await request.text()
        const events = EVENTS.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')
        return new Response(events, { headers: { 'content-type': 'text/event-stream' } })
      }
      const form = await request.formData()
      const file = form.get('file')
      received.file = file instanceof File ? `${file.type} ${file.size}` : ''
      received.user = String(form.get('user'))
      const reply =
        uploadStatus === 201
          ? { id: 'upload-1' }
          : { code: 'unauthorized', message: 'Access token is invalid' }
      return Response.json(reply, { status: uploadStatus })
    },
  })
  relay = await TestRelay.open({ send })
  await relay.addChannel({ type: DIFY, base_url: `http://127.0.0.1:${server.port}` })
  const content = [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url: IMAGE } },
  ]
  const body = { model: 'lab', user: 'u', messages: [{ role: 'user', content }] }
  const response = await relay.request('/v1/chat/completions', await relay.addToken(), body)
  const wallet = await relay.db.selectFrom('users').select('used_quota').executeTakeFirstOrThrow()
  return { received, status: response.status, text: await response.text(), wallet }
}

test('uploads an image for the user before calling the provider', async () => {
  const { received, text, wallet } = await call(201)
  expect(received).toMatchObject({ file: 'image/png 8', user: 'u' })
  expect(JSON.parse(received.body)).toMatchObject({
    query: 'What is this?',
    user: 'u',
    files: [{ type: 'image', transfer_method: 'local_file', upload_file_id: 'upload-1' }],
  })
  expect(JSON.parse(text).choices[0].message.content).toBe('A cat.')
  expect(wallet.used_quota).toBe(20 + 2 * 3)
})

test('returns the reason of a rejected upload and charges nothing', async () => {
  const { received, status, text, wallet } = await call(401)
  expect(received.body).toBe('')
  expect(status).toBe(401)
  expect(text).toContain('Access token is invalid')
  expect(wallet.used_quota).toBe(0)
})

import { afterAll, expect, test } from 'bun:test'
import { sleepMs } from '#server/core/clock.ts'
import { openConnection, postBytes } from './http-connection.ts'

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const { how } = await request.json()
    if (how === 'json') return Response.json({ path: new URL(request.url).pathname }, { status: 418 })
    if (how === 'reset')
      return new Response(new ReadableStream({ pull: controller => controller.error(undefined) }))
    return new Response(streamPieces(['data: one\n\n', 'data: t', 'wo\n\n', '0\r\n', 'data: [DONE]\n\n']))
  },
})
afterAll(() => server.stop(true))

function streamPieces(texts: readonly string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(controller) {
      for (const text of texts) {
        controller.enqueue(new TextEncoder().encode(text))
        await sleepMs(5)
      }
      controller.close()
    },
  })
}

const url = new URL('/somewhere', server.url)
const post = (how: string) => postBytes(url, { 'X-Own': 'yes' }, { how })

test('the load generator reads consecutive responses with a length on one connection', async () => {
  const connection = await openConnection(url)
  for (let index = 0; index < 3; index++) {
    const { status, body } = await connection.send(post('json'))
    expect([status, body]).toEqual([418, '{"path":"/somewhere"}'])
  }
  connection.close()
})

test('the load generator decodes chunked responses and reports their pieces as they arrive', async () => {
  const connection = await openConnection(url)
  const received: string[] = []
  const { status, body, ms } = await connection.send(post('chunked'), text => received.push(text))
  expect([status, body]).toEqual([200, 'data: one\n\ndata: two\n\n0\r\ndata: [DONE]\n\n'])
  expect(received.length).toBeGreaterThan(2)
  expect(ms).toBeGreaterThan(10)
  connection.close()
})

test('the load generator rejects when the connection is lost', async () => {
  const connection = await openConnection(url)
  expect(connection.send(post('reset'))).rejects.toThrow('closed before')
})

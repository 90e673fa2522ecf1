import { afterEach, expect, test } from 'bun:test'
import type { Server } from 'bun'
import { nextTurn } from '../core/async.ts'
import { KIB, MIB } from '../core/limits.ts'
import { readResponseText } from './read-response.ts'
import { send } from './send.ts'

let server: Server<undefined> | undefined
afterEach(async () => {
  await server?.stop(true)
  server = undefined
})

/** The text of a response as a caller reads it. */
function read(response: () => Response): Promise<string> {
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: response })
  return readFrom(server.url.href)
}

async function readFrom(url: string, timeoutMs = 5_000): Promise<string> {
  const signal = new AbortController().signal
  const sent = await send(
    { url, headers: {}, body: '{}' },
    { signal, headersTimeoutMs: 5_000, proxy: undefined },
  )
  if (sent.kind === 'failure') throw new Error(sent.failure.message)
  return readResponseText(sent, timeoutMs)
}

let pulledBytes = 0

/** A body that goes on as long as it is read. */
function endlessBody(): ReadableStream<Uint8Array> {
  pulledBytes = 0
  const chunk = new Uint8Array(16 * KIB).fill(0x61)
  return new ReadableStream({
    async pull(controller) {
      await nextTurn()
      controller.enqueue(chunk)
      pulledBytes += chunk.byteLength
    },
  })
}

test('keeps the beginning of an endless body with an error status', async () => {
  const text = await read(() => new Response(endlessBody(), { status: 500 }))
  expect(text).toBe('a'.repeat(64 * KIB))
  expect(pulledBytes).toBeLessThan(16 * MIB)
})

test('keeps what has arrived of a body with an error status that breaks off', async () => {
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket) {
        socket.write('HTTP/1.1 401 Unauthorized\r\ncontent-length: 100\r\n\r\n{"error":')
        socket.end()
      },
    },
  })
  expect(await readFrom(`http://127.0.0.1:${listener.port}/`)).toBe('{"error":')
  listener.stop(true)
})

test('keeps what has arrived in time of a body with an error status that does not end', async () => {
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data: socket => void socket.write('HTTP/1.1 500 Error\r\ncontent-length: 100\r\n\r\n{"error":'),
    },
  })
  expect(await readFrom(`http://127.0.0.1:${listener.port}/`, 20)).toBe('{"error":')
  listener.stop(true)
})

test('reads no more than a part of a long body with an error status that is here at once', async () => {
  expect(await read(() => new Response('a'.repeat(MIB), { status: 404 }))).toHaveLength(64 * KIB)
})

test('rejects a body that is dearer to parse than its length says', async () => {
  const elements = `[${'0,'.repeat(400_001)}0]`
  await expect(read(() => new Response(elements))).rejects.toThrow('more than 400000 elements')
  const levels = `${'['.repeat(10_000)}${']'.repeat(10_000)}`
  await expect(read(() => new Response(levels))).rejects.toThrow('128 levels')
})

import { afterEach, expect, test } from 'bun:test'
import type { Server } from 'bun'
import { KIB, MIB } from '../core/limits.ts'
import { readResponseText } from './read-response.ts'
import { send } from './send.ts'

let server: Server<undefined> | undefined
afterEach(async () => {
  await server?.stop(true)
  server = undefined
})

/** The text of a response as a caller reads it. */
async function read(response: () => Response, timeoutMs = 5_000): Promise<string> {
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: response })
  const signal = new AbortController().signal
  const sent = await send(
    { url: server.url.href, headers: {}, body: '{}' },
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
      await Bun.sleep(0)
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
  const broken = () =>
    new ReadableStream({
      async pull(controller) {
        controller.enqueue(new TextEncoder().encode('{"error":'))
        await Bun.sleep(20)
        controller.error(new Error('broken'))
      },
    })
  expect(await read(() => new Response(broken(), { status: 401 }))).toBe('{"error":')
})

test('reads no more than a part of a long body with an error status that is here at once', async () => {
  expect(await read(() => new Response('a'.repeat(MIB), { status: 404 }))).toHaveLength(64 * KIB)
})

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createConnection, type Socket } from 'node:net'
import { createToken, updateToken } from '#contract/entities/token.ts'
import { MIB } from '#server/core/limits.ts'
import { errorOf, isCompleteStream } from '../harness/call-chat.ts'
import { findLogs } from '../harness/find-log.ts'
import { readNamespace, waitUntilIdle } from '../harness/lab-namespace.ts'
import { queuedBytes } from '../harness/queued-bytes.ts'
import { setOptions } from '../harness/set-options.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { createFaultSetup, type FaultSetup, LAB, PRICE } from './fault-setup.ts'

const WAIT_MS_MAX = 90_000
/** About 60 MiB of events, far more than the sockets buffer. */
const LONG_STREAM_TOKENS = 300_000
/** Bytes of an unread response that a gateway may buffer besides the kernel's buffers. */
const KEPT_BYTES_MAX = 2 * MIB
const HEARD_BYTES = 64 * 1024

let stage: FaultSetup
beforeAll(async () => {
  stage = await createFaultSetup()
})
afterAll(() => stage?.stop())

interface Caller {
  readonly socket: Socket
  /** Text received so far. */
  heard(): string
}

/** A raw client, which can stop reading and reset the connection as a crashed machine would. */
function callRaw(script: string, pausesAfter = Number.POSITIVE_INFINITY): Caller {
  const { hostname, port } = new URL(stage.site.gateway.url)
  const messages = [{ role: 'user', content: `hello [lab: ${script}]` }]
  const body = JSON.stringify({ model: LAB, stream: true, messages })
  const socket = createConnection(Number(port), hostname)
  let text = ''
  socket.setEncoding('utf8')
  socket.on('data', piece => {
    if (text.length < pausesAfter && text.length + piece.length >= pausesAfter) socket.pause()
    text += piece
  })
  socket.on('error', () => undefined)
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: gate\r\nAuthorization: Bearer sk-${stage.key}\r\n` +
      `Content-Type: application/json\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  return { socket, heard: () => text }
}

const untilHeard = ({ heard }: Caller, length: number) =>
  waitUntil(
    { description: `${length} bytes of an answer`, timeoutMs: WAIT_MS_MAX },
    () => heard().length >= length,
  )

const requestIdIn = (text: string): string => /x-oneapi-request-id: (\S+)/i.exec(text)?.[1] ?? ''

test('a connection reset by the client cancels the upstream call and charges what was delivered', async () => {
  await setOptions(stage.site.root, { DisconnectReadSeconds: 1 })
  const before = await stage.charged()
  const caller = callRaw('pace-10+tokens-100000')
  await waitUntil({ description: 'some events', timeoutMs: WAIT_MS_MAX }, () =>
    caller.heard().includes('data: '),
  )
  caller.socket.resetAndDestroy()
  expect(await waitUntilIdle(stage.site.lab, LAB)).toMatchObject({ aborted: 1 })
  await waitUntil({ description: 'the charge', timeoutMs: WAIT_MS_MAX }, async () => {
    return (await stage.charged()) === before + PRICE
  })
  const [row] = await findLogs(stage.site.root, requestIdIn(caller.heard()))
  expect(row?.detail).toMatchObject({ ending: 'client-left', provenance: 'estimated' })
})

test('a client that stops reading pauses the upstream without filling memory, and receives the rest when it resumes', async () => {
  const caller = callRaw(`tokens-${LONG_STREAM_TOKENS}`, HEARD_BYTES)
  await untilHeard(caller, HEARD_BYTES)
  const sent = await untilStill(async () => (await readNamespace(stage.site.lab, LAB)).bytesOut)
  expect((await readNamespace(stage.site.lab, LAB)).inFlight).toBe(1)
  const ports = [stage.site.gateway.url, stage.site.lab.url].map(url => Number(new URL(url).port))
  if (process.platform === 'linux') expect(sent - queuedBytes(ports)).toBeLessThan(KEPT_BYTES_MAX)
  caller.socket.resume()
  await waitUntil({ description: 'the end', timeoutMs: WAIT_MS_MAX }, () =>
    caller.heard().includes('data: [DONE]'),
  )
  const [row] = await findLogs(stage.site.root, requestIdIn(caller.heard()))
  expect(row).toMatchObject({ completion_tokens: LONG_STREAM_TOKENS, detail: { provenance: 'upstream' } })
})

/** Waits until the value stops growing and returns it. */
async function untilStill(read: () => Promise<number>): Promise<number> {
  const received: number[] = []
  return waitUntil({ description: 'a figure that stands still', timeoutMs: WAIT_MS_MAX }, async () => {
    const figure = await read()
    received.push(figure)
    return received.length > 20 && received.slice(-20).every(one => one === figure) && figure
  })
}

test('a token disabled during its stream ends it, is charged for what was delivered and starts no other', async () => {
  const { root } = stage.site
  const { id, key } = await root.call(createToken, { body: { name: 'revoked', unlimited_quota: true } })
  const before = await stage.charged()
  const held = stage.ask(LAB, { isStream: true, script: 'pace-100+tokens-2000', key })
  await waitUntil({ description: 'the stream', timeoutMs: WAIT_MS_MAX }, async () => {
    return (await readNamespace(stage.site.lab, LAB)).inFlight === 1
  })
  await root.call(updateToken, { query: { status_only: '1' }, body: { id, status: 2 } })
  const rejected = await stage.ask(LAB, { key })
  expect([rejected.status, errorOf(rejected).code]).toEqual([401, 'token_disabled'])
  expect(isCompleteStream(await held)).toBe(false)
  expect(await stage.charged()).toBe(before + PRICE)
})

test('leaves a balanced ledger without open holds', () => stage.expectBalancedLedger())

import { afterEach, expect, test } from 'bun:test'
import type { Socket, TCPSocketListener } from 'bun'
import { setClock, sleepMs } from '../../core/clock.ts'
import { MIB } from '../../core/limits.ts'
import { LOCALHOST } from '../../testing/localhost.ts'
import { ConnectionPool } from './connection-pool.ts'
import { HttpCall } from './http-call.ts'
import type { HttpConnection } from './http-connection.ts'
import { type HttpResponse, ResponseTooLargeError } from './http-response.ts'
import type { HttpRequest } from './write-request.ts'

type Respond = (socket: Socket<Received>, received: string) => void
interface Received {
  text: string
}

let listener: TCPSocketListener<Received> | undefined
let connections = 0

/** Starts a server that calls `respond` with all it has received. Returns its URL. */
function serve(
  respond: Respond,
  handlers: Pick<Bun.SocketHandler<Received>, 'close' | 'drain'> = {},
): string {
  connections = 0
  listener = Bun.listen<Received>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        connections += 1
        socket.data = { text: '' }
      },
      data(socket, bytes) {
        socket.data.text += bytes.toString('latin1')
        respond(socket, socket.data.text)
      },
      error: () => undefined,
      ...handlers,
    },
  })
  return `http://127.0.0.1:${listener.port}/v1`
}

afterEach(() => {
  listener?.stop(true)
  listener = undefined
  pool = new ConnectionPool<HttpConnection>(timing)
})

const timing = { quietMs: 2, probationMs: 4 }
let pool = new ConnectionPool<HttpConnection>(timing)
/** Long enough for an idle connection to be reusable. */
const untilQuiet = () => sleepMs(80)

const call = (url: string, body: HttpRequest['body'] = '{}') =>
  new HttpCall(
    { method: 'POST', url, headers: { 'content-type': 'application/json' }, body },
    { owner: 'channel', pool },
  )

const readText = async (response: HttpResponse): Promise<string> =>
  new TextDecoder().decode(await response.readAll(64 * MIB))

const post = async (url: string, body?: HttpRequest['body']) => readText(await call(url, body).response)

const ok = (body: string, ...headers: string[]) =>
  ['HTTP/1.1 200 OK', ...headers, `content-length: ${body.length}`, '', body].join('\r\n')

/** Responds to each request with its number on the connection. */
const countRequests: Respond = (socket, received) =>
  void socket.write(ok(`${received.split('POST ').length - 1}`))

test('reuses an idle connection and opens more for concurrent requests', async () => {
  const url = serve(countRequests)
  for (const count of ['1', '2', '3']) {
    expect(await post(url)).toBe(count)
    await untilQuiet()
  }
  expect(connections).toBe(1)
  expect(await Promise.all([post(url), post(url)])).toEqual(['4', '1'])
  expect(connections).toBe(2)
})

test('does not reuse a connection after a response with connection: close', async () => {
  const url = serve(socket => void socket.write(ok('ok', 'connection: close')))
  await post(url)
  await untilQuiet()
  await post(url)
  expect(connections).toBe(2)
})

test('does not reuse a connection whose response came before the whole request', async () => {
  const responded = new Set<Socket<Received>>()
  const url = serve(socket => {
    if (!responded.has(socket)) socket.write(ok('early'))
    responded.add(socket)
  })
  expect(await post(url, 'x'.repeat(32 * MIB))).toBe('early')
  await untilQuiet()
  expect(await post(url)).toBe('early')
  expect(connections).toBe(2)
})

test('does not reuse a connection that sent unrequested bytes', async () => {
  const url = serve(socket => {
    socket.write(ok('ok'))
    setTimeout(() => socket.write('HTTP/1.1 408 Request Timeout\r\n\r\n'), 5)
  })
  await post(url)
  await Bun.sleep(30)
  await post(url)
  expect(connections).toBe(2)
})

test('does not reuse a connection before it was silent for a while', async () => {
  pool = new ConnectionPool({ quietMs: 2, probationMs: 60_000 })
  const url = serve(countRequests)
  for (let count = 0; count < 2; count += 1) {
    expect(await post(url)).toBe('1')
    await untilQuiet()
  }
  expect(connections).toBe(2)
})

test('shares no connection between owners, and reuses none without an owner', async () => {
  const url = serve(countRequests)
  const owners = ['channel 1', 'channel 2', undefined, undefined, 'channel 1']
  const responses: string[] = []
  for (const owner of owners) {
    const request = { method: 'POST', url, headers: {}, body: '{}' } as const
    responses.push(await readText(await new HttpCall(request, { owner, pool }).response))
    await untilQuiet()
  }
  expect(responses).toEqual(['1', '1', '1', '1', '2'])
})

const UNASKED: Readonly<Record<string, (socket: Socket<Received>) => void>> = {
  'with its answer': socket => void socket.write(`${ok('ok')}${ok('stray')}`),
  'after its answer': socket => {
    socket.write(ok('ok'))
    setTimeout(() => socket.write(ok('stray')), 5)
  },
}

test.each(Object.entries(UNASKED))(
  'stops reusing connections of an origin that sends unrequested bytes %s',
  async (_, respond) => {
    const url = serve((socket, received) => {
      if (received.endsWith('fine')) socket.write(ok('fine'))
      else respond(socket)
    })
    await Promise.all([post(url, 'fine'), post(url, 'fine')])
    await untilQuiet()
    expect(await post(url)).toBe('ok')
    await untilQuiet()
    const opened = connections
    for (let count = 0; count < 2; count += 1) {
      await post(url, 'fine')
      await untilQuiet()
    }
    expect(connections).toBe(opened + 2)
  },
)

test('keeps other connections of an origin that announces the timeout of an idle one', async () => {
  const url = serve((socket, received) => {
    socket.write(ok('ok'))
    if (received.includes('idle')) setTimeout(() => socket.write('HTTP/1.1 408 Request Timeout\r\n\r\n'), 5)
  })
  await Promise.all([post(url), post(url, 'idle')])
  await untilQuiet()
  await post(url)
  expect(connections).toBe(2)
})

test('resends a request whose response arrives before the request', async () => {
  const url = serve((socket, received) => {
    if (connections === 2) {
      if (received.endsWith('!')) socket.write(ok('real'))
    } else if (received.split('POST ').length === 2) socket.write(ok('ok'))
    else {
      socket.pause()
      socket.write(ok('stray'))
    }
  })
  await post(url)
  await untilQuiet()
  expect(await post(url, `${'x'.repeat(32 * MIB)}!`)).toBe('real')
}, 30_000)

test('does not reuse a connection that was closed while idle', async () => {
  const url = serve(socket => {
    socket.write(ok('ok'))
    socket.end()
  })
  await post(url)
  await Bun.sleep(20)
  expect(await post(url)).toBe('ok')
})

test('resends a request over a new connection when an idle one ends as it is sent', async () => {
  const url = serve((socket, received) => {
    if (received.split('POST ').length > 2) socket.terminate()
    else socket.write(ok('ok'))
  })
  expect(await post(url)).toBe('ok')
  await untilQuiet()
  expect(await post(url)).toBe('ok')
  expect(connections).toBe(2)
})

test('does not resend a request when a new connection ends', async () => {
  const url = serve(socket => socket.terminate())
  await expect(call(url).response).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(connections).toBe(1)
})

test('does not resend a request when a reused connection ends after a while', async () => {
  let aheadMs = 0
  const restoreClock = setClock({ nowMs: Date.now, elapsedMs: () => performance.now() + aheadMs })
  const url = serve((socket, received) => {
    if (received.split('POST ').length === 2) socket.write(ok('ok'))
    else {
      aheadMs = 2_000
      socket.terminate()
    }
  })
  await post(url)
  await untilQuiet()
  await expect(call(url).response).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(connections).toBe(1)
  restoreClock()
})

test('does not resend a request after the first bytes of a response', async () => {
  const url = serve((socket, received) => {
    if (received.split('POST ').length === 2) socket.write(ok('ok'))
    else {
      socket.write('HTTP/1.1 200')
      setTimeout(() => socket.terminate(), 10)
    }
  })
  await post(url)
  await untilQuiet()
  await expect(call(url).response).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(connections).toBe(1)
})

test('resolves a read after everything that arrived with its bytes is received', async () => {
  const accepted: Socket<Received>[] = []
  const url = serve(socket => {
    if (accepted.push(socket) === 1)
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n')
  })
  const response = await call(url).response
  await response.next()
  const events: string[] = []
  const other = await Bun.connect({
    hostname: '127.0.0.1',
    port: Number(new URL(url).port),
    socket: { data: () => void events.push('other bytes') },
  })
  other.write('x')
  while (accepted.length < 2) await sleepMs(1)
  const read = response.next().then(() => events.push('read'))
  accepted[0]?.write('1\r\nb\r\n')
  accepted[1]?.write('y')
  await read
  other.end()
  expect(events).toEqual(['other bytes', 'read'])
})

test('delivers the received bytes of a broken response before the error', async () => {
  const url = serve(socket => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf')
    setTimeout(() => socket.terminate(), 10)
  })
  const response = await call(url).response
  expect(Buffer.from((await response.next()) ?? []).toString()).toBe('half')
  await expect(response.next()).rejects.toMatchObject({ code: 'ECONNRESET' })
})

test('accepts the end of the connection as the end of a body, but not a reset', async () => {
  const url = serve((socket, received) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\nall')
    setTimeout(() => (received.includes('reset') ? socket.terminate() : socket.end()), 10)
  })
  expect(await post(url)).toBe('all')
  await expect(post(url, 'reset')).rejects.toMatchObject({ code: 'ECONNRESET' })
})

test('rejects a malformed response and closes the connection', async () => {
  const closed = Promise.withResolvers<void>()
  const url = serve(socket => void socket.write('garbage\r\n\r\n'), { close: () => closed.resolve() })
  await expect(call(url).response).rejects.toMatchObject({ code: 'EPROTO' })
  await closed.promise
})

test('cancels a call before and during its response, and does nothing after it', async () => {
  const url = serve((socket, received) => {
    if (received.includes('slow')) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf')
    else if (received.includes('fast')) socket.write(ok('ok'))
  })
  const before = call(url, 'never')
  before.cancel(new Error('left'))
  await expect(before.response).rejects.toThrow('left')
  const during = await call(url, 'slow').response
  const reading = readText(during)
  during.cancel(new Error('left'))
  await expect(reading).rejects.toThrow('left')
  const after = await call(url, 'fast').response
  expect(await readText(after)).toBe('ok')
  after.cancel()
  const kept = connections
  await untilQuiet()
  expect(await post(url, 'fast')).toBe('ok')
  expect(connections).toBe(kept)
})

test.each(['gzip', 'deflate', 'br', 'zstd'] as const)('decompresses an unrequested %s body', async coding => {
  const format = coding === 'br' ? 'brotli' : coding
  const stream = new Blob(['{"much":"text"}'.repeat(1000)]).stream()
  const compressed = await new Response(
    stream.pipeThrough(new CompressionStream(format as CompressionFormat)),
  ).bytes()
  const url = serve(socket => {
    socket.write(
      `HTTP/1.1 200 OK\r\ncontent-encoding: ${coding}\r\ncontent-length: ${compressed.length}\r\n\r\n`,
    )
    socket.write(compressed)
  })
  expect(await post(url)).toBe('{"much":"text"}'.repeat(1000))
})

test('rejects an unknown content encoding and a corrupt compressed body', async () => {
  const unknown = serve(socket => void socket.write(ok('x', 'content-encoding: lzma')))
  await expect(call(unknown).response).rejects.toMatchObject({ code: 'EPROTO' })
  listener?.stop(true)
  const broken = serve(socket => void socket.write(ok('no gzip', 'content-encoding: gzip')))
  await expect(post(broken)).rejects.toThrow()
})

test.each(['gzip', 'deflate', 'br', 'zstd'] as const)(
  'rejects a %s body that hides a thousandfold',
  async coding => {
    const format = coding === 'br' ? 'brotli' : coding
    const stream = new Blob(['a'.repeat(16 * MIB)]).stream()
    const compressed = await new Response(
      stream.pipeThrough(new CompressionStream(format as CompressionFormat)),
    ).bytes()
    const url = serve(socket => {
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-encoding: ${coding}\r\ncontent-length: ${compressed.length}\r\n\r\n`,
      )
      socket.write(compressed)
    })
    await expect(post(url)).rejects.toMatchObject({ code: 'EPROTO' })
  },
)

test('rejects a body above the limit, compressed or not', async () => {
  const url = serve(socket => void socket.write(ok('x'.repeat(1000))))
  await expect((await call(url).response).readAll(999)).rejects.toBeInstanceOf(ResponseTooLargeError)
  expect((await (await call(url).response).readAll(1000)).length).toBe(1000)
  listener?.stop(true)
  const compressed = Bun.gzipSync('x'.repeat(1000))
  const compressing = serve(socket => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${compressed.length}\r\n\r\n`)
    socket.write(compressed)
  })
  await expect((await call(compressing).response).readAll(999)).rejects.toBeInstanceOf(ResponseTooLargeError)
})

test('sends a request body larger than the socket buffer', async () => {
  const body = 'é'.repeat(6 * MIB)
  let bytes = 0
  const url = serve((socket, received) => {
    bytes = received.length - received.lastIndexOf('\r\n\r\n') - 4
    if (bytes >= 12 * MIB) socket.write(ok(String(bytes)))
  })
  expect(await post(url, body)).toBe(String(12 * MIB))
  expect(await post(url, Buffer.from(body))).toBe(String(12 * MIB))
  const pieces = Array.from({ length: 96 }, () => Buffer.from('é'.repeat(MIB / 16)))
  expect(await post(url, pieces)).toBe(String(12 * MIB))
}, 30_000)

test('applies backpressure for a slow reader and reuses its connection afterwards', async () => {
  const size = 64 * MIB
  const sent = { bytes: 0 }
  const piece = Buffer.alloc(MIB)
  const sendBody = (socket: Socket<Received>) => {
    while (sent.bytes < size) {
      const taken = socket.write(piece.subarray(0, Math.min(MIB, size - sent.bytes)))
      sent.bytes += Math.max(taken, 0)
      if (taken < MIB) return
    }
  }
  const respond: Respond = (socket, received) => {
    if (received.includes('again')) socket.write(ok('ok'))
    else {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`)
      sendBody(socket)
    }
  }
  const url = serve(respond, { drain: sendBody })
  const response = await call(url).response
  await Bun.sleep(300)
  expect(sent.bytes).toBeLessThan(size / 2)
  let read = 0
  for (let bytes = await response.next(); bytes; bytes = await response.next()) read += bytes.byteLength
  expect(read).toBe(size)
  await untilQuiet()
  expect(await post(url, 'again')).toBe('ok')
  expect(connections).toBe(1)
}, 30_000)

test('rejects a self-signed certificate', async () => {
  const server = Bun.serve({ port: 0, tls: LOCALHOST, fetch: () => new Response('secret') })
  await expect(call(`https://localhost:${server.port}/`).response).rejects.toMatchObject({
    code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  })
  await server.stop(true)
})

test('accepts a certificate of a trusted authority only for its own host names', async () => {
  const server = Bun.serve({
    port: 0,
    hostname: '0.0.0.0',
    tls: LOCALHOST,
    fetch: () => new Response('secret'),
  })
  const program = `const { HttpCall } = await import(${JSON.stringify(`${import.meta.dir}/http-call.ts`)})
    for (const host of ['localhost', '127.0.0.1', '127.0.0.2']) {
      const url = 'https://' + host + ':${server.port}/'
      const call = new HttpCall({ method: 'GET', url, headers: {}, body: undefined })
      console.log(await call.response.then(async r => Buffer.from(await r.readAll(99)).toString(), e => e.code))
    }
    process.exit(0)`
  const child = Bun.spawn([process.execPath, '-e', program], {
    env: {
      ...process.env,
      NODE_EXTRA_CA_CERTS: `${import.meta.dir}/../../testing/fixtures/localhost.cert.pem`,
    },
  })
  expect((await new Response(child.stdout).text()).trim().split('\n')).toEqual([
    'secret',
    'secret',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ])
  await server.stop(true)
})

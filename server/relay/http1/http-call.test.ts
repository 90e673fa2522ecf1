import { afterEach, expect, test } from 'bun:test'
import type { Socket, TCPSocketListener } from 'bun'
import { setClock } from '../../core/clock.ts'
import { MIB } from '../../core/limits.ts'
import { LOCALHOST } from '../../testing/localhost.ts'
import { HttpCall } from './http-call.ts'
import { ResponseTooLargeError, type HttpResponse } from './http-response.ts'

type Talk = (socket: Socket<Heard>, heard: string) => void
interface Heard {
  text: string
}

let listener: TCPSocketListener<Heard> | undefined
let connections = 0

/** A server that says what `talk` says whenever it has heard something. Gives its address. */
function serve(talk: Talk, others: Pick<Bun.SocketHandler<Heard>, 'close' | 'drain'> = {}): string {
  connections = 0
  listener = Bun.listen<Heard>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        connections += 1
        socket.data = { text: '' }
      },
      data(socket, bytes) {
        socket.data.text += bytes.toString('latin1')
        talk(socket, socket.data.text)
      },
      error: () => undefined,
      ...others,
    },
  })
  return `http://127.0.0.1:${listener.port}/v1`
}

afterEach(() => {
  listener?.stop(true)
  listener = undefined
})

const call = (url: string, body: string | Uint8Array = '{}') =>
  new HttpCall({ method: 'POST', url, headers: { 'content-type': 'application/json' }, body })

const textOf = async (response: HttpResponse): Promise<string> =>
  new TextDecoder().decode(await response.readAll(64 * MIB))

const ask = async (url: string, body?: string | Uint8Array) => textOf(await call(url, body).response)

const answer = (body: string, ...headers: string[]) =>
  ['HTTP/1.1 200 OK', ...headers, `content-length: ${body.length}`, '', body].join('\r\n')

/** Answers each request with its number on the connection. */
const counting: Talk = (socket, heard) => void socket.write(answer(`${heard.split('POST ').length - 1}`))

test('a connection is used again, and several at once are several connections', async () => {
  const url = serve(counting)
  expect([await ask(url), await ask(url), await ask(url)]).toEqual(['1', '2', '3'])
  expect(connections).toBe(1)
  expect(await Promise.all([ask(url), ask(url)])).toEqual(['4', '1'])
  expect(connections).toBe(2)
})

test('a connection whose answer said that it is the last is not used again', async () => {
  const url = serve(socket => void socket.write(answer('ok', 'connection: close')))
  await ask(url)
  await ask(url)
  expect(connections).toBe(2)
})

test('a connection that says something unasked is not used again', async () => {
  const url = serve(socket => {
    socket.write(answer('ok'))
    setTimeout(() => socket.write('HTTP/1.1 408 Request Timeout\r\n\r\n'), 5)
  })
  await ask(url)
  await Bun.sleep(30)
  await ask(url)
  expect(connections).toBe(2)
})

test('a connection that was closed while it rested is not used again', async () => {
  const url = serve(socket => {
    socket.write(answer('ok'))
    socket.end()
  })
  await ask(url)
  await Bun.sleep(20)
  expect(await ask(url)).toBe('ok')
})

test('a request that met the end of a rested connection is asked again over a new one', async () => {
  const url = serve((socket, heard) => {
    if (heard.split('POST ').length > 2) socket.terminate()
    else socket.write(answer('ok'))
  })
  expect([await ask(url), await ask(url)]).toEqual(['ok', 'ok'])
  expect(connections).toBe(2)
})

test('a request that a new connection did not answer is not asked again', async () => {
  const url = serve(socket => socket.terminate())
  await expect(call(url).response).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(connections).toBe(1)
})

test('a request that a rested connection held for long before its end is not asked again', async () => {
  let aheadMs = 0
  const restoreClock = setClock({ nowMs: Date.now, elapsedMs: () => performance.now() + aheadMs })
  const url = serve((socket, heard) => {
    if (heard.split('POST ').length === 2) socket.write(answer('ok'))
    else {
      aheadMs = 2_000
      socket.terminate()
    }
  })
  await ask(url)
  await expect(call(url).response).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(connections).toBe(1)
  restoreClock()
})

test('a request of which something was answered is not asked again', async () => {
  const url = serve((socket, heard) => {
    if (heard.split('POST ').length === 2) socket.write(answer('ok'))
    else {
      socket.write('HTTP/1.1 200')
      setTimeout(() => socket.terminate(), 10)
    }
  })
  await ask(url)
  await expect(call(url).response).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(connections).toBe(1)
})

test('an answer that breaks off gives what came, and then its end', async () => {
  const url = serve(socket => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf')
    setTimeout(() => socket.terminate(), 10)
  })
  const response = await call(url).response
  expect(Buffer.from((await response.next()) ?? []).toString()).toBe('half')
  await expect(response.next()).rejects.toMatchObject({ code: 'ECONNRESET' })
})

test('an answer that ends with its connection is whole, unless the connection was reset', async () => {
  const url = serve((socket, heard) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\nall')
    setTimeout(() => (heard.includes('reset') ? socket.terminate() : socket.end()), 10)
  })
  expect(await ask(url)).toBe('all')
  await expect(ask(url, 'reset')).rejects.toMatchObject({ code: 'ECONNRESET' })
})

test('garbage is an error, and ends the connection', async () => {
  const closed = Promise.withResolvers<void>()
  const url = serve(socket => void socket.write('garbage\r\n\r\n'), { close: () => closed.resolve() })
  await expect(call(url).response).rejects.toMatchObject({ code: 'EPROTO' })
  await closed.promise
})

test('a call that is cancelled before, during and after its answer', async () => {
  const url = serve((socket, heard) => {
    if (heard.includes('slow')) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf')
    else if (heard.includes('fast')) socket.write(answer('ok'))
  })
  const before = call(url, 'never')
  before.cancel(new Error('left'))
  await expect(before.response).rejects.toThrow('left')
  const during = await call(url, 'slow').response
  const reading = textOf(during)
  during.cancel(new Error('left'))
  await expect(reading).rejects.toThrow('left')
  const after = await call(url, 'fast').response
  expect(await textOf(after)).toBe('ok')
  after.cancel()
  const kept = connections
  expect(await ask(url, 'fast')).toBe('ok')
  expect(connections).toBe(kept)
})

test.each(['gzip', 'deflate', 'br', 'zstd'] as const)(
  '%s is unpacked although nobody asked for it',
  async coding => {
    const format = coding === 'br' ? 'brotli' : coding
    const stream = new Blob(['{"much":"text"}'.repeat(1000)]).stream()
    const packed = await new Response(
      stream.pipeThrough(new CompressionStream(format as CompressionFormat)),
    ).bytes()
    const url = serve(socket => {
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-encoding: ${coding}\r\ncontent-length: ${packed.length}\r\n\r\n`,
      )
      socket.write(packed)
    })
    expect(await ask(url)).toBe('{"much":"text"}'.repeat(1000))
  },
)

test('what is packed in an unknown way, or not as it says, is an error', async () => {
  const unknown = serve(socket => void socket.write(answer('x', 'content-encoding: lzma')))
  await expect(call(unknown).response).rejects.toMatchObject({ code: 'EPROTO' })
  listener?.stop(true)
  const broken = serve(socket => void socket.write(answer('no gzip', 'content-encoding: gzip')))
  await expect(ask(broken)).rejects.toThrow()
})

test('more than one is ready to hold is an error, packed or not', async () => {
  const url = serve(socket => void socket.write(answer('x'.repeat(1000))))
  await expect((await call(url).response).readAll(999)).rejects.toBeInstanceOf(ResponseTooLargeError)
  expect((await (await call(url).response).readAll(1000)).length).toBe(1000)
  listener?.stop(true)
  const packed = Bun.gzipSync('x'.repeat(1000))
  const packing = serve(socket => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`)
    socket.write(packed)
  })
  await expect((await call(packing).response).readAll(999)).rejects.toBeInstanceOf(ResponseTooLargeError)
})

test('a body larger than the system takes at once arrives whole', async () => {
  const body = 'é'.repeat(6 * MIB)
  let bytes = 0
  const url = serve((socket, heard) => {
    bytes = heard.length - heard.lastIndexOf('\r\n\r\n') - 4
    if (bytes >= 12 * MIB) socket.write(answer(String(bytes)))
  })
  expect(await ask(url, body)).toBe(String(12 * MIB))
  expect(await ask(url, Buffer.from(body))).toBe(String(12 * MIB))
}, 30_000)

test('a reader that does not read makes the other side wait, and its connection is used again after', async () => {
  const size = 64 * MIB
  const sent = { bytes: 0 }
  const piece = Buffer.alloc(MIB)
  const fill = (socket: Socket<Heard>) => {
    while (sent.bytes < size) {
      const taken = socket.write(piece.subarray(0, Math.min(MIB, size - sent.bytes)))
      sent.bytes += Math.max(taken, 0)
      if (taken < MIB) return
    }
  }
  const talk: Talk = (socket, heard) => {
    if (heard.includes('again')) socket.write(answer('ok'))
    else {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`)
      fill(socket)
    }
  }
  const url = serve(talk, { drain: fill })
  const response = await call(url).response
  await Bun.sleep(300)
  expect(sent.bytes).toBeLessThan(size / 2)
  let read = 0
  for (let bytes = await response.next(); bytes; bytes = await response.next()) read += bytes.byteLength
  expect(read).toBe(size)
  expect(await ask(url, 'again')).toBe('ok')
  expect(connections).toBe(1)
}, 30_000)

test('a certificate that nobody vouches for is refused', async () => {
  const server = Bun.serve({ port: 0, tls: LOCALHOST, fetch: () => new Response('secret') })
  await expect(call(`https://localhost:${server.port}/`).response).rejects.toMatchObject({
    code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  })
  await server.stop(true)
})

test('a certificate that the system vouches for is believed, for its own name only', async () => {
  const server = Bun.serve({
    port: 0,
    hostname: '0.0.0.0',
    tls: LOCALHOST,
    fetch: () => new Response('secret'),
  })
  const program = `const { WireCall } = await import(${JSON.stringify(`${import.meta.dir}/wire-call.ts`)})
    for (const host of ['localhost', '127.0.0.1', '127.0.0.2']) {
      const url = 'https://' + host + ':${server.port}/'
      const call = new WireCall({ method: 'GET', url, headers: {}, body: undefined })
      console.log(await call.response.then(async r => Buffer.from(await r.bytes(99)).toString(), e => e.code))
    }
    process.exit(0)`
  const asked = Bun.spawn([process.execPath, '-e', program], {
    env: {
      ...process.env,
      NODE_EXTRA_CA_CERTS: `${import.meta.dir}/../../testing/fixtures/localhost.cert.pem`,
    },
  })
  expect((await new Response(asked.stdout).text()).trim().split('\n')).toEqual([
    'secret',
    'secret',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ])
  await server.stop(true)
})

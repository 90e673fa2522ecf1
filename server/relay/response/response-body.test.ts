import { afterEach, describe, expect, test } from 'bun:test'
import { sleepMs } from '../../core/clock.ts'
import { MIB } from '../../core/limits.ts'
import { type KeepAlive, toReadableStream, toSocketStream } from './response-body.ts'
import type { StreamPart, StreamSource } from './stream-response.ts'

const neverAborts = new AbortController().signal

test('calls onEnd exactly once, with the last part of a stream', async () => {
  const pieces = ['a', 'b', 'c']
  let ends = 0
  const source = {
    next: async () => ({ text: pieces.shift() ?? '', isLast: pieces.length === 0 }),
    cancel: async () => undefined,
  }
  const onEnd = () => {
    ends += 1
  }
  const reader = toReadableStream(source, { signal: neverAborts, onEnd }).getReader()
  const received: string[] = []
  for (let read = await reader.read(); !read.done; read = await reader.read())
    received.push(`${new TextDecoder().decode(read.value)} ${ends}`)
  expect(received).toEqual(['a 0', 'b 0', 'c 1'])
  expect(ends).toBe(1)
})

describe('a body that goes to a socket', () => {
  const servers: Bun.Server<undefined>[] = []
  afterEach(async () => {
    await Promise.all(servers.splice(0).map(server => server.stop(true)))
  })

  /** Serves the source to a client that reads only what `onData` sees, and closes with its socket. */
  async function connect(
    source: StreamSource,
    onEnd: () => void,
    onData: (text: string) => void,
    keepAlive?: KeepAlive,
  ) {
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ signal }) => new Response(toSocketStream(source, { signal, onEnd, keepAlive })),
    })
    servers.push(server)
    const closed = Promise.withResolvers<'end' | 'reset'>()
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port: server.port ?? 0,
      socket: {
        data: (_, bytes) => onData(bytes.toString('latin1')),
        end: () => closed.resolve('end'),
        close: (_, error) => closed.resolve(error ? 'reset' : 'end'),
      },
    })
    socket.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n')
    return { socket, closed: closed.promise }
  }

  test('sends a part before it reads the next, in text or bytes, and ends after the last', async () => {
    const parts: StreamPart[] = [
      { text: 'é', isLast: false },
      { bytes: new TextEncoder().encode('two'), isLast: false },
      { text: '', isLast: false },
      { text: 'three', isLast: true },
    ]
    let received = ''
    const receivedAtRead: string[] = []
    let ends = 0
    const source: StreamSource = {
      async next() {
        await sleepMs(20)
        receivedAtRead.push(received.slice(received.indexOf('\r\n\r\n') + 4))
        return parts.shift() ?? { text: '', isLast: true }
      },
      cancel: async () => undefined,
    }
    const { socket } = await connect(
      source,
      () => {
        ends += 1
      },
      text => {
        received += text
      },
    )
    while (!received.endsWith('0\r\n\r\n')) await sleepMs(5)
    expect(receivedAtRead.slice(1)).toEqual([
      '2\r\n\xc3\xa9\r\n',
      '2\r\n\xc3\xa9\r\n3\r\ntwo\r\n',
      '2\r\n\xc3\xa9\r\n3\r\ntwo\r\n',
    ])
    expect(received).toEndWith('5\r\nthree\r\n0\r\n\r\n')
    expect(ends).toBe(1)
    socket.end()
  })

  const bytes = (text: string) => new TextEncoder().encode(text)
  /** Events of each kind, and the half of one. */
  const EVENTS = [
    ['data: {}\n\n', 'data: {'],
    ['data: {}\r\n\r\n', 'data: {}\r\n'],
    [bytes('data: {}\n\n'), bytes('\ndata: {}\n')],
    [bytes('data: {}\r\n\r\n'), bytes('\n')],
  ] as const

  test('shows that it lives between events of text or bytes, never within one', async () => {
    await Promise.all(
      EVENTS.map(async ([event, half]) => {
        const isOver = Promise.withResolvers<StreamPart>()
        const open = async (content: string | Uint8Array, onData: (text: string) => void) => {
          const first = {
            ...(typeof content === 'string' ? { text: content } : { bytes: content }),
            isLast: false,
          }
          const parts: StreamPart[] = [first]
          const source = { next: () => parts.shift() ?? isOver.promise, cancel: async () => undefined }
          return connect(source, () => undefined, onData, { text: ': alive\n\n', seconds: 1 })
        }
        let received = ''
        const { closed } = await open(half, text => {
          received += text
        })
        let signs = 0
        await open(event, text => {
          signs += text.split(': alive').length - 1
          if (signs === 2) isOver.resolve({ text: 'last', isLast: true })
        })
        while (!received.includes('last')) await Promise.race([closed, new Promise(setImmediate)])
        expect(received).not.toContain(': alive')
      }),
    )
  })

  test('reads no further while the client does not read', async () => {
    let reads = 0
    const source: StreamSource = {
      async next() {
        reads += 1
        return { bytes: new Uint8Array(MIB / 4), isLast: reads === 400 }
      },
      cancel: async () => undefined,
    }
    const { socket } = await connect(
      source,
      () => undefined,
      () => {
        if (reads < 400) socket.pause()
      },
    )
    await sleepMs(300)
    const readsOfPaused = reads
    await sleepMs(300)
    expect(reads).toBe(readsOfPaused)
    expect(reads).toBeLessThan(100)
    socket.terminate()
  })

  test('cancels the source of a client that leaves, and does not read it again', async () => {
    const pending = Promise.withResolvers<StreamPart>()
    let reads = 0
    let cancels = 0
    const source: StreamSource = {
      next() {
        reads += 1
        return reads === 1 ? Promise.resolve({ text: 'first', isLast: false }) : pending.promise
      },
      async cancel() {
        cancels += 1
      },
    }
    const { socket } = await connect(
      source,
      () => undefined,
      () => undefined,
    )
    while (reads < 2) await sleepMs(5)
    socket.terminate()
    while (cancels === 0) await sleepMs(5)
    pending.resolve({ text: 'late', isLast: false })
    await sleepMs(50)
    expect(reads).toBe(2)
  })

  test('resets the connection when the source breaks, so that the client cannot take the rest for complete', async () => {
    let reads = 0
    const source: StreamSource = {
      async next() {
        reads += 1
        if (reads > 1) throw undefined
        return { text: 'first', isLast: false }
      },
      cancel: async () => undefined,
    }
    let received = ''
    const { closed } = await connect(
      source,
      () => undefined,
      text => {
        received += text
      },
    )
    expect(await closed).toBe('reset')
    expect(received).not.toContain('\r\n0\r\n\r\n')
  })
})

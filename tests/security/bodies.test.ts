import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { getSelf } from '#contract/entities/user.ts'
import { addUser } from '../harness/add-user.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'
import { waitUntil } from '../harness/wait-until.ts'

const MIB = 1024 * 1024
const BOMB_BYTES = 256 * MIB
const MEMORY_GROWN_MIB_MAX = 300
const QUICK_MS = 5000
const LEVELS = 100_000

let site: Site
let key: string
/** Of a user with an empty wallet. */
let poorKey: string
beforeAll(async () => {
  site = await startSite()
  await setOptions(site.root, { ModelRatio: { gpt: 1 } })
  await addLabChannel(site.root, site.lab, { provider: 'openai', models: ['gpt'], scenario: 'lenient' })
  key = (await addToken(site.root)).key
  poorKey = (await addToken(await addUser(site.gateway, { username: 'poor', wallet: 0 }))).key
})
afterAll(() => site?.stop())

const RELAY = '/v1/chat/completions'
const API = '/api/token/'

async function post(
  path: string,
  body: Uint8Array<ArrayBuffer> | string,
  headers: Record<string, string> = {},
) {
  const startedMs = performance.now()
  const identity =
    path === RELAY
      ? { authorization: `Bearer sk-${key}` }
      : { cookie: site.root.cookie, 'new-api-user': String(site.root.userId) }
  const response = await fetch(`${site.gateway.url}${path}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...identity, ...headers },
  })
  const text = await response.text()
  return { status: response.status, text, ms: performance.now() - startedMs }
}

const memoryMib = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${site.gateway.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

/** A quarter of a gigabyte of zeros, compressed once per encoding. */
const PACKERS = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: (bytes: Uint8Array) => brotliCompressSync(bytes, { params: { 1: 1 } }),
  zstd: zstdCompressSync,
} as const

describe('compressed bombs', () => {
  for (const [encoding, pack] of Object.entries(PACKERS))
    test(`rejects a quarter of a gigabyte as ${encoding} on every route before decompression`, async () => {
      const bomb = new Uint8Array(pack(new Uint8Array(BOMB_BYTES)))
      expect(bomb.byteLength).toBeLessThan(2 * MIB)
      const before = memoryMib()
      for (const path of [RELAY, API]) {
        const { status, ms } = await post(path, bomb, { 'content-encoding': encoding })
        expect(status).toBe(413)
        expect(ms).toBeLessThan(QUICK_MS)
      }
      expect(memoryMib() - before).toBeLessThan(MEMORY_GROWN_MIB_MAX)
    })

  test('does not decompress nested encodings', async () => {
    const twice = new Uint8Array(gzipSync(gzipSync('{}')))
    for (const path of [RELAY, API])
      for (const encoding of ['gzip, gzip', 'br, gzip', 'compress', 'x'])
        expect((await post(path, twice, { 'content-encoding': encoding })).status).toBe(415)
  })

  test('returns 400 for a body that is not compressed as declared or is truncated', async () => {
    const half = new Uint8Array(gzipSync('{"name":"x"}'.repeat(1000)).subarray(0, 40))
    for (const path of [RELAY, API])
      for (const body of ['{}', half])
        expect((await post(path, body, { 'content-encoding': 'gzip' })).status).toBe(400)
  })
})

describe('large bodies', () => {
  test('accepts at most 2 MB in the management API and 64 MB in the relay', async () => {
    expect((await post(API, `{"name":"${'x'.repeat(2 * MIB)}"}`)).status).toBe(413)
    expect((await post(RELAY, ' '.repeat(64 * MIB + 1))).status).toBe(413)
  })

  test('limits a body of unknown length while it arrives', async () => {
    let sent = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += MIB
        controller.enqueue(new Uint8Array(MIB).fill(32))
        if (sent > 200 * MIB) controller.close()
      },
    })
    const response = await fetch(`${site.gateway.url}${RELAY}`, {
      method: 'POST',
      body: endless,
      headers: { authorization: `Bearer sk-${key}` },
    }).catch(() => undefined)
    if (response) expect(response.status).toBe(413)
    expect(sent).toBeLessThan(200 * MIB)
  })
})

const FORM = '/v1/audio/transcriptions'
const PARTS = 200_000
const part = (name: string) => `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nx\r\n`
const MULTIPART = 'multipart/form-data; boundary=edge'
const FORMS: Readonly<Record<string, readonly [type: string, body: () => string]>> = {
  'parts of one name': [MULTIPART, () => `${part('a[]').repeat(PARTS)}--edge--\r\n`],
  'parts of a quoted edge': [
    'multipart/form-data; boundary="edge"',
    () => `${part('a').repeat(PARTS)}--edge--`,
  ],
  'parts without an end': [MULTIPART, () => part('a').repeat(PARTS)],
  'parts behind a boundary in quotes': [
    'multipart/form-data; x="; boundary=AA"; boundary=edge',
    () => part('a').repeat(PARTS),
  ],
  'pairs of a plain form': ['application/x-www-form-urlencoded', () => 'a=&'.repeat(PARTS)],
}
const AMBIGUOUS_TYPES = [
  'application/x-www-form-urlencoded; boundary=zzz',
  'multipart/form-data; boundary=AA; boundary=edge',
  'multipart/form-data; boundary=edge; x="',
  'multipart/form-data',
]

describe('forms', () => {
  for (const [name, [type, body]] of Object.entries(FORMS))
    test(`rejects two hundred thousand ${name} at once with 400`, async () => {
      const headers = { 'content-type': type, authorization: `Bearer sk-${key}` }
      const { status, text, ms } = await post(FORM, body(), headers)
      expect(status).toBe(400)
      expect(text).toContain('more than 1000 fields')
      expect(ms).toBeLessThan(QUICK_MS)
    })
})

test.each(AMBIGUOUS_TYPES)('rejects two hundred thousand fields of the type %s unread', async type => {
  for (const body of ['a=&'.repeat(PARTS), part('a').repeat(PARTS)]) {
    const { status, ms } = await post(FORM, body, { 'content-type': type, authorization: `Bearer sk-${key}` })
    expect(status).toBe(415)
    expect(ms).toBeLessThan(QUICK_MS)
  }
})

const gzip = (text: string) => new Uint8Array(gzipSync(text))
const PACKED = { 'content-encoding': 'gzip' }
const lists = (bytes: number) => `{"model":"gpt","messages":[${'[],'.repeat(bytes / 3)}[]]}`
const RESPONSE_CPU_MS_MAX = 500

const MS_PER_TICK = 10
/** The processor time that the gateway has used, in all its threads. */
function cpuMs(): number {
  const fields = readFileSync(`/proc/${site.gateway.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK
}

/**
 * Sends chat requests of another user until the attack is over. Returns the most processor time that the gateway used
 * while one of them waited, which is how long it waits on a machine with nothing else to do.
 */
async function serveDuring(attack: Promise<unknown>): Promise<number> {
  let isOver = false
  void attack.finally(() => {
    isOver = true
  })
  let longestMs = 0
  while (!isOver) {
    const before = cpuMs()
    const { status } = await post(RELAY, `{"model":"gpt",${hello}}`)
    expect(status).toBe(200)
    longestMs = Math.max(longestMs, cpuMs() - before)
  }
  return longestMs
}

describe('small bodies that are expensive to parse', () => {
  const million = gzip(lists(4 * MIB))

  test('are not read for a user with an empty wallet', async () => {
    const headers = { ...PACKED, authorization: `Bearer sk-${poorKey}` }
    const attack = Promise.all(Array.from({ length: 8 }, () => post(RELAY, million, headers)))
    expect(await serveDuring(attack)).toBeLessThan(RESPONSE_CPU_MS_MAX)
    for (const { status, text } of await attack) {
      expect(status).toBe(403)
      expect(text).toContain('insufficient_user_quota')
    }
  })

  test('are rejected before they are parsed, while other requests are served', async () => {
    const attack = Promise.all(Array.from({ length: 8 }, () => post(RELAY, million, PACKED)))
    expect(await serveDuring(attack)).toBeLessThan(RESPONSE_CPU_MS_MAX)
    for (const { status, text } of await attack) {
      expect(status).toBe(400)
      expect(text).toContain('more than 400000 elements')
    }
  })

  test('are rejected at their first issue', async () => {
    const parts = gzip(`{"model":"gpt","messages":[{"role":"user","content":[${'{},'.repeat(190_000)}{}]}]}`)
    const attack = Promise.all(Array.from({ length: 8 }, () => post(RELAY, parts, PACKED)))
    expect(await serveDuring(attack)).toBeLessThan(RESPONSE_CPU_MS_MAX)
    expect((await attack)[0]?.text).toContain('messages[0].content[0].type')
  })

  test('are rejected by size for visitors and by elements for users of the management API', async () => {
    const nested = gzip(`{"username":[${'[],'.repeat(600_000)}[]]}`)
    const asVisitor = { ...PACKED, cookie: '', 'new-api-user': '' }
    const attack = Promise.all([
      ...Array.from({ length: 8 }, () => post('/api/user/login', nested, asVisitor)),
      ...Array.from({ length: 8 }, () => post(API, nested, PACKED)),
      ...Array.from({ length: 8 }, () => post('/api/channel/batch', nested, PACKED)),
    ])
    expect(await serveDuring(attack)).toBeLessThan(RESPONSE_CPU_MS_MAX)
    expect((await attack).map(({ status }) => status)).toEqual([
      ...Array.from({ length: 8 }, () => 413),
      ...Array.from({ length: 16 }, () => 400),
    ])
  })
})

describe('many large bodies at once', () => {
  const FLOOD = 24
  const long = gzip(
    `{"model":"gpt","messages":[{"role":"user","content":"${'some words '.repeat(5.5 * MIB)}"}]}`,
  )
  const huge = gzip(lists(63 * MIB))
  const image = gzip(
    `{"model":"gpt","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,${'A'.repeat(60 * MIB)}"}}]}]}`,
  )

  test.each([
    ['of text and lists', [long, huge]],
    ['of images', [image]],
  ])('%s fill a bounded memory while requests of others are served', async (_, bodies) => {
    const attack = Promise.all(
      Array.from({ length: FLOOD }, (_, index) => post(RELAY, bodies[index % bodies.length] ?? long, PACKED)),
    )
    const before = memoryMib()
    let memory = before
    const watch = setInterval(() => {
      memory = Math.max(memory, memoryMib())
    }, 10)
    expect(await serveDuring(attack)).toBeLessThan(RESPONSE_CPU_MS_MAX)
    clearInterval(watch)
    expect(memory - before).toBeLessThan(MEMORY_GROWN_MIB_MAX)
    const statuses = new Set((await attack).map(({ status }) => status))
    expect([...statuses].filter(status => ![200, 400, 413, 503].includes(status))).toEqual([])
    expect(await post(RELAY, `{"model":"gpt",${hello}}`)).toMatchObject({ status: 200 })
  })

  test('return their memory when the client disconnects in the middle', async () => {
    const half = `{"model":"gpt","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,${'A'.repeat(40 * MIB)}`
    const head = `POST ${RELAY} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk-${key}\r\nContent-Length: ${60 * MIB}\r\n\r\n`
    for (let round = 0; round < 2; round += 1) await sendAndReset(`${head}${half}`)
    const complete = `${half}"}}]}]}`
    expect((await post(RELAY, complete)).status).toBe(200)
  })
})

/** Writes everything, then resets the connection. */
async function sendAndReset(text: string): Promise<void> {
  const socket = createConnection(Number(new URL(site.gateway.url).port), '127.0.0.1')
  await new Promise<void>((resolve, reject) => socket.on('error', reject).write(text, () => resolve()))
  socket.resetAndDestroy()
  await new Promise(resolve => socket.on('close', resolve))
}

test('does not take the unread body of a rejected request for the next request', async () => {
  const body = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
  const rejected = `POST ${RELAY} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk-${poorKey}\r\nContent-Length: ${body.length}\r\n\r\n`
  const last = 'GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  const socket = createConnection(Number(new URL(site.gateway.url).port), '127.0.0.1')
  let received = ''
  socket.on('data', chunk => {
    received += chunk
  })
  socket.write(rejected)
  await waitUntil({ description: 'the rejection', timeoutMs: QUICK_MS }, () =>
    received.includes('insufficient_user_quota'),
  )
  socket.write(`${body}${last}`)
  await waitUntil({ description: 'the last response', timeoutMs: QUICK_MS }, () =>
    received.includes('ready\n'),
  )
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 403', 'HTTP/1.1 200'])
  socket.destroy()
})

const deepList = `${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}`
const deepObjectOf = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
const deepObject = deepObjectOf(LEVELS)
/** As deep as the 256 KiB of a user's call of the management API can be. */
const deepUserObject = deepObjectOf(40_000)
const hello = '"messages":[{"role":"user","content":"hi"}]'
const NESTED = {
  [RELAY]: [
    deepList,
    deepObject,
    `{"model":"gpt",${hello},"unknown":${deepList}}`,
    `{"model":"gpt",${hello},"metadata":${deepObject}}`,
    `{"model":"gpt","messages":[{"role":"user","content":${deepList}}]}`,
    `{"model":"gpt",${hello},"tools":[{"type":"function","function":{"name":"f","parameters":${deepObject}}}]}`,
  ],
  [API]: [deepList, deepUserObject, `{"name":${deepList}}`, `{"name":"x","unknown":${deepUserObject}}`],
} as const

describe('deeply nested JSON', () => {
  for (const [path, bodies] of Object.entries(NESTED))
    test(`rejects tens of thousands of levels at ${path} at once with 400`, async () => {
      for (const body of bodies) {
        const { status, ms } = await post(path, body)
        expect(status).toBe(400)
        expect(ms).toBeLessThan(QUICK_MS)
      }
    })

  test('treats keys such as __proto__ as ordinary keys', async () => {
    const body = '{"name":"proto","__proto__":{"role":100},"constructor":{"prototype":{"admin":true}}}'
    expect((await post(API, body)).status).toBe(200)
    expect((await site.root.call(getSelf)).username).toBe('root')
    expect((await post(RELAY, `{"model":"gpt",${hello},"__proto__":{"stream":true}}`)).status).toBe(200)
  })

  test('responds to ninety thousand keys and to as many messages', async () => {
    const keys = Array.from({ length: 90_000 }, (_, index) => `"k${index}":1`).join(',')
    expect((await post(RELAY, `{"model":"gpt",${hello},${keys}}`)).ms).toBeLessThan(QUICK_MS)
    expect((await post(API, `{"name":"x",${keys}}`)).ms).toBeLessThan(QUICK_MS)
    const messages = Array.from({ length: 90_000 }, () => '{"role":"user","content":""}').join(',')
    expect((await post(RELAY, `{"model":"gpt","messages":[${messages}]}`)).ms).toBeLessThan(QUICK_MS)
  })
})

test('still responds afterwards with a balanced ledger', async () => {
  expect((await fetch(`${site.gateway.url}/readyz`)).status).toBe(200)
  expect(await verifyLedger({ DATA_DIR: site.gateway.dataDir })).toMatchObject({ drift: 0 })
})

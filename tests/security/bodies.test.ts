import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { getSelf } from '#contract/accounts/users.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { verifyLedger } from '../harness/verify-ledger.ts'

const MIB = 1024 * 1024
const BOMB_BYTES = 256 * MIB
const MEMORY_GROWN_MIB_MAX = 300
const QUICK_MS = 5000
const LEVELS = 100_000

let site: Site
let key: string
beforeAll(async () => {
  site = await startSite()
  await setOptions(site.root, { ModelRatio: { gpt: 1 } })
  await addLabChannel(site.root, site.lab, { vendor: 'openai', models: ['gpt'] })
  key = (await addToken(site.root)).key
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
  'pairs of a plain form': ['application/x-www-form-urlencoded', () => 'a=&'.repeat(PARTS)],
}

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

const deepList = `${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}`
const deepObject = `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`
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
  [API]: [deepList, deepObject, `{"name":${deepList}}`, `{"name":"x","unknown":${deepObject}}`],
} as const

describe('deeply nested JSON', () => {
  for (const [path, bodies] of Object.entries(NESTED))
    test(`rejects a hundred thousand levels at ${path} at once with 400`, async () => {
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

  test('responds to a hundred thousand keys and to as many messages', async () => {
    const keys = Array.from({ length: 100_000 }, (_, index) => `"k${index}":1`).join(',')
    expect((await post(API, `{"name":"x",${keys}}`)).ms).toBeLessThan(QUICK_MS)
    const messages = Array.from({ length: 100_000 }, () => '{"role":"user","content":""}').join(',')
    expect((await post(RELAY, `{"model":"gpt","messages":[${messages}]}`)).ms).toBeLessThan(QUICK_MS)
  })
})

test('still responds afterwards with a balanced ledger', async () => {
  expect((await fetch(`${site.gateway.url}/readyz`)).status).toBe(200)
  expect(await verifyLedger({ DATA_DIR: site.gateway.dataDir })).toMatchObject({ drift: 0 })
})

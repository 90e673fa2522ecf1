import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { createChannels } from '#features/channels/contract/channel-endpoints.ts'
import { sleepMs } from '#server/core/clock.ts'
import { type LocalServer, openLocalServer } from '#server/testing/local-server.ts'
import type { AdminClient } from '../harness/api-client.ts'
import { addToken } from '../harness/lab-channel.ts'
import { setOptions } from '../harness/set-options.ts'
import { type RunningGateway, startGateway } from '../harness/start-gateway.ts'

const FIRST_BYTE_TIMEOUT_MS = 10_000
/** Silence after which a response on a kept connection is taken as complete. */
const STALL_MS = 400

let gateway: RunningGateway
let root: AdminClient
let upstream: LocalServer
beforeAll(async () => {
  upstream = openLocalServer()
  upstream.handlers['/v1/chat/completions'] = () =>
    Response.json({
      id: 'x',
      object: 'chat.completion',
      created: 1,
      model: 'gpt',
      choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    })
  upstream.handlers['/v1/messages'] = () =>
    Response.json({
      id: 'x',
      type: 'message',
      role: 'assistant',
      model: 'claude',
      content: [{ type: 'text', text: 'hi' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 1 },
    })
  gateway = await startGateway()
  root = await gateway.signInAsRoot()
  await setOptions(root, { ModelRatio: { gpt: 1, folded: 1, claude: 1 } })
  const channel = { type: 1, name: 'up', key: 'channel-key', base_url: upstream.url, group: 'default' }
  await root.call(createChannels, { body: { ...channel, models: 'gpt' } })
  await root.call(createChannels, { body: { ...channel, type: 14, models: 'claude' } })
  const openai_organization = 'org\r\nx-injected: yes'
  await root.call(createChannels, { body: { ...channel, models: 'folded', openai_organization } })
})
afterAll(async () => {
  await gateway?.stop()
  await upstream?.close()
})

const PIECE_INTERVAL_MS = 20

/** Sends raw bytes, one piece after the other, and returns what arrives until the server closes the connection or stalls. */
function sendRaw(...pieces: readonly string[]): Promise<string> {
  return new Promise(resolve => {
    let back = ''
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1', async () => {
      for (const piece of pieces) {
        if (piece !== pieces[0]) await sleepMs(PIECE_INTERVAL_MS)
        socket.write(Buffer.from(piece, 'latin1'))
      }
    })
    const end = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(back)
    }
    let timer = setTimeout(end, FIRST_BYTE_TIMEOUT_MS)
    socket.on('data', piece => {
      back += piece.toString('latin1')
      clearTimeout(timer)
      timer = setTimeout(end, STALL_MS)
    })
    socket.on('error', end)
    socket.on('close', end)
  })
}

const SECOND = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'
const post = (headers: string, body: string) =>
  `POST /api/user/login HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n${body}`
const CHUNKED_END = '0\r\n\r\n'

/** Requests whose end two parsers could see differently, so that a second request could hide behind the first. */
const AMBIGUOUS: Readonly<Record<string, string>> = {
  'a length and chunks': post('Content-Length: 4\r\nTransfer-Encoding: chunked', CHUNKED_END + SECOND),
  'chunks and a length': post(
    `Transfer-Encoding: chunked\r\nContent-Length: ${CHUNKED_END.length + SECOND.length}`,
    CHUNKED_END + SECOND,
  ),
  'two lengths': post(`Content-Length: 0\r\nContent-Length: ${SECOND.length}`, SECOND),
  'a list of lengths': post(`Content-Length: 0, ${SECOND.length}`, SECOND),
  'a length with a sign': post(`Content-Length: +${SECOND.length}`, SECOND),
  'a negative length': post('Content-Length: -1', SECOND),
  'a hexadecimal length': post('Content-Length: 0x10', SECOND),
  'a space before the colon': post('Transfer-Encoding : chunked\r\nContent-Length: 5', CHUNKED_END + SECOND),
  'a tab before the value': post('Transfer-Encoding:\tchunked\r\nContent-Length: 5', CHUNKED_END + SECOND),
  'an unknown encoding': post('Transfer-Encoding: xchunked\r\nContent-Length: 5', CHUNKED_END + SECOND),
  'an encoding after chunked': post('Transfer-Encoding: chunked, identity', CHUNKED_END + SECOND),
  'chunked twice': post(
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\nContent-Length: 0',
    SECOND,
  ),
  'a chunk of no number': post('Transfer-Encoding: chunked', `Z\r\nabc\r\n${CHUNKED_END}${SECOND}`),
  'a chunk of endless size': post('Transfer-Encoding: chunked', `ffffffffffffffff1\r\nabc\r\n${SECOND}`),
  'a folded header': `GET /healthz HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n`,
  'a NUL in a value': 'GET /healthz HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n',
  'a bare carriage return in a value': 'GET /healthz HTTP/1.1\r\nHost: a\r\nX: a\rY: b\r\n\r\n',
  'bare line feeds': 'GET /healthz HTTP/1.1\nHost: a\n\n',
  'no host': 'GET /healthz HTTP/1.1\r\n\r\n',
  'two hosts': `GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n${SECOND}`,
  'the same host twice': `GET /v1/models HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n${SECOND}`,
}

describe('requests that two HTTP parsers could read differently', () => {
  for (const [name, bytes] of Object.entries(AMBIGUOUS))
    test(`${name}: rejects the request and closes the connection before it reads further`, async () => {
      const back = await sendRaw(bytes)
      expect(back).toMatch(/^HTTP\/1\.1 (400|505) /)
      expect(back.match(/HTTP\/1\.1 /g)).toHaveLength(1)
    })

  test('answers two pipelined plain requests on one connection', async () => {
    expect((await sendRaw(SECOND + SECOND)).match(/HTTP\/1\.1 200/g)).toHaveLength(2)
  })

  const chunked = (path: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`
  const trailers = [
    ['X-Checksum: 1\r\n\r\n'],
    ['X-A: 1\r\nX-B: 2\r\n', '\r\n'],
    ['GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'],
  ]
  for (const path of ['/api/user/login', '/v1/chat/completions', '/nowhere'])
    test(`trailers of a request to ${path} leave no second response to the next user of the connection`, async () => {
      for (const trailer of trailers) {
        const pieces = [`${chunked(path)}2\r\n{}\r\n0\r\n`, ...trailer, SECOND]
        for (const back of [await sendRaw(pieces.join('')), await sendRaw(...pieces)]) {
          const [head = ''] = back.split('\r\n\r\n')
          expect(head.toLowerCase()).toContain('\r\nconnection: close')
          expect(back).not.toEndWith('\r\n\r\nok\n')
        }
      }
    })

  test('rejects endless headers', async () => {
    for (const headers of [`X: ${'a'.repeat(200_000)}`, 'X: a\r\n'.repeat(5000).trimEnd()])
      expect(await sendRaw(`GET /healthz HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n`)).toStartWith(
        'HTTP/1.1 431',
      )
  })

  const hosts = ['a/v1/models', 'a?x', 'a#x', 'a b', 'u:p@a', 'a\\b', '[', 'a:99999999', '1.2.3.4.5', 'a%2fb']
  const lines = ['GET /api/nothing', 'POST /token', 'GET /assets/x', 'GET /v1//nothing?x=1', 'GET /mj//x']
  for (const host of hosts)
    test(`the host ${host} changes no route and reveals nothing of the program`, async () => {
      for (const line of lines) {
        const back = await sendRaw(
          `${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
        )
        expect(back).toMatch(/^HTTP\/1\.1 (400|401|404|503) /)
        expect(back).not.toMatch(/<html|stack|\.ts\b/)
      }
    })

  test.each(['a:99999', '[::1', '1.2.3.4.5', 'a%2fb'])(
    'an impossible host, %s, is refused by pages that name their own address',
    async host => {
      await setOptions(root, { DeviceSignInEnabled: true })
      for (const line of ['GET /.well-known/oauth-authorization-server', 'POST /oauth/token']) {
        const request = `${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`
        expect(await sendRaw(request)).toStartWith('HTTP/1.1 400')
      }
    },
  )

  test('answers health checks without a host header, as HTTP/1.0 load balancers send them', async () => {
    for (const path of ['/healthz', '/readyz'])
      expect(await sendRaw(`GET ${path} HTTP/1.0\r\n\r\n`)).toStartWith('HTTP/1.1 200')
    for (const path of ['/api/status', '/v1/models', '/'])
      expect(await sendRaw(`GET ${path} HTTP/1.0\r\n\r\n`)).toStartWith('HTTP/1.1 400')
  })

  test('keeps an encoded line break inside the path', async () => {
    const back = await sendRaw(
      'GET /api/%0d%0aSet-Cookie:%20session=x HTTP/1.1\r\nHost: a\r\nAccept-Language: a%0d%0aX: y\r\n\r\n',
    )
    expect(back.split('\r\n\r\n')[0]?.toLowerCase()).not.toContain('\r\nset-cookie')
  })
})

const ask = (key: string, model: string, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer sk-${key}`, ...headers },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
  })

const FAILURES_UNTIL_SKIPPED = 12

const SPOOFED = {
  'x-forwarded-for': '203.0.113.7',
  'x-real-ip': '203.0.113.7',
  'true-client-ip': '203.0.113.7',
  'cf-connecting-ip': '203.0.113.7',
  forwarded: 'for=203.0.113.7',
}

describe('headers of clients', () => {
  test('ignores forwarded addresses unless the proxy is trusted', async () => {
    const { key } = await addToken(root, { allow_ips: '203.0.113.7' })
    const response = await ask(key, 'gpt', SPOOFED)
    expect([response.status, (await response.json()).error.code]).toEqual([403, 'ip_not_allowed'])
  })

  test('forwards to the upstream only the headers that its provider should see', async () => {
    const { key } = await addToken(root)
    const before = upstream.requests.length
    const sent = {
      ...SPOOFED,
      cookie: root.cookie,
      'x-api-key': 'mine',
      'openai-organization': 'mine',
      'new-api-user': '1',
      'x-anything': 'mine',
    }
    expect((await ask(key, 'gpt', sent)).status).toBe(200)
    const headers = upstream.requests[before]?.headers
    expect(headers?.get('authorization')).toBe('Bearer channel-key')
    for (const name of Object.keys(sent)) expect([name, headers?.get(name)]).toEqual([name, null])
    expect(JSON.stringify([...(headers ?? [])])).not.toContain(key)
  })

  const UNSENDABLE = {
    'a byte beyond ASCII': '\u00e9',
    'Chinese text': Buffer.from('测试').toString('latin1'),
  }
  for (const [name, value] of Object.entries(UNSENDABLE))
    test(`${name} in a forwarded header is the client's mistake and never counts against a channel`, async () => {
      const { key } = await addToken(root)
      const body = JSON.stringify({
        model: 'claude',
        max_tokens: 9,
        messages: [{ role: 'user', content: 'hi' }],
      })
      const before = upstream.requests.length
      for (let count = 0; count < FAILURES_UNTIL_SKIPPED; count += 1) {
        const back = await sendRaw(
          `POST /v1/messages HTTP/1.1\r\nHost: a\r\nX-Api-Key: sk-${key}\r\nAnthropic-Version: 2023-06-01\r\nAnthropic-Beta: ${value}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        )
        expect(back).toStartWith('HTTP/1.1 400')
        expect(back).toContain('"type":"invalid_request_error"')
      }
      expect(upstream.requests.length).toBe(before)
      const headers = { 'x-api-key': `sk-${key}`, 'content-type': 'application/json' }
      const sent = await fetch(`${gateway.url}/v1/messages`, { method: 'POST', headers, body })
      expect(sent.status).toBe(200)
    })

  test('a line break in a configured value adds no header', async () => {
    const { key } = await addToken(root)
    const before = upstream.requests.length
    expect((await ask(key, 'folded')).status).toBeGreaterThanOrEqual(500)
    expect(upstream.requests.slice(before)).toEqual([])
  })

  test('rejects an access token or a session whose user id differs', async () => {
    const response = await fetch(`${gateway.url}/api/user/self`, {
      headers: { cookie: root.cookie, 'new-api-user': '999' },
    })
    expect(response.status).toBe(401)
  })
})

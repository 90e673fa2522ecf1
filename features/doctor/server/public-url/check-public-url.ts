import type { Secrets } from '#server/core/crypto.ts'
import type { BothLanguages } from '#server/core/language.ts'
import { MIB } from '#server/core/limits.ts'
import { parseJson } from '#server/provider-kit/json.ts'
import { type CheckResult, checkProblem, ok } from '../check-result.ts'
import { callPublicUrl, type PublicResponse } from './call-public-url.ts'
import { createTicket, ECHO_BODY_BYTES, ECHO_EVENTS, ECHO_PATH, ECHO_PAUSE_MS } from './echo.ts'
import { EchoFacts } from './echo-facts.ts'

/** An address that nobody has (RFC 5737), which no proxy may believe. */
const FORGED_ADDRESS = '192.0.2.1'
/** That of RFC 6455, section 1.3: some proxies drop an upgrade without a key. */
const HANDSHAKE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}
/** Above the limits with which common proxies come. */
const SMALL_BODY_BYTES = 2 * MIB
const STREAM_MS = (ECHO_EVENTS - 1) * ECHO_PAUSE_MS
const OK = 200

const FILES: BothLanguages = {
  zh: '参考 docs/install/proxies.md 中经过测试的配置文件',
  en: 'docs/install/proxies.md has files that are tested',
}

type Ask = (headers: Readonly<Record<string, string>>, body?: Uint8Array) => Promise<PublicResponse>

/** Calls the gateway at its public address and says what the way there does to requests and responses. */
export async function checkPublicUrl(
  address: string,
  secrets: Pick<Secrets, 'hash'>,
  bodyBytes = ECHO_BODY_BYTES,
): Promise<readonly CheckResult[]> {
  const url = readAddress(address)
  if (!url) return [unusable(address)]
  const ask: Ask = (headers, body) =>
    callPublicUrl(new URL(url.href + ECHO_PATH), {
      method: body ? 'POST' : 'GET',
      headers: { authorization: createTicket(secrets), ...headers },
      ...(body && { body }),
    })
  const [reply, compressed, upgrade] = await Promise.all([
    ask({ 'x-forwarded-for': FORGED_ADDRESS }),
    ask({ 'accept-encoding': 'gzip, deflate, br, zstd' }),
    ask(HANDSHAKE),
  ])
  const facts = readFacts(reply)
  if (!facts) return [unreached(url, reply)]
  return [
    ok('url', { zh: `网关在 ${url.href} 应答`, en: `the gateway responds at ${url.href}` }),
    checkPath(url, facts),
    checkAddress(url, facts),
    checkOrigin(url, facts),
    checkStream(compressed),
    checkSocket(readFacts(upgrade)),
    checkConnection(reply, facts),
    await checkBody(ask, bodyBytes),
  ]
}

function readAddress(address: string): { readonly href: string; readonly parsed: URL } | undefined {
  const parsed = URL.parse(address)
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return undefined
  return { href: `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`, parsed }
}

type Address = NonNullable<ReturnType<typeof readAddress>>

const unusable = (address: string): CheckResult =>
  checkProblem(
    'fail',
    'url',
    { zh: `${address} 不是 http 或 https 地址`, en: `${address} is not an http or https address` },
    { zh: '例如 --url https://ai.example.com', en: 'for example --url https://ai.example.com' },
  )

function readFacts({ status, text }: PublicResponse): EchoFacts | undefined {
  const [, data = ''] = /^data: (\{.*\})$/m.exec(text) ?? []
  return status === OK && data !== '' ? EchoFacts.safeParse(parseJson(data)).data : undefined
}

function unreached({ href }: Address, { status, headers, failure }: PublicResponse): CheckResult {
  const place = headers.location === undefined ? '' : ` → ${headers.location}`
  const found = failure ?? `status ${status}${place}`
  return checkProblem(
    'fail',
    'url',
    { zh: `${href} 没有返回本网关的应答：${found}`, en: `${href} does not lead to this gateway: ${found}` },
    {
      zh: '检查代理的转发目标和证书，网关必须正在运行并使用同一 SECRET_KEY；子路径请写入地址',
      en: 'check where the proxy leads, and its certificate; the gateway must run with the same SECRET_KEY, and a path belongs into the address',
    },
  )
}

function checkPath({ parsed }: Address, { base_path }: EchoFacts): CheckResult {
  const path = parsed.pathname.replace(/\/+$/, '')
  if (path === base_path)
    return ok('path', {
      zh: path === '' ? '位于根路径' : `位于子路径 ${path}`,
      en: path === '' ? 'served at the root of the host' : `served below ${path}`,
    })
  return checkProblem(
    'fail',
    'path',
    {
      zh: `客户端使用 ${path || '/'}，网关却认为是 ${base_path || '/'}：控制台和 Cookie 无法工作`,
      en: `clients use ${path || '/'}, but the gateway knows ${base_path || '/'}: console and cookies do not work`,
    },
    { zh: `设置 BASE_PATH=${path}`, en: `set BASE_PATH=${path}` },
  )
}

function checkAddress({ parsed }: Address, facts: EchoFacts): CheckResult {
  const { address, forwarded_for: stated } = facts
  const others = stated.replaceAll(FORGED_ADDRESS, '').replace(/[\s,]+/g, '')
  // With another hop after it, the call came from a trusted address itself, such as this machine.
  if (address === FORGED_ADDRESS && others === '')
    return checkProblem(
      'fail',
      'address',
      {
        zh: '客户端可以伪造自己的地址：代理原样转发 X-Forwarded-For',
        en: 'clients can forge their address: the proxy passes their X-Forwarded-For on',
      },
      FILES,
    )
  if (stated.includes(address) || (others === '' && parsed.protocol === 'http:'))
    return ok('address', { zh: `客户端地址为 ${address}`, en: `clients appear as ${address}` })
  if (others === '')
    return checkProblem(
      'fail',
      'address',
      {
        zh: `代理不转发客户端地址：所有客户端都显示为 ${address}`,
        en: `the proxy states no address: all clients appear as ${address}`,
      },
      { zh: '让代理设置 X-Forwarded-For', en: 'let the proxy set X-Forwarded-For' },
    )
  return checkProblem(
    'fail',
    'address',
    {
      zh: `代理转发了 ${stated}，但网关看到的是 ${address}`,
      en: `the proxy states ${stated}, but the gateway sees ${address}`,
    },
    {
      zh: `将 ${address} 加入 TRUSTED_PROXIES`,
      en: `add ${address} to TRUSTED_PROXIES`,
    },
  )
}

/** Scheme and host, by which browsers and the gateway recognise pages of the same site. */
function checkOrigin({ parsed }: Address, facts: EchoFacts): CheckResult {
  const { is_secure: isSecure, host, forwarded_host: forwardedHost } = facts
  if (![host, forwardedHost].includes(parsed.host))
    return checkProblem(
      'fail',
      'origin',
      {
        zh: `代理改写了 Host：网关看到的是 ${host}，登录会被拒绝`,
        en: `the proxy changes Host to ${host}, so that sign-ins are refused`,
      },
      { zh: '让代理原样转发 Host', en: 'let the proxy pass Host on' },
    )
  if (parsed.protocol === 'https:' && !isSecure)
    return checkProblem(
      'warn',
      'origin',
      {
        zh: '网关不知道客户端使用 HTTPS：Cookie 缺少 Secure',
        en: 'the gateway does not know that clients use HTTPS: cookies are not marked as secure',
      },
      {
        zh: '让代理设置 X-Forwarded-Proto，并将其地址加入 TRUSTED_PROXIES',
        en: 'let the proxy set X-Forwarded-Proto, and name its address in TRUSTED_PROXIES',
      },
    )
  return ok('origin', { zh: '协议和主机名正确', en: 'scheme and host arrive' })
}

function checkStream({ arrivalsMs, headers }: PublicResponse): CheckResult {
  const encoding = headers['content-encoding']
  const spanMs = (arrivalsMs.at(-1) ?? 0) - (arrivalsMs[0] ?? 0)
  const pieces = arrivalsMs.length
  if (spanMs >= STREAM_MS / 2 && pieces >= ECHO_EVENTS / 2)
    return ok('stream', {
      zh: `流式响应逐段到达（${pieces} 段）`,
      en: `streams arrive as they come (${pieces} pieces)`,
    })
  return checkProblem(
    'fail',
    'stream',
    {
      zh: `流式响应被滞留：${ECHO_EVENTS} 个事件分 ${pieces} 段到达${encoding === undefined ? '' : `，并被压缩为 ${encoding}`}`,
      en: `streams are held back: ${ECHO_EVENTS} events arrive in ${pieces} pieces${encoding === undefined ? '' : `, compressed with ${encoding}`}`,
    },
    {
      zh: '关闭代理对 text/event-stream 的缓冲和压缩',
      en: 'turn buffering and compression of text/event-stream off in the proxy',
    },
  )
}

const checkSocket = (facts: EchoFacts | undefined): CheckResult =>
  facts?.upgrade.toLowerCase() === 'websocket'
    ? ok('socket', { zh: '支持 WebSocket', en: 'WebSockets pass' })
    : checkProblem(
        'warn',
        'socket',
        {
          zh: '代理不转发 Upgrade：实时对话等 WebSocket 无法使用',
          en: 'the proxy drops Upgrade: WebSockets, such as realtime conversations, do not work',
        },
        FILES,
      )

const checkConnection = ({ httpVersion }: PublicResponse, { connection }: EchoFacts): CheckResult =>
  httpVersion === '1.0' || connection.toLowerCase() === 'close'
    ? checkProblem(
        'warn',
        'connection',
        {
          zh: '代理使用 HTTP/1.0，或为每个请求新建连接',
          en: 'the proxy speaks HTTP/1.0, or opens a connection for each request',
        },
        {
          zh: '使用 HTTP/1.1 并保持连接，例如 nginx 的 proxy_http_version 1.1 和 keepalive',
          en: 'use HTTP/1.1 with kept connections, such as proxy_http_version 1.1 and keepalive of nginx',
        },
      )
    : ok('connection', { zh: '连接被复用', en: 'connections are kept' })

async function checkBody(ask: Ask, bodyBytes: number): Promise<CheckResult> {
  const send = async (bytes: number): Promise<string | undefined> => {
    const { status, failure } = await ask({}, new Uint8Array(bytes).fill(0x20))
    return status === OK ? undefined : (failure ?? `status ${status}`)
  }
  const mib = bodyBytes / MIB
  const found = await send(bodyBytes)
  if (found === undefined)
    return ok('body', { zh: `${mib} MiB 的请求体可以通过`, en: `bodies of ${mib} MiB pass` })
  const isSmallFine = (await send(SMALL_BODY_BYTES)) === undefined
  const small = SMALL_BODY_BYTES / MIB
  return checkProblem(
    isSmallFine ? 'warn' : 'fail',
    'body',
    {
      zh: `${mib} MiB 的请求体被拒绝：${found}；${small} MiB ${isSmallFine ? '可以' : '也不能'}通过`,
      en: `bodies of ${mib} MiB do not pass: ${found}; ${small} MiB ${isSmallFine ? 'do' : 'do not either'}`,
    },
    {
      zh: '提高代理的请求体上限，例如 nginx 的 client_max_body_size 0',
      en: 'raise the limit of the proxy, such as client_max_body_size 0 of nginx',
    },
  )
}

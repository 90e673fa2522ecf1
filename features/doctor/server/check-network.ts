import type { Config } from '#server/config/config.ts'
import { nowMs } from '#server/core/clock.ts'
import type { ChannelRow } from '#server/db/channels/channels.ts'
import { parseJson } from '#server/provider-kit/json.ts'
import type { Registry } from '#server/providers/registry.ts'
import { type CheckResult, checkProblem, ok } from './check-result.ts'
import { type HostProbe, probeHost } from './probe.ts'

/** Hosts that are asked at once. */
const HOSTS_MAX = 20
const SECOND_MS = 1000
/** Signatures of clouds tolerate five minutes; sign-in codes and the order of log entries suffer earlier. */
const CLOCK_WARN_MS = 5 * SECOND_MS
const CLOCK_FAIL_MS = 60 * SECOND_MS
/** No clock that is right shows an earlier time. */
const EARLIEST_MS = Date.UTC(2026, 0, 1)
const ANY_ADDRESS = /\/0$/
const LOCAL_ADDRESS = /^https?:\/\/(localhost|127\.|\[::1\])/

interface ChannelHost {
  readonly origin: string
  readonly proxy: string | undefined
}

/** The hosts of channels, each once. A channel without an address uses its provider's. */
export function hostsOf(
  channels: readonly Pick<ChannelRow, 'type' | 'base_url' | 'setting'>[],
  registry: Registry,
): readonly ChannelHost[] {
  const hosts = channels.flatMap(({ type, base_url, setting }) => {
    const address = base_url || registry.byType(type)?.baseUrl || ''
    return URL.canParse(address) && /^https?:/.test(address)
      ? [{ origin: new URL(address).origin, proxy: readProxy(setting) }]
      : []
  })
  const byKey = new Map(hosts.map(host => [`${host.origin} ${host.proxy}`, host]))
  return [...byKey.values()].slice(0, HOSTS_MAX)
}

function readProxy(setting: string): string | undefined {
  const parsed = setting === '' ? undefined : parseJson(setting)
  if (typeof parsed !== 'object' || parsed === null || !('proxy' in parsed)) return undefined
  return typeof parsed.proxy === 'string' && parsed.proxy !== '' ? parsed.proxy : undefined
}

export const probeHosts = (hosts: readonly ChannelHost[], isBehindProxy: boolean): Promise<HostProbe[]> =>
  Promise.all(hosts.map(({ origin, proxy }) => probeHost(origin, { proxy, isBehindProxy })))

/** Whether the hosts of the channels respond. Their keys are not used. */
export function checkUpstreams(probes: readonly HostProbe[]): CheckResult {
  if (probes.length === 0)
    return ok('upstreams', {
      zh: '没有已启用的渠道，未检查任何主机',
      en: 'no channel is enabled, so no host was checked',
    })
  const failed = probes.filter(({ failure }) => failure !== undefined)
  if (failed.length === 0)
    return ok('upstreams', {
      zh: `${probes.length} 个渠道主机均有响应`,
      en: `all ${probes.length} hosts of channels respond`,
    })
  const list = (language: 'zh' | 'en') =>
    failed.map(({ origin, failure }) => `${origin} (${failure?.[language]})`).join(', ')
  return checkProblem(
    failed.length === probes.length ? 'fail' : 'warn',
    'upstreams',
    {
      zh: `${probes.length} 个渠道主机中有 ${failed.length} 个没有响应：${list('zh')}`,
      en: `${failed.length} of ${probes.length} hosts of channels do not respond: ${list('en')}`,
    },
    {
      zh: '检查本机的 DNS、防火墙和网络连接；需要代理时设置 HTTPS_PROXY，或在渠道中填写代理',
      en: 'check DNS, firewall and network of this machine; behind a proxy, set HTTPS_PROXY or the proxy of the channel',
    },
  )
}

/** Compares the clock with those of the database server and of hosts that respond. */
export function checkClock(othersMs: readonly number[]): CheckResult {
  const remedy = {
    zh: '开启时间同步，例如 timedatectl set-ntp true',
    en: 'turn on time synchronization, for example timedatectl set-ntp true',
  }
  if (nowMs() < EARLIEST_MS)
    return checkProblem(
      'fail',
      'clock',
      {
        zh: `时钟显示 ${new Date(nowMs()).toISOString()}`,
        en: `the clock shows ${new Date(nowMs()).toISOString()}`,
      },
      remedy,
    )
  const [first] = othersMs
  if (first === undefined)
    return ok('clock', {
      zh: '没有可比较的时钟：没有 PostgreSQL，也没有主机响应',
      en: 'no other clock to compare with: there is no PostgreSQL, and no host responded',
    })
  const offsetMs = Math.min(...othersMs.map(otherMs => Math.abs(nowMs() - otherMs)))
  const seconds = (offsetMs / SECOND_MS).toFixed(1)
  const finding = {
    zh: `与其他时钟相差 ${seconds} 秒`,
    en: `${seconds} s from the nearest other clock`,
  }
  if (offsetMs < CLOCK_WARN_MS) return ok('clock', finding)
  return checkProblem(offsetMs < CLOCK_FAIL_MS ? 'warn' : 'fail', 'clock', finding, remedy)
}

/** Whether the addresses of clients are those of clients: neither a proxy's own nor forged. */
export function checkProxies(
  { trustedProxies: trusted, basePath }: Pick<Config, 'trustedProxies' | 'basePath'>,
  serverAddress: string,
): CheckResult {
  const open = trusted.find(range => ANY_ADDRESS.test(range))
  if (open !== undefined)
    return checkProblem(
      'fail',
      'proxies',
      {
        zh: `TRUSTED_PROXIES 包含 ${open}，任何客户端都能伪造自己的地址`,
        en: `TRUSTED_PROXIES contains ${open}, so every client can forge its address`,
      },
      {
        zh: '只填写反向代理自身的地址',
        en: 'name the addresses of the reverse proxy only',
      },
    )
  if (serverAddress !== '' && !serverAddress.replace(/\/+$/, '').endsWith(basePath))
    return checkProblem(
      'warn',
      'proxies',
      {
        zh: `服务器地址为 ${serverAddress}，不含 BASE_PATH ${basePath}：支付回调、第三方登录和邮件中的链接无法到达网关`,
        en: `the server address is ${serverAddress}, without BASE_PATH ${basePath}: payment callbacks, sign-ins with other accounts and links in emails miss the gateway`,
      },
      {
        zh: `在系统设置中将服务器地址设为以 ${basePath} 结尾的地址`,
        en: `let the server address of the system settings end with ${basePath}`,
      },
    )
  if (trusted.length > 0)
    return ok('proxies', {
      zh: `信任来自 ${trusted.join(', ')} 的 X-Forwarded-For`,
      en: `X-Forwarded-For is trusted from ${trusted.join(', ')}`,
    })
  if (!serverAddress.startsWith('https://') || LOCAL_ADDRESS.test(serverAddress))
    return ok('proxies', {
      zh: '未配置反向代理，以连接地址作为客户端地址',
      en: 'no reverse proxy is named; the address of the connection counts',
    })
  return checkProblem(
    'warn',
    'proxies',
    {
      zh: `服务器地址为 ${serverAddress}，但 TRUSTED_PROXIES 为空：所有客户端都会显示为反向代理的地址，并共用同一速率限制`,
      en: `the server address is ${serverAddress}, but TRUSTED_PROXIES is empty: all clients appear with the address of the reverse proxy and share its rate limits`,
    },
    {
      zh: '将 TRUSTED_PROXIES 设为反向代理的地址，例如 127.0.0.1',
      en: 'set TRUSTED_PROXIES to the address of the reverse proxy, for example 127.0.0.1',
    },
  )
}

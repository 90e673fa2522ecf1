import { join } from 'node:path'
import { openTestDatabase } from '../db/testing.ts'
import { openDialects } from '../dialects/dialects.ts'
import { newRequestId } from '../kernel/id.ts'
import { loadFolders } from '../kernel/load-folders.ts'
import { silentLog } from '../kernel/log.ts'
import { quota } from '../kernel/money.ts'
import { openSecrets } from '../kernel/secrets.ts'
import { openLab } from '../lab/open-lab.ts'
import { adjustWallet, setTokenLimit } from '../ledger/adjust.ts'
import { openLedger } from '../ledger/ledger.ts'
import { openRegistry } from '../providers/registry.ts'
import { TOKEN_KEY_PURPOSE } from './authenticate.ts'
import { loadChannelDirectory } from './channel-directory.ts'
import type { Door } from './door.ts'
import type { Gateway, RelaySettings } from './gateway.ts'
import { relay } from './pipeline.ts'
import type { Send } from './send.ts'
import { RELAY_TIMEOUTS } from './timeouts.ts'

const TEST_SETTINGS: RelaySettings = {
  retryTimes: 0,
  preConsumedTokens: 500,
  prices: {
    modelRatio: { lab: 1 },
    modelPrice: {},
    completionRatio: { lab: 2 },
    cacheRatio: {},
    createCacheRatio: {},
    groupRatio: { default: 1, vip: 0.5 },
  },
  userUsableGroups: { default: 'default' },
  isAutomaticDisableEnabled: false,
  automaticDisableKeywords: [],
}
const SERVER = join(import.meta.dir, '..')
const WALLET = 1_000_000

interface TestToken {
  readonly remain?: number
  readonly columns?: Readonly<Record<string, string | number>>
}

/** A relay on a real database, with the fault lab as its upstream: for tests of the whole way of a request. */
export async function openTestRelay(options: { settings?: Partial<RelaySettings>; wallet?: number } = {}) {
  const opened = await openTestDatabase()
  const { db, engine } = opened
  const secrets = openSecrets('the secret key of the tests')
  const [providers, dialects] = await Promise.all([
    loadFolders(join(SERVER, 'providers')),
    loadFolders(join(SERVER, 'dialects')),
  ])
  const registry = openRegistry(providers)
  const ledger = openLedger({
    db,
    engine,
    log: silentLog,
    processId: 'test',
    isConsumptionLogged: () => true,
  })
  const lab = openLab()
  const source = { db, registry, secrets, log: silentLog }
  let directory = await loadChannelDirectory(source)
  const gateway: Gateway = {
    ...source,
    ledger,
    dialects: openDialects(dialects),
    channels: { current: () => directory },
    settings: { current: () => ({ ...TEST_SETTINGS, ...options.settings }) },
    send: throughLab(lab.fetch),
    timeouts: RELAY_TIMEOUTS,
  }
  const [user] = await db
    .insertInto('users')
    .values({ username: 'caller', aff_code: 'caller', created_at: 1 })
    .returning('id')
    .execute()
  const userId = user?.id ?? 0
  const cause = { userId, actorId: 0, reason: 'test', requestId: '' }
  await adjustWallet(db, { ...cause, kind: 'gift', amount: options.wallet ?? WALLET })
  return {
    db,
    gateway,
    lab,
    userId,
    async addToken({ remain, columns = {} }: TestToken = {}): Promise<string> {
      const key = newRequestId()
      const [token] = await db
        .insertInto('tokens')
        .values({
          user_id: userId,
          name: 'key',
          key_hash: secrets.hash(TOKEN_KEY_PURPOSE, key),
          key_sealed: secrets.seal(key),
          created_time: 1,
          accessed_time: 1,
          unlimited_quota: remain === undefined ? 1 : 0,
          ...columns,
        })
        .returning('id')
        .execute()
      if (remain !== undefined)
        await setTokenLimit(db, { ...cause, tokenId: token?.id ?? 0, remain: quota(remain) })
      return key
    },
    async addChannel(columns: Readonly<Record<string, string | number>> = {}): Promise<number> {
      const [channel] = await db
        .insertInto('channels')
        .values({
          type: 1,
          name: 'lab',
          key_hash: 'h',
          key_sealed: secrets.seal('lab'),
          created_time: 1,
          base_url: 'http://lab.test/lab',
          models: 'lab',
          ...columns,
        })
        .returning('id')
        .execute()
      directory = await loadChannelDirectory(source)
      return channel?.id ?? 0
    },
    ask: (path: string, key: string, body: unknown, door: Partial<Door> = {}): Promise<Response> => {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      const request = new Request(`http://gateway.test${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: key ? { authorization: `Bearer sk-${key}` } : {},
        ...(body !== undefined && { body: text }),
      })
      return relay(request, { ...doorOf(text), ...door }, gateway)
    },
    async close() {
      await ledger.close()
      await opened.close()
    },
  }
}

const doorOf = (text: string): Door => ({
  requestId: newRequestId(),
  clientIp: '192.0.2.1',
  session: () => Promise.resolve(undefined),
  readText: () => Promise.resolve(text),
})

/** The way to the lab without a network between. */
const throughLab =
  (fetchLab: (request: Request) => Promise<Response>): Send =>
  async ({ url, method, headers, body }, { signal }) => ({
    kind: 'answer',
    response: await fetchLab(
      new Request(url, { method: method ?? 'POST', headers, body: body ?? null, signal }),
    ),
  })

import { join } from 'node:path'
import { ROLE } from '#contract/enums.ts'
import type { ChannelTester, ChannelTestOutcome, ChannelTestOptions } from '../api/context.ts'
import { openSettings, type Settings } from '../api/settings.ts'
import { openOutside } from '../compose/integrations.ts'
import { nowSeconds } from '../core/clock.ts'
import { randomAlphanumeric } from '../core/ids.ts'
import { loadFolders, routesOf } from '../compose/modules.ts'
import { createLocalRateLimiter } from '../core/rate-limit.ts'
import { type Logger, noopLogger } from '../core/logger.ts'
import { createSecrets, type Secrets } from '../core/crypto.ts'
import { type Database, inTransaction } from '../db/engine/database.ts'
import { openTestDatabase } from '../db/testing.ts'
import { insertUserIfNew } from '../db/accounts/users.ts'
import { type App, type AppParts, createApp } from '../http/app.ts'
import { type FileSet, openStaticFiles } from '../http/static-files.ts'
import { PARTIES } from '../integrations/parties.ts'
import { adjustWallet } from '../ledger/adjust.ts'
import { openRegistry } from '../providers/registry.ts'
import { loadChannelDirectory } from '../relay/routing/channel-directory.ts'
import { ChannelHealth } from '../relay/routing/channel-health.ts'
import { previewRoute } from '../relay/routing/preview.ts'
import { openEgress } from '../relay/upstream/safe-fetch.ts'
import type { Send } from '../relay/upstream/send.ts'
import { answerWith } from './answer-with.ts'
import { openTestClient, type TestClient } from './test-client.ts'

const SERVER = join(import.meta.dir, '..')
const PASSWORD = 'a good password'
const modules = Promise.all([loadFolders(join(SERVER, 'api')), loadFolders(join(SERVER, 'providers'))])
/** Cheap on purpose: tests sign in hundreds of times. */
const passwordHash = Bun.password.hash(PASSWORD, { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 })

export interface TestAppOptions {
  readonly log?: Logger
  readonly files?: FileSet
  readonly parts?: Partial<AppParts>
}

/** The management API on a real database, with the outside (upstreams, the relay) under the test's hand. */
export interface TestApp {
  readonly app: App
  readonly db: Database
  readonly secrets: Secrets
  readonly settings: Settings
  /** Signed in as root. */
  readonly root: TestClient
  readonly visitor: TestClient
  /** What upstreams answer, and what they were asked. */
  readonly upstream: { answer: (request: Request) => Promise<Response> | Response; readonly asked: Request[] }
  /** What testing a channel through the relay gives. */
  readonly relayTest: {
    result: ChannelTestOutcome | ((channelId: number) => Promise<ChannelTestOutcome>)
    readonly asked: RelayTestAsked[]
  }
  addUser(user: {
    username: string
    role?: keyof typeof ROLE
    quota?: number
    group?: string
  }): Promise<TestClient>
  close(): Promise<void>
}

const UNSEEN = {
  answerCount: { begin: () => undefined, end: () => undefined },
  seal: (response: Response) => response,
}

export async function openTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const database = await openTestDatabase()
  const { db, engine } = database
  const secrets = createSecrets('a secret key for tests')
  const log = options.log ?? noopLogger
  const settings = await openSettings({ db, secrets, log })
  const [resources, providers] = await modules
  const upstream: TestApp['upstream'] = { answer: () => new Response('{}'), asked: [] }
  const relayTest: TestApp['relayTest'] = { result: { ok: true, message: '', timeMs: 120 }, asked: [] }
  const registry = openRegistry(providers)
  const parties = options.parts?.parties ?? PARTIES
  const rateLimiter = createLocalRateLimiter()
  const egress = openEgress({ allowed: ['127.0.0.1', '::1'], authority: parties.mailAuthority })
  const send = options.parts?.send ?? sendTo(upstream)
  const outside = openOutside({ db, settings, secrets, log, rateLimiter, send, egress, parties })
  const app = createApp({
    db,
    engine,
    settings,
    secrets,
    log,
    registry,
    send,
    parties,
    mailer: outside.mailer,
    sendNotice: outside.sendNotice,
    askRelease: outside.askRelease,
    rootNotices: outside.rootNotices,
    rateLimiter,
    channelTester: testerOf(relayTest),
    previewRoute: async wanted => {
      const directory = await loadChannelDirectory({ db, registry, secrets, log })
      const parts = { settings: { current: () => ({ retryTimes: 0 }) }, health: new ChannelHealth() }
      return previewRoute({ ...parts, channels: { current: () => directory } }, wanted)
    },
    installation: { version: '0.0.0', startedAt: nowSeconds() },
    routes: routesOf(resources),
    relay: async () => Response.json({ relayed: true }),
    ...UNSEEN,
    lives: [settings],
    trustedProxies: [],
    files: openStaticFiles(options.files ?? new Map()),
    readiness: async () => ({ isReady: true }),
    metrics: () => 'tollgate_up 1\n',
    ...options.parts,
  })
  const addUser: TestApp['addUser'] = async user => {
    const id = await insertUser(db, user)
    return openTestClient(app).signIn({ id, username: user.username, password: PASSWORD })
  }
  return {
    app,
    db,
    secrets,
    settings,
    upstream,
    relayTest,
    visitor: openTestClient(app),
    root: await addUser({ username: 'root', role: 'root', quota: 100_000_000 }),
    addUser,
    async close() {
      await app.close()
      await outside.close()
      await database.close()
    },
  }
}

function insertUser(
  db: Database,
  { username, role = 'user', quota = 0, group = 'default' }: Parameters<TestApp['addUser']>[0],
): Promise<number> {
  return inTransaction(db, async tx => {
    const id = await insertUserIfNew(tx, {
      username,
      display_name: username,
      password_hash: await passwordHash,
      must_change_password: 0,
      role: ROLE[role],
      group,
      aff_code: randomAlphanumeric(8),
      created_at: nowSeconds(),
    })
    if (id === undefined) throw new Error(`the user name ${username} is taken`)
    const cause = { actorId: 0, reason: 'for a test', requestId: '' }
    if (quota > 0) await adjustWallet(tx, { userId: id, amount: quota, kind: 'gift', ...cause })
    return id
  })
}

const sendTo =
  (upstream: TestApp['upstream']): Send =>
  async ({ url, method = 'POST', headers, body }) => {
    if (!URL.canParse(url))
      return { kind: 'failure', failure: { status: 502, code: 'upstream_failed', message: 'no address' } }
    const request = new Request(url, { method, headers, body: body ?? null })
    upstream.asked.push(request)
    return answerWith(await upstream.answer(request))
  }

function testerOf(relayTest: TestApp['relayTest']): ChannelTester {
  const resultOf = async (...asked: RelayTestAsked) => {
    relayTest.asked.push(asked)
    return typeof relayTest.result === 'function' ? relayTest.result(asked[0].id) : relayTest.result
  }
  return {
    testChannel: (id, wanted) => resultOf({ id }, wanted),
    testUnsaved: (channel, key, wanted) => resultOf({ ...channel, key }, wanted),
  }
}

type RelayTestAsked = readonly [channel: { readonly id: number; readonly key?: string }, wanted: ChannelTestOptions]

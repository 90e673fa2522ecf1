import { ROLE } from '#contract/enums.ts'
import { previewRoute } from '#features/channels/server/preview.ts'
import { createRepricing } from '#features/repricing/server/repricing.ts'
import type { ChannelTester, ChannelTestOptions, ChannelTestOutcome, PreviewRoute } from '../api/context.ts'
import type { Route } from '../api/handle.ts'
import { featuresOf, routesOf, startFeatures, stopFeatures } from '../compose/features.ts'
import { createIntegrations } from '../compose/integrations.ts'
import { loadFeatures, loadProviders } from '../compose/modules.ts'
import { createRelayServices } from '../compose/relay.ts'
import { nowSeconds } from '../core/clock.ts'
import { createSecrets, type Secrets } from '../core/crypto.ts'
import { randomAlphanumeric } from '../core/ids.ts'
import { sameInBoth } from '../core/language.ts'
import { BODY_MEMORY_BYTES } from '../core/limits.ts'
import { type Logger, noopLogger } from '../core/logger.ts'
import { createLocalRateLimiter } from '../core/rate-limit.ts'
import { createMetricsRegistry } from '../core/telemetry/metrics.ts'
import { insertUserIfNew } from '../db/accounts/users.ts'
import { type CachedValue, createCachedValue } from '../db/engine/cached-value.ts'
import { type Database, inTransaction } from '../db/engine/database.ts'
import { openReaders } from '../db/readers/readers.ts'
import { openTestDatabase } from '../db/testing.ts'
import { type App, type AppDeps, createApp } from '../http/app.ts'
import { createStaticFiles, type FileSet } from '../http/static-files.ts'
import { PROVIDER_ENDPOINTS } from '../http-client/provider-request.ts'
import { createSafeFetch } from '../http-client/safe-fetch.ts'
import type { Send } from '../http-client/send.ts'
import { adjustWallet } from '../ledger/adjust.ts'
import { createRegistry } from '../providers/registry.ts'
import { type ChannelDirectory, loadChannelDirectory } from '../relay/routing/channel-directory.ts'
import { ChannelHealth } from '../relay/routing/channel-health.ts'
import { loadSettings, type Settings } from '../settings/settings.ts'
import { receivedBody, receivedResponse } from './received-response.ts'
import { createTestClient, type TestClient } from './test-client.ts'

const PASSWORD = 'a good password'
const modules = Promise.all([loadFeatures().then(featuresOf), loadProviders()])
/** Hashed with cheap parameters, since tests sign in hundreds of times. */
const passwordHash = Bun.password.hash(PASSWORD, { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 })

export interface TestAppOptions {
  readonly log?: Logger
  readonly files?: FileSet
  readonly parts?: Partial<AppDeps>
}

/** The management API on a real database. The test controls fakes of the upstreams and of the relay. */
export interface TestApp {
  readonly app: App
  /** The management API of all features. */
  readonly routes: readonly Route[]
  readonly db: Database
  readonly secrets: Secrets
  readonly settings: Settings
  /** Signed in as root. */
  readonly root: TestClient
  readonly visitor: TestClient
  /** The fake upstream: its handler, and the requests it received. */
  readonly upstream: {
    respond: (request: Request) => Promise<Response> | Response
    readonly requests: Request[]
  }
  /** The fake channel test: its result, and the calls that it received. */
  readonly relayTest: {
    result: ChannelTestOutcome | ((channelId: number) => Promise<ChannelTestOutcome>)
    readonly calls: RelayTestCall[]
  }
  addUser(user: {
    username: string
    role?: keyof typeof ROLE
    quota?: number
    group?: string
  }): Promise<TestClient>
  close(): Promise<void>
}

const NO_BACKUPS = {
  is_configured: false,
  interval_hours: 24,
  keep: 7,
  is_running: false,
  failure: '',
  backups: [],
}

const DEFAULTS = {
  relay: async () => Response.json({ relayed: true }),
  readiness: async () => ({ isReady: true }) as const,
  metrics: () => 'tollgate_up 1\n',
  trustedProxies: [],
  docsFolder: '/nowhere',
  backups: { state: () => NO_BACKUPS, start: () => false },
  bodyMemoryBytes: BODY_MEMORY_BYTES,
  responseCounter: { begin: () => undefined, end: () => undefined },
  finalizeResponse: (response: Response) => response,
}

const SUCCESSFUL_TEST: ChannelTestOutcome = { ok: true, message: sameInBoth(''), timeMs: 120 }

/** The management API of all features, as an app has it that is closed again. */
export async function loadRoutes(): Promise<readonly Route[]> {
  const app = await openTestApp()
  await app.close()
  return app.routes
}

/** Opens a new app with its own database and a root user. */
export async function openTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const database = await openTestDatabase()
  const { db, engine } = database
  const readers = openReaders(database)
  const secrets = createSecrets('a secret key for tests')
  const log = options.log ?? noopLogger
  const settings = await loadSettings({ db, secrets, log })
  const [features, providers] = await modules
  const upstream: TestApp['upstream'] = { respond: () => new Response('{}'), requests: [] }
  const relayTest: TestApp['relayTest'] = { result: SUCCESSFUL_TEST, calls: [] }
  const registry = createRegistry(providers)
  const load = () => loadChannelDirectory({ db, registry, secrets, log })
  const channels = await createCachedValue({ db, subject: 'channels', load })
  const providerEndpoints = options.parts?.providerEndpoints ?? PROVIDER_ENDPOINTS
  const rateLimiter = createLocalRateLimiter()
  const safeFetch = createSafeFetch({
    allowed: ['127.0.0.1', '::1'],
    authority: providerEndpoints.mailCertificateAuthority,
  })
  const send = options.parts?.send ?? sendTo(upstream)
  const shared = { db, settings, secrets, log, rateLimiter, send, providerEndpoints }
  const integrations = createIntegrations({ ...shared, safeFetch })
  const services = { ...shared, ...integrations, database, registry, channels, safeFetch }
  const metrics = createMetricsRegistry()
  const relay = createRelayServices(services, () => Promise.reject(new Error('this app has no relay')))
  const started = startFeatures(features, { ...services, metrics, relay })
  const routes = routesOf(started)
  const app = createApp({
    ...shared,
    readers,
    repricing: createRepricing(database, log),
    ...integrations,
    engine,
    registry,
    channelNotifier: integrations.rootNotifier,
    channelTester: createChannelTester(relayTest),
    previewRoute: createPreview(channels),
    installation: { version: '0.0.0', startedAt: nowSeconds() },
    routes,
    ...DEFAULTS,
    cachedValues: [settings],
    files: createStaticFiles(options.files ?? new Map()),
    ...options.parts,
  })
  const addUser: TestApp['addUser'] = async user => signIn(app, await insertUser(db, user), user)
  return {
    app,
    routes,
    db,
    secrets,
    settings,
    upstream,
    relayTest,
    visitor: createTestClient(app),
    root: await addUser({ username: 'root', role: 'root', quota: 100_000_000 }),
    addUser,
    async close() {
      await app.close()
      await stopFeatures(started)
      await integrations.close()
      await readers.close()
      await database.close()
    },
  }
}

const signIn = (app: App, id: number, { username }: Parameters<TestApp['addUser']>[0]): Promise<TestClient> =>
  createTestClient(app).signIn({ id, username, password: PASSWORD })

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
    const cause = { actorId: 0, reason: sameInBoth('for a test'), requestId: '' }
    if (quota > 0) await adjustWallet(tx, { userId: id, amount: quota, kind: 'gift', ...cause })
    return id
  })
}

const sendTo =
  (upstream: TestApp['upstream']): Send =>
  async ({ url, method = 'POST', headers, body }) => {
    if (!URL.canParse(url))
      return {
        kind: 'failure',
        failure: { status: 502, code: 'upstream_failed', message: 'invalid address' },
      }
    const request = new Request(url, { method, headers, body: receivedBody(body) ?? null })
    upstream.requests.push(request)
    return receivedResponse(await upstream.respond(request))
  }

const createPreview =
  (channels: CachedValue<ChannelDirectory>): PreviewRoute =>
  async query => {
    await channels.refresh()
    const parts = { settings: { current: () => ({ retryTimes: 0 }) }, health: new ChannelHealth() }
    return previewRoute({ ...parts, channels }, query)
  }

function createChannelTester(relayTest: TestApp['relayTest']): ChannelTester {
  const run = async (...call: RelayTestCall) => {
    relayTest.calls.push(call)
    return typeof relayTest.result === 'function' ? relayTest.result(call[0].id) : relayTest.result
  }
  return {
    testChannel: (id, options) => run({ id }, options),
    testUnsaved: (channel, key, options) => run({ ...channel, key }, options),
    probeUsage: async (_, model) => ({ model, requests: [], findings: {} }),
  }
}

type RelayTestCall = readonly [
  channel: { readonly id: number; readonly key?: string },
  options: ChannelTestOptions,
]

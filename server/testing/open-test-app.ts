import { ROLE } from '#contract/enums.ts'
import type { Events } from '../api/events.ts'
import type { Route } from '../api/handle.ts'
import type { PlainRoute } from '../api/plain-route.ts'
import {
  eventsOf,
  featuresOf,
  optionsOf,
  servedPartsOf,
  startFeatures,
  stopFeatures,
} from '../compose/features.ts'
import { loadModules } from '../compose/modules.ts'
import { createRelayContext, createRelayServices } from '../compose/relay.ts'
import { fillStore, type Store, type StoreParts } from '../compose/store.ts'
import { nowSeconds } from '../core/clock.ts'
import { createSecrets, type Secrets } from '../core/crypto.ts'
import { randomAlphanumeric } from '../core/ids.ts'
import { sameInBoth } from '../core/language.ts'
import { BODY_MEMORY_BYTES } from '../core/limits.ts'
import { type Logger, noopLogger } from '../core/logger.ts'
import { createLocalRateLimiter } from '../core/rate-limit.ts'
import { createMetricsRegistry } from '../core/telemetry/metrics.ts'
import { insertUserIfNew } from '../db/accounts/users.ts'
import { type Database, inTransaction } from '../db/engine/database.ts'
import { openReaders } from '../db/readers/readers.ts'
import { openTestDatabase } from '../db/testing.ts'
import type { Feature } from '../feature.ts'
import { type App, type AppDeps, createApp } from '../http/app.ts'
import { createStaticFiles, type FileSet } from '../http/static-files.ts'
import { PROVIDER_ENDPOINTS } from '../http-client/provider-request.ts'
import { createSafeFetch } from '../http-client/safe-fetch.ts'
import type { Send } from '../http-client/send.ts'
import { adjustWallet } from '../ledger/adjust.ts'
import type { OpenCalls } from '../relay/admission/open-calls.ts'
import { relay } from '../relay/pipeline.ts'
import type { Settings } from '../settings/settings.ts'
import { IDLE_SERVICES } from './idle-services.ts'
import { receivedBody, receivedResponse } from './received-response.ts'
import { createTestClient, type TestClient } from './test-client.ts'

const PASSWORD = 'a good password'
const modules = loadModules()
/** Hashed with cheap parameters, since tests sign in hundreds of times. */
const passwordHash = Bun.password.hash(PASSWORD, { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 })

export interface TestAppOptions {
  readonly log?: Logger
  readonly files?: FileSet
  readonly parts?: Partial<AppDeps>
  readonly docsFolder?: string
  /** Features that take the places of those in the folders. */
  readonly features?: Readonly<Record<string, Feature>>
}

/** The management API on a real database. The test controls fakes of the upstreams and of the relay. */
export interface TestApp {
  readonly app: App
  /** The management API of all features. */
  readonly routes: readonly Route[]
  readonly plainRoutes: readonly PlainRoute[]
  readonly db: Database
  readonly secrets: Secrets
  readonly settings: Settings
  readonly events: Events
  readonly openCalls: OpenCalls
  /** Signed in as root. */
  readonly root: TestClient
  readonly visitor: TestClient
  /** The fake upstream: its handler, and the requests it received. */
  readonly upstream: {
    respond: (request: Request) => Promise<Response> | Response
    readonly requests: Request[]
  }
  addUser(user: {
    username: string
    role?: keyof typeof ROLE
    quota?: number
    group?: string
  }): Promise<TestClient>
  close(): Promise<void>
}

const EGRESS_ALLOWED = ['127.0.0.1', '::1']
const RELAY_CONFIG = { isBehindProxy: false, egressAllowed: EGRESS_ALLOWED, tracing: undefined }

const DEFAULTS = {
  relay: async () => Response.json({ relayed: true }),
  readiness: async () => ({ isReady: true }) as const,
  metrics: () => 'tollgate_up 1\n',
  trustedProxies: [],
  bodyMemoryBytes: BODY_MEMORY_BYTES,
  responseCounter: { begin: () => undefined, end: () => undefined },
  finalizeResponse: (response: Response) => response,
}

/** The management API of all features, as an app has it that is closed again. */
export async function loadRoutes(): Promise<readonly Route[]> {
  const app = await openTestApp()
  await app.close()
  return app.routes
}

/** Opens a new app with its own database and a root user. */
export async function openTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const upstream: TestApp['upstream'] = { respond: () => new Response('{}'), requests: [] }
  const folders = await modules
  const features = new Map([...featuresOf(folders.features), ...Object.entries(options.features ?? {})])
  const declared = { providers: folders.providers, options: optionsOf(features) }
  const store = await openTestStore(options, declared, options.parts?.send ?? sendTo(upstream))
  const { db, secrets, settings, integrations } = store
  const relayServices = createRelayServices(store, (...call) => relay(...call, relayContext))
  const events = eventsOf(features)
  const started = startFeatures(features, {
    ...store,
    ...integrations,
    metrics: createMetricsRegistry(),
    ...IDLE_SERVICES,
    ...(options.docsFolder && { docsFolder: options.docsFolder }),
    relay: relayServices,
    relayContext: () => relayContext,
  })
  const parts = { store, config: RELAY_CONFIG, modules: folders, features: started }
  const relayContext = createRelayContext({ ...parts, processCount: () => 1 }, relayServices)
  const served = servedPartsOf(started)
  const app = createApp({
    ...store,
    ...integrations,
    ...DEFAULTS,
    installation: IDLE_SERVICES.installation,
    processorBudget: relayServices.processorBudget,
    openCalls: relayServices.openCalls,
    events,
    ...served,
    cachedValues: [settings],
    files: createStaticFiles(options.files ?? new Map()),
    ...options.parts,
  })
  const addUser: TestApp['addUser'] = async user => signIn(app, await insertUser(db, user), user)
  return {
    app,
    routes: served.routes,
    plainRoutes: served.plainRoutes,
    db,
    secrets,
    settings,
    events,
    openCalls: relayServices.openCalls,
    upstream,
    visitor: createTestClient(app),
    root: await addUser({ username: 'root', role: 'root', quota: 100_000_000 }),
    addUser,
    async close() {
      await stopFeatures(started)
      await store.ledger.close()
      await store.close()
    },
  }
}

/** As `openStore`, on a database for tests, and with a `send` that the test chooses. */
async function openTestStore(
  { log = noopLogger, parts = {} }: TestAppOptions,
  declared: Pick<StoreParts, 'providers' | 'options'>,
  send: Send,
): Promise<Store> {
  const database = await openTestDatabase()
  const readers = openReaders(database)
  const { providerEndpoints = PROVIDER_ENDPOINTS } = parts
  const authority = providerEndpoints.mailCertificateAuthority
  return fillStore({
    database,
    readers,
    secrets: createSecrets('a secret key for tests'),
    ...declared,
    log,
    processId: IDLE_SERVICES.processId,
    rateLimiter: createLocalRateLimiter(),
    send,
    safeFetch: createSafeFetch({ allowed: EGRESS_ALLOWED, authority }),
    providerEndpoints,
    async closeDatabase() {
      await readers.close()
      await database.close()
    },
  })
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

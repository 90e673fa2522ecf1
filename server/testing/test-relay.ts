import { join } from 'node:path'
import {
  callersOf,
  featuresOf,
  hooksOf,
  optionsOf,
  pathsOf,
  type StartedFeatures,
  startFeatures,
  stopFeatures,
} from '../compose/features.ts'
import { loadFeatures, loadFolders } from '../compose/modules.ts'
import { createSecrets, TOKEN_KEY_PURPOSE } from '../core/crypto.ts'
import { newRequestId } from '../core/ids.ts'
import { sameInBoth } from '../core/language.ts'
import { type Logger, noopLogger } from '../core/logger.ts'
import { quota } from '../core/money.ts'
import { createLocalRateLimiter } from '../core/rate-limit.ts'
import { createMetricsRegistry } from '../core/telemetry/metrics.ts'
import type { Database, OpenDatabase } from '../db/engine/database.ts'
import { openTestDatabase } from '../db/testing.ts'
import { createDialects, type Dialects } from '../dialects/dialects.ts'
import type { Feature } from '../feature.ts'
import { RELAY_TIMEOUTS, type RelayTimeouts } from '../http-client/read-response.ts'
import { createSafeFetch } from '../http-client/safe-fetch.ts'
import { connect, type Send } from '../http-client/send.ts'
import { createLab } from '../lab/open-lab.ts'
import { adjustWallet, setTokenLimit } from '../ledger/adjust.ts'
import { type Ledger, openLedger } from '../ledger/ledger.ts'
import { LEDGER_OPTIONS } from '../ledger/testing.ts'
import type { RootNotifier } from '../notifications/root-notifier.ts'
import type { PriceBook } from '../pricing/price-book.ts'
import { createRegistry } from '../providers/registry.ts'
import { FailureLimit } from '../relay/admission/admit.ts'
import { createCallerLookup } from '../relay/admission/authenticate.ts'
import { OpenCalls } from '../relay/admission/open-calls.ts'
import { ProcessorBudget } from '../relay/admission/processor-budget.ts'
import { type PipelineContext, relay } from '../relay/pipeline.ts'
import type { RelayServices } from '../relay/relay-services.ts'
import type { FormField } from '../relay/request/client-connection.ts'
import { AbandonedResponses } from '../relay/request/client-presence.ts'
import type { Tracing } from '../relay/request/trace-context.ts'
import { AccountHandles } from '../relay/routing/account-handles.ts'
import {
  type ChannelDirectory,
  type ChannelDirectoryDeps,
  loadChannelDirectory,
} from '../relay/routing/channel-directory.ts'
import { ChannelHealth } from '../relay/routing/channel-health.ts'
import { SessionAffinity } from '../relay/routing/session-affinity.ts'
import { combineObservers, type RelayObserver } from '../relay/telemetry/observer.ts'
import type { RelayOptions } from '../relay/types.ts'
import { createCredentials } from '../relay/upstream/credentials.ts'
import type { Settings } from '../settings/settings.ts'
import { IDLE_SERVICES } from './idle-services.ts'
import { receivedBody, receivedResponse } from './received-response.ts'
import { connectionFor } from './test-connection.ts'
import { testPrices } from './test-prices.ts'
import { openTestSettings, type TestValues } from './test-settings.ts'

const TEST_PRICES = testPrices({
  ModelRatio: { lab: 1 },
  CompletionRatio: { lab: 2 },
  GroupRatio: { default: 1, vip: 0.5 },
})
const SERVER = join(import.meta.dir, '..')
const DEFAULT_WALLET_QUOTA = 1_000_000

type Columns = Readonly<Record<string, string | number>>

interface TestOptions {
  readonly options?: TestValues
  /** In place of those that options make. */
  readonly prices?: PriceBook
  readonly timeouts?: Partial<RelayTimeouts>
  readonly wallet?: number
  /** By default requests go to the fault lab. */
  readonly send?: Send
  readonly log?: Logger
  readonly observer?: RelayObserver
  readonly tracing?: Tracing
}

interface TestParts {
  readonly opened: OpenDatabase
  readonly source: ChannelDirectoryDeps & { readonly ledger: Ledger }
  readonly userId: number
  readonly settings: RelayOptions
  readonly systemSettings: Settings
  readonly features: ReadonlyMap<string, Feature>
  readonly timeouts: Partial<RelayTimeouts> | undefined
  readonly dialects: Dialects
  readonly directory: ChannelDirectory
  readonly send: Send
  readonly observer: RelayObserver
  readonly tracing: Tracing | undefined
}

interface TestToken {
  readonly remain?: number
  readonly columns?: Columns
}

/** A relay on a real database with the fault lab as its upstream, for tests of the whole pipeline. */
export class TestRelay {
  readonly db: Database
  readonly engine: OpenDatabase['engine']
  readonly userId: number
  readonly context: PipelineContext
  /** The channels that were disabled, with the reasons in the notifications. */
  readonly disabled: (readonly [name: string, reason: string])[] = []
  /** The channels whose usage was rejected, with the reasons in the notifications. */
  readonly usageAlarms: (readonly [name: string, reason: string])[] = []
  private readonly source: ChannelDirectoryDeps
  private directory: ChannelDirectory
  private readonly closeDatabase: () => Promise<void>
  private readonly startFeatures: () => RelayServices & Pick<PipelineContext, 'hooks' | 'paths'>
  private readonly started: StartedFeatures[] = []

  private constructor(parts: TestParts) {
    const { opened, source, userId, settings, timeouts, dialects, directory, send, observer, tracing } = parts
    this.db = opened.db
    this.engine = opened.engine
    this.closeDatabase = opened.close
    this.userId = userId
    this.source = source
    this.directory = directory
    const rateLimiter = createLocalRateLimiter()
    const safeFetch = createSafeFetch({ allowed: ['127.0.0.1'] })
    const channels = {
      current: () => this.directory,
      refresh: async () => {
        this.directory = await loadChannelDirectory(source)
      },
    }
    this.startFeatures = () => {
      const own = { current: () => settings }
      const services: RelayServices = {
        settings: own,
        callers: createCallerLookup(source),
        accountHandles: new AccountHandles(source),
        processorBudget: new ProcessorBudget(),
        openCalls: new OpenCalls({ ...source, settings: own }),
        failureLimit: new FailureLimit({ rateLimiter, settings: own }),
        respond: (request, connection) => relay(request, connection, this.context),
      }
      const started = startFeatures(parts.features, {
        ...source,
        database: opened,
        channels,
        rateLimiter,
        send,
        safeFetch,
        metrics: createMetricsRegistry(),
        settings: parts.systemSettings,
        rootNotifier: this.recordNotices(),
        sendNotification: async () => undefined,
        ...IDLE_SERVICES,
        relay: services,
        relayContext: () => this.context,
      })
      this.started.push(started)
      const callers = callersOf(started, services.callers)
      return { ...services, callers, hooks: hooksOf(started, source.log), paths: pathsOf(started) }
    }
    this.context = {
      ...source,
      dialects,
      channels,
      refreshState: () => this.context.channels.refresh(),
      health: new ChannelHealth(),
      sessionAffinity: new SessionAffinity(),
      abandonedResponses: new AbandonedResponses(),
      send,
      connect,
      safeFetch,
      credentials: createCredentials(send),
      notifyChannelDisabled: ({ name }, reason) => this.disabled.push([name, reason.en]),
      ...this.startFeatures(),
      rateLimiter,
      observer,
      tracing,
      timeouts: { ...RELAY_TIMEOUTS, ...timeouts },
    }
  }

  static async open(options: TestOptions = {}): Promise<TestRelay> {
    const opened = await openTestDatabase()
    const [providers, dialects] = await Promise.all(
      ['providers', 'dialects'].map(folder => loadFolders(join(SERVER, folder))),
    )
    const source: TestParts['source'] = {
      db: opened.db,
      ledger: openLedger({ ...opened, log: noopLogger, processId: 'test', options: () => LEDGER_OPTIONS }),
      registry: createRegistry(providers ?? new Map()),
      secrets: createSecrets('the secret key of the tests'),
      log: options.log ?? noopLogger,
    }
    const features = featuresOf(await loadFeatures())
    const systemSettings = await openTestSettings(source, optionsOf(features), options.options)
    return new TestRelay({
      opened,
      source,
      userId: await insertCaller(opened.db, options.wallet ?? DEFAULT_WALLET_QUOTA),
      settings: { ...systemSettings.current().values, prices: options.prices ?? TEST_PRICES },
      systemSettings,
      features,
      timeouts: options.timeouts,
      dialects: createDialects(dialects ?? new Map()),
      directory: await loadChannelDirectory(source),
      send: options.send ?? sendThrough(createLab().fetch),
      observer: options.observer ?? combineObservers([]),
      tracing: options.tracing,
    })
  }

  /** Adds a token and returns its key. Without `remain` the token has no quota limit of its own. */
  async addToken({ remain, columns = {} }: TestToken = {}): Promise<string> {
    const key = newRequestId()
    const { secrets } = this.source
    const token = await this.db
      .insertInto('tokens')
      .values({
        user_id: this.userId,
        name: 'key',
        key_hash: secrets.hash(TOKEN_KEY_PURPOSE, key),
        key_sealed: secrets.encrypt(key),
        created_time: 1,
        accessed_time: 1,
        unlimited_quota: remain === undefined ? 1 : 0,
        ...columns,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    if (remain !== undefined)
      await setTokenLimit(this.db, { ...testCause(this.userId), tokenId: token.id, remain: quota(remain) })
    return key
  }

  /** Adds a channel and returns its id. By default it is an OpenAI channel with the model `lab`. */
  async addChannel(columns: Columns = {}): Promise<number> {
    const channel = await this.db
      .insertInto('channels')
      .values({
        type: 1,
        name: 'lab',
        key_hash: 'h',
        key_sealed: this.source.secrets.encrypt('lab'),
        created_time: 1,
        base_url: 'http://lab.test/lab',
        models: 'lab',
        ...columns,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    this.directory = await loadChannelDirectory(this.source)
    return channel.id
  }

  /** Encrypts a channel key in the format that the database stores. */
  encryptKey(key: string): string {
    return this.source.secrets.encrypt(key)
  }

  /** Sends a client request: GET without a body, POST otherwise. */
  request(path: string, key: string, body: unknown, headers = {}): Promise<Response> {
    if (body instanceof FormData) return this.sendForm(path, key, body)
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const request = new Request(`http://gateway.test${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...(key && { authorization: `Bearer sk-${key}` }), ...headers },
      ...(body !== undefined && { body: text }),
    })
    return relay(request, connectionFor(request, text), this.context)
  }

  private async sendForm(path: string, key: string, form: FormData): Promise<Response> {
    const headers = { authorization: `Bearer sk-${key}` }
    const request = new Request(`http://gateway.test${path}`, { method: 'POST', headers, body: form })
    const fields = await Promise.all([...form].map(toFormField))
    return relay(
      request,
      { ...connectionFor(request, ''), readForm: () => Promise.resolve(fields) },
      this.context,
    )
  }

  /** Sends any request without a body. */
  handle(request: Request): Promise<Response> {
    return relay(request, connectionFor(request, ''), this.context)
  }

  private recordNotices(): RootNotifier {
    return {
      channelDisabled: ({ name }, reason) => this.disabled.push([name, reason.en]),
      channelEnabled: () => undefined,
      notify: ({ type, values: [name = '', , first = '', second = ''] }) =>
        type.startsWith('channel_model_')
          ? this.disabled.push([`${name}: ${first}`, second])
          : this.usageAlarms.push([name, first]),
      close: () => Promise.resolve(),
    }
  }

  /** Starts the features anew, as a process that shares the database and nothing else. Those before run on. */
  switchProcess(): void {
    Object.assign(this.context, this.startFeatures())
  }

  async stopFeatures(): Promise<void> {
    await Promise.all(this.started.map(stopFeatures))
  }

  async close(): Promise<void> {
    await this.stopFeatures()
    await this.context.ledger.close()
    await this.closeDatabase()
  }
}

async function toFormField([name, value]: [string, string | File]): Promise<FormField> {
  if (typeof value === 'string') return { name, value }
  const bytes = new Uint8Array(await value.arrayBuffer())
  return { name, value: { name: value.name, mediaType: value.type, bytes } }
}

async function insertCaller(db: Database, wallet: number): Promise<number> {
  const { id } = await db
    .insertInto('users')
    .values({ username: 'caller', aff_code: 'caller', created_at: 1 })
    .returning('id')
    .executeTakeFirstOrThrow()
  await adjustWallet(db, { ...testCause(id), kind: 'gift', amount: wallet })
  return id
}

const testCause = (userId: number) => ({ userId, actorId: 0, reason: sameInBoth('test'), requestId: '' })

/** A `send` that calls a handler directly instead of opening a connection. */
export const sendThrough =
  (fetchUpstream: (request: Request) => Promise<Response>): Send =>
  async ({ url, method, headers, body }, { signal }) => {
    const call = new AbortController()
    if (signal.aborted) call.abort()
    signal.addEventListener('abort', () => call.abort())
    const request = new Request(url, {
      method: method ?? 'POST',
      headers,
      body: receivedBody(body) ?? null,
      signal: call.signal,
    })
    return receivedResponse(await fetchUpstream(request), () => call.abort())
  }

import { existsSync, rmSync } from 'node:fs'
import { login } from '#contract/accounts/session.ts'
import type { AnyEndpoint, DataOf } from '#contract/endpoint.ts'
import { createToken } from '#contract/entities/token.ts'
import { createChannels } from '#features/channels/contract/channel-endpoints.ts'
import { createRedemptions, redeem } from '#features/redemption-codes/contract.ts'
import { createUser } from '#features/users/contract.ts'
import { loadModules } from '#server/compose/modules.ts'
import { composeApp } from '#server/compose-app.ts'
import { type Config, readConfig } from '#server/config/config.ts'
import { setClock } from '#server/core/clock.ts'
import { createLogger } from '#server/core/logger.ts'
import { UNITS_PER_DOLLAR } from '#server/core/money.ts'
import { webSocketHandler } from '#server/http/websockets.ts'
import { serveLab } from '#server/lab/open-lab.ts'
import type { SocketListener } from '#server/relay/request/client-connection.ts'
import packageJson from '../package.json'

const DAYS = 30
const REQUESTS_PER_DAY = 120
const DAY_MS = 24 * 3600 * 1000
/** Requests that are sent at once and share one simulated time. */
const BATCH_SIZE = 10
/** Long enough for the gateway to poll the tasks until they finish. */
const TASKS_WAIT_MS = 3000

/** `path` is added to the lab's base URL. */
const CHANNELS = [
  {
    type: 1,
    name: 'Lab OpenAI',
    priority: 10,
    weight: 70,
    path: '',
    models: 'gpt-4o-mini,gpt-4o,o3-mini,text-embedding-3-small',
  },
  {
    type: 1,
    name: 'Lab OpenAI, unreliable',
    priority: 10,
    weight: 5,
    path: '/fault/status-500',
    models: 'gpt-4o-mini,gpt-4o',
  },
  {
    type: 14,
    name: 'Lab Anthropic',
    priority: 10,
    weight: 50,
    path: '',
    models: 'claude-sonnet-4-5-20250929,claude-3-5-haiku-20241022',
  },
  {
    type: 24,
    name: 'Lab Gemini',
    priority: 10,
    weight: 50,
    path: '',
    models: 'gemini-2.5-flash,gemini-2.5-pro',
  },
  { type: 5, name: 'Lab Midjourney', priority: 0, weight: 0, path: '', models: 'mj_imagine' },
  { type: 36, name: 'Lab Suno', priority: 0, weight: 0, path: '', models: 'suno_music,suno_lyrics' },
] as const

/** `share` is the percentage of all requests. */
const USERS = [
  { username: 'anna', dollars: 50, share: 50 },
  { username: 'bob', dollars: 20, share: 30 },
  { username: 'chen', dollars: 10, share: 20 },
] as const
const USER_PASSWORD = 'tollgate-dev'

/** Models with their percentage of all requests. */
const MODELS = [
  ['gpt-4o-mini', 40],
  ['claude-sonnet-4-5-20250929', 20],
  ['gpt-4o', 12],
  ['gemini-2.5-flash', 12],
  ['claude-3-5-haiku-20241022', 8],
  ['gemini-2.5-pro', 5],
  ['o3-mini', 3],
] as const
const STREAM_SHARE = 0.7

const PROMPTS = [
  'Summarise this release note in two sentences.',
  'Write a haiku about a queue that never empties.',
  'Explain the difference between a hold and a charge.',
  '把这段话翻译成英文：今天的天气很好。',
  'Name three rivers that cross a border.',
]
/** Scenarios of the fault lab that some prompts request, for failures and unusual responses in the log. */
const SCENARIOS = ['tokens-120', 'tokens-400', 'reasoning-60', 'cached', 'status-429', 'cut-5']
const SCENARIO_SHARE = 0.25
const TASK_PROMPTS = [
  'a lighthouse in the fog',
  'a tollgate on a mountain road',
  'two foxes reading [lab: task-fail]',
]

/**
 * Fills a new development database with data for every screen: channels to the fault lab, users with quota, tokens,
 * redemption codes, tasks, and a month of requests. The requests are real: the gateway relays them to the lab and charges
 * them, under a simulated clock that runs through the month. Does nothing when the database exists.
 */
async function main(): Promise<void> {
  const config = readConfig()
  if (config.databaseUrl.startsWith('postgres') || existsSync(config.databaseUrl)) return
  try {
    await fill(config)
  } catch (error) {
    // The next start would take a half-filled database for a complete one.
    for (const suffix of ['', '-wal', '-shm']) rmSync(config.databaseUrl + suffix, { force: true })
    throw error
  }
}

async function fill(config: Config): Promise<void> {
  process.stdout.write('Filling a new development database with a month of requests…\n')
  const clock = simulateClock(Date.now() - (DAYS + 1) * DAY_MS)
  // Uses the port of the development gateway, so that the channels later lead to the lab that it serves at /lab.
  const lab = serveLab({ port: config.port })
  const gateway = await openGateway(config)
  const root = await signIn(gateway.url, 'root', config.rootPassword ?? '')
  await addChannels(gateway.url, `${lab.url}/lab`, root)
  const tokens = await addUsers(gateway.url, root)
  await relayMonth(gateway.url, tokens, clock.set)
  clock.restore()
  await submitTasks(gateway.url, tokens[0]?.key ?? '')
  await Bun.sleep(TASKS_WAIT_MS)
  await gateway.close()
  await lab.stop()
}

/** Replaces the gateway's clock with one that shows the time of the latest `set`. */
function simulateClock(startMs: number) {
  let now = startMs
  const restore = setClock({ nowMs: () => now, elapsedMs: () => performance.now() })
  return {
    set(ms: number) {
      now = ms
    },
    restore,
  }
}

async function openGateway(config: Config) {
  const composed = await composeApp({
    config,
    modules: await loadModules(),
    consoleFiles: new Map(),
    docsFolder: '',
    version: packageJson.version,
    log: createLogger({ level: 'error', isPretty: true, write: line => process.stderr.write(line) }),
    finalizeResponse: response => response,
  })
  const server = Bun.serve<SocketListener>({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: (incoming, listener) => composed.app.fetch(incoming, listener),
    websocket: webSocketHandler,
  })
  return {
    url: server.url.origin,
    async close() {
      await server.stop(true)
      await composed.close()
    },
  }
}

interface Session {
  readonly cookie: string
  readonly userId: number
}

async function signIn(url: string, username: string, password: string): Promise<Session> {
  const response = await post(url, login.path, { username, password })
  const { data, message } = await response.json()
  if (!data) throw new Error(`${username} cannot sign in: ${message}`)
  const cookie = response.headers
    .getSetCookie()
    .map(line => line.split(';')[0])
    .join('; ')
  return { cookie, userId: data.id }
}

/** Calls a POST endpoint of the management API. Throws the message of an error response. */
async function call<E extends AnyEndpoint>(
  url: string,
  endpoint: E,
  body: unknown,
  session?: Session,
): Promise<DataOf<E>> {
  const response = await post(url, endpoint.path, body, session)
  const { success, message, data } = await response.json()
  if (!success) throw new Error(`${endpoint.method} ${endpoint.path}: ${message}`)
  return endpoint.reply.parse(data)
}

const post = (url: string, path: string, body: unknown, session?: Session): Promise<Response> =>
  fetch(url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(session && { cookie: session.cookie, 'new-api-user': String(session.userId) }),
    },
    body: JSON.stringify(body),
  })

async function addChannels(url: string, labUrl: string, root: Session): Promise<void> {
  for (const { path, ...channel } of CHANNELS)
    await call(
      url,
      createChannels,
      { ...channel, key: 'lab', base_url: labUrl + path, group: 'default' },
      root,
    )
}

interface UserToken {
  readonly key: string
  readonly share: number
}

/** Creates the users with one token each. Their quota comes from redemption codes. */
async function addUsers(url: string, root: Session): Promise<readonly UserToken[]> {
  const tokens: UserToken[] = []
  for (const { username, dollars, share } of USERS) {
    await call(url, createUser, { username, password: USER_PASSWORD, display_name: '' }, root)
    const session = await signIn(url, username, USER_PASSWORD)
    const redemption = { name: `Welcome ${username}`, quota: dollars * UNITS_PER_DOLLAR, count: 1 }
    const [code = ''] = await call(url, createRedemptions, redemption, root)
    await call(url, redeem, { key: code }, session)
    const { key } = await call(url, createToken, { name: 'laptop', unlimited_quota: true }, session)
    tokens.push({ key, share })
  }
  const campaign = { name: 'Spring campaign', quota: 5 * UNITS_PER_DOLLAR, count: 8 }
  await call(url, createRedemptions, campaign, root)
  return tokens
}

async function relayMonth(
  url: string,
  tokens: readonly UserToken[],
  setTime: (ms: number) => void,
): Promise<void> {
  const weightedKeys = tokens.map(({ key, share }) => [key, share] as const)
  const endMs = Date.now()
  for (let daysAgo = DAYS; daysAgo > 0; daysAgo -= 1) {
    const dayMs = endMs - daysAgo * DAY_MS
    const count = countRequests(daysAgo, new Date(dayMs))
    for (let sent = 0; sent < count; sent += BATCH_SIZE) {
      setTime(dayMs + (sent / count) * DAY_MS)
      const keys = Array.from({ length: BATCH_SIZE }, () => pickWeighted(weightedKeys))
      await Promise.all(keys.map(key => relayChat(url, key)))
    }
  }
}

/** Traffic grows over the month and drops on weekends. */
function countRequests(daysAgo: number, date: Date): number {
  const isWeekend = date.getDay() % 6 === 0
  return Math.round(REQUESTS_PER_DAY * (1.2 - daysAgo / (2 * DAYS)) * (isWeekend ? 0.4 : 1))
}

async function relayChat(url: string, key: string): Promise<void> {
  const scenario = random() < SCENARIO_SHARE ? ` [lab: ${pick(SCENARIOS)}]` : ''
  const content = pick(PROMPTS) + scenario
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: relayHeaders(key),
    body: JSON.stringify({
      model: pickWeighted(MODELS),
      stream: random() < STREAM_SHARE,
      messages: [{ role: 'user', content }],
    }),
  })
  // A scenario may break off the response. Only the log row matters here.
  await response.text().catch(() => undefined)
}

async function submitTasks(url: string, key: string): Promise<void> {
  const headers = relayHeaders(key)
  for (const prompt of TASK_PROMPTS) {
    await fetch(`${url}/mj/submit/imagine`, { method: 'POST', headers, body: JSON.stringify({ prompt }) })
    const song = JSON.stringify({ gpt_description_prompt: `a song about ${prompt}` })
    await fetch(`${url}/suno/submit/music`, { method: 'POST', headers, body: song })
  }
}

const relayHeaders = (key: string) => ({
  authorization: `Bearer sk-${key}`,
  'content-type': 'application/json',
})

/** Seeded, so that every machine gets the same data. Source: Numerical Recipes, linear congruential generator. */
let randomState = 20_261_125
function random(): number {
  randomState = (randomState * 1_664_525 + 1_013_904_223) % 2 ** 32
  return randomState / 2 ** 32
}

const pick = <T>(values: readonly T[]): T => pickWeighted(values.map(value => [value, 1] as const))

function pickWeighted<T>(weighted: readonly (readonly [T, number])[]): T {
  const total = weighted.reduce((sum, [, weight]) => sum + weight, 0)
  let remaining = random() * total
  for (const [value, weight] of weighted) {
    remaining -= weight
    if (remaining < 0) return value
  }
  throw new Error('the list to pick from is empty')
}

await main()
process.exit(0)

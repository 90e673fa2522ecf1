import { existsSync } from 'node:fs'
import { login } from '#contract/accounts/session.ts'
import { createUser } from '#contract/accounts/user-management.ts'
import { createRedemptions, redeem } from '#contract/billing/redemptions.ts'
import { createChannels } from '#contract/channels/channel-endpoints.ts'
import type { AnyEndpoint, DataOf } from '#contract/endpoint.ts'
import { createToken } from '#contract/tokens.ts'
import packageJson from '../package.json'
import { loadModules } from '../server/compose/modules.ts'
import { composeApp } from '../server/compose-app.ts'
import { readConfig } from '../server/config/config.ts'
import { setClock } from '../server/core/clock.ts'
import { createLogger } from '../server/core/logger.ts'
import { webSocketHandler } from '../server/http/websockets.ts'
import { serveLab } from '../server/lab/open-lab.ts'
import type { SocketListener } from '../server/relay/request/client-connection.ts'

/**
 * Fills a new development database with something to look at on every screen: channels that lead to the fault lab,
 * users with money, tokens, redemption codes and a month of requests. The requests are real: they are relayed to the lab and
 * charged by the ledger, under a clock that runs through the month. Does nothing when the database exists.
 */
const DAYS = 30
const REQUESTS_PER_DAY = 120
const DAY_MS = 24 * 3600 * 1000
/** Requests that are sent at once; they share one simulated moment. */
const BATCH = 10
const TASKS_WAIT_MS = 3000
const DOLLAR = 500_000

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

/** Models with how often they are asked for. */
const MODELS = [
  ['gpt-4o-mini', 40],
  ['claude-sonnet-4-5-20250929', 20],
  ['gpt-4o', 12],
  ['gemini-2.5-flash', 12],
  ['claude-3-5-haiku-20241022', 8],
  ['gemini-2.5-pro', 5],
  ['o3-mini', 3],
] as const

const USERS = [
  { username: 'anna', dollars: 50, share: 50 },
  { username: 'bob', dollars: 20, share: 30 },
  { username: 'chen', dollars: 10, share: 20 },
] as const
const USER_PASSWORD = 'tollgate-dev'

const PROMPTS = [
  'Summarise this release note in two sentences.',
  'Write a haiku about a queue that never empties.',
  'Explain the difference between a hold and a charge.',
  '把这段话翻译成英文：今天的天气很好。',
  'Name three rivers that cross a border.',
]
/** Scenarios of the lab that a prompt can ask for, for failures and unusual responses in the log. */
const SCENARIOS = ['tokens-120', 'tokens-400', 'reasoning-60', 'cached', 'status-429', 'cut-5']

/** Repeatable: the same data on every machine. Numerical Recipes' linear congruential generator. */
let randomState = 20_261_125
function random(): number {
  randomState = (randomState * 1_664_525 + 1_013_904_223) % 2 ** 32
  return randomState / 2 ** 32
}

/** A value, chosen by weight. */
function pick<T>(weighted: readonly (readonly [T, number])[]): T {
  const total = weighted.reduce((sum, [, weight]) => sum + weight, 0)
  let remaining = random() * total
  for (const [value, weight] of weighted) {
    remaining -= weight
    if (remaining < 0) return value
  }
  throw new Error('there is nothing to choose from')
}

interface Session {
  readonly cookie: string
  readonly userId: number
}

/** Calls the management API as the console does. Throws the message of an error. */
async function call<E extends AnyEndpoint>(
  url: string,
  endpoint: E,
  body: unknown,
  session?: Session,
): Promise<DataOf<E>> {
  const response = await request(url, endpoint.path, body, session)
  const { success, message, data } = await response.json()
  if (!success) throw new Error(`${endpoint.method} ${endpoint.path}: ${message}`)
  return endpoint.reply.parse(data)
}

const request = (url: string, path: string, body: unknown, session?: Session): Promise<Response> =>
  fetch(url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(session && { cookie: session.cookie, 'new-api-user': String(session.userId) }),
    },
    body: JSON.stringify(body),
  })

async function signIn(url: string, username: string, password: string): Promise<Session> {
  const response = await request(url, login.path, { username, password })
  const { data, message } = await response.json()
  if (!data) throw new Error(`${username} cannot sign in: ${message}`)
  const cookie = response.headers
    .getSetCookie()
    .map(line => line.split(';')[0])
    .join('; ')
  return { cookie, userId: data.id }
}

async function addChannels(url: string, labUrl: string, root: Session): Promise<void> {
  for (const { path, ...channel } of CHANNELS)
    await call(
      url,
      createChannels,
      { ...channel, key: 'lab', base_url: labUrl + path, group: 'default' },
      root,
    )
}

/** Creates the users, pays their money in by redemption codes, and gives each a token. */
async function addUsers(url: string, root: Session): Promise<readonly { key: string; share: number }[]> {
  const users = USERS.map(async ({ username, dollars, share }) => {
    await call(url, createUser, { username, password: USER_PASSWORD, display_name: '' }, root)
    const session = await signIn(url, username, USER_PASSWORD)
    const quota = dollars * DOLLAR
    const [code = ''] = await call(
      url,
      createRedemptions,
      { name: `Welcome ${username}`, quota, count: 1 },
      root,
    )
    await call(url, redeem, { key: code }, session)
    const { key } = await call(url, createToken, { name: 'laptop', unlimited_quota: true }, session)
    return { key, share }
  })
  await call(url, createRedemptions, { name: 'Spring campaign', quota: 5 * DOLLAR, count: 8 }, root)
  return Promise.all(users)
}

async function relayChat(url: string, key: string): Promise<void> {
  const scenario = random() < 0.25 ? ` [lab: ${SCENARIOS[Math.floor(random() * SCENARIOS.length)]}]` : ''
  const prompt = PROMPTS[Math.floor(random() * PROMPTS.length)]
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: pick(MODELS),
      stream: random() < 0.7,
      messages: [{ role: 'user', content: prompt + scenario }],
    }),
  })
  // A scenario may break the response off; the log row is what counts.
  await response.text().catch(() => undefined)
}

async function submitTasks(url: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' }
  const prompts = [
    'a lighthouse in the fog',
    'a tollgate on a mountain road',
    'two foxes reading [lab: task-fail]',
  ]
  for (const prompt of prompts) {
    await fetch(`${url}/mj/submit/imagine`, { method: 'POST', headers, body: JSON.stringify({ prompt }) })
    const song = JSON.stringify({ gpt_description_prompt: `a song about ${prompt}` })
    await fetch(`${url}/suno/submit/music`, { method: 'POST', headers, body: song })
  }
}

/** A clock that shows the moment that `set` was last called with. */
function simulateClock() {
  let now = Date.now()
  const restore = setClock({ nowMs: () => now, elapsedMs: () => performance.now() })
  return {
    set(ms: number) {
      now = ms
    },
    restore,
  }
}

async function relayMonth(
  url: string,
  tokens: readonly { key: string; share: number }[],
  set: (ms: number) => void,
): Promise<void> {
  const end = Date.now()
  for (let day = DAYS; day > 0; day -= 1) {
    // A growing business with quiet weekends.
    const isWeekend = new Date(end - day * DAY_MS).getDay() % 6 === 0
    const requests = Math.round(REQUESTS_PER_DAY * (1.2 - day / (2 * DAYS)) * (isWeekend ? 0.4 : 1))
    for (let sent = 0; sent < requests; sent += BATCH) {
      set(end - day * DAY_MS + (sent / requests) * DAY_MS)
      const keys = Array.from({ length: BATCH }, () => pick(tokens.map(token => [token.key, token.share])))
      await Promise.all(keys.map(key => relayChat(url, key)))
    }
  }
}

async function main(): Promise<void> {
  const config = readConfig()
  if (config.databaseUrl.startsWith('postgres') || existsSync(config.databaseUrl)) return
  process.stdout.write('Filling a new development database with a month of requests…\n')
  const clock = simulateClock()
  clock.set(Date.now() - (DAYS + 1) * DAY_MS)
  const lab = serveLab({ port: config.port })
  const composed = await composeApp({
    config,
    modules: await loadModules(),
    consoleFiles: new Map(),
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
  const url = server.url.origin
  const root = await signIn(url, 'root', config.rootPassword ?? '')
  await addChannels(url, `${lab.url}/lab`, root)
  const tokens = await addUsers(url, root)
  await relayMonth(url, tokens, clock.set)
  clock.restore()
  await submitTasks(url, tokens[0]?.key ?? '')
  await Bun.sleep(TASKS_WAIT_MS)
  await server.stop(true)
  await composed.close()
  await lab.stop()
}

await main()
process.exit(0)

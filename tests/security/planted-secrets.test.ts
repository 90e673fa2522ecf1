import { afterAll, beforeAll, expect, test } from 'bun:test'
import { TOTP } from 'otpauth'
import type { AnyEndpoint } from '#contract/endpoint.ts'
import { resetAccessToken } from '#contract/entities/user.ts'
import { updateSetting } from '#features/account/contract.ts'
import { listChannels } from '#features/channels/contract/channel-endpoints.ts'
import { createRedemptions } from '#features/redemption-codes/contract.ts'
import { confirmTotp, startTotp } from '#features/second-factor/contract.ts'
import { type LocalServer, openLocalServer } from '#server/testing/local-server.ts'
import { loadRoutes } from '#server/testing/open-test-app.ts'
import { addUser } from '../harness/add-user.ts'
import type { AdminClient } from '../harness/api-client.ts'
import { callChat } from '../harness/call-chat.ts'
import { inDatabase } from '../harness/in-database.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { setOptions } from '../harness/set-options.ts'
import { type Site, startSite } from '../harness/start-site.ts'
import { waitUntil } from '../harness/wait-until.ts'

const MODEL = 'asked'
const UPSTREAM_HOST = 'planted-upstream-host.invalid'
const OPTION_SECRETS = {
  SMTPToken: 'planted-smtp-token',
  EpayKey: 'planted-epay-key',
  GitHubClientSecret: 'planted-github-secret',
  LinuxDOClientSecret: 'planted-linuxdo-secret',
  WeChatServerToken: 'planted-wechat-token',
  TelegramBotToken: 'planted-telegram-token',
  TurnstileSecretKey: 'planted-turnstile-key',
  WorkerValidKey: 'planted-worker-key',
}
const MASTER_KEY = 'planted-master-key-of-32-letters!'
const CHANNEL_KEYS = ['planted-good-channel-key', 'planted-lost-channel-key', 'planted-dead-channel-key']
const WEBHOOK_ADDRESS = 'https://hook.example/planted-webhook-address'
const WEBHOOK_SECRET = 'planted-webhook-secret'
const COLLECTOR_TOKEN = 'planted-collector-token'
const TRACES_PATH = '/v1/traces'
const DELIVERY_TIMEOUT_MS = 90_000

type Who = 'visitor' | 'anna' | 'bert' | 'admin' | 'root'

interface Secret {
  readonly name: string
  readonly text: string
  /** Where the specification allows the secret to be shown. */
  readonly mayBeVisible?: (who: Who, path: string) => boolean
}

let site: Site
let collector: LocalServer
let people: Readonly<Record<Who, AdminClient | undefined>>
let keys: { readonly anna: string; readonly root: string }
let secrets: readonly Secret[]
const leaks: string[] = []

beforeAll(async () => {
  collector = openLocalServer()
  collector.handlers[TRACES_PATH] = () => Response.json({})
  site = await startSite({
    environment: {
      LOG_LEVEL: 'debug',
      SECRET_KEY: MASTER_KEY,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=${COLLECTOR_TOKEN}`,
    },
  })
  const { gateway, root } = site
  const [anna, bert, admin] = await Promise.all(
    ['anna', 'bert', 'admin'].map(username => addUser(gateway, { username, wallet: 1_000_000 })),
  )
  if (!anna || !bert || !admin) throw new Error('three users are needed')
  await inDatabase(gateway, db =>
    db.updateTable('users').set({ role: 10 }).where('id', '=', admin.userId).execute(),
  )
  people = { visitor: undefined, anna, bert, admin, root }
  keys = { anna: (await addToken(anna)).key, root: (await addToken(root)).key }
  secrets = await plant(people)
})
afterAll(async () => {
  await site?.stop()
  await collector?.close()
})

async function plant({ anna, admin, root }: typeof people): Promise<readonly Secret[]> {
  if (!anna || !admin || !root) throw new Error('nobody to plant for')
  await setOptions(root, {
    ...OPTION_SECRETS,
    ModelRatio: Object.fromEntries([MODEL, 'lost', 'dead'].map(model => [model, 1])),
    RetryTimes: 1,
  })
  const [good, lost, killed] = CHANNEL_KEYS
  await addLabChannel(root, site.lab, { provider: 'openai', models: [MODEL], draft: { key: good } })
  const away = { key: lost, base_url: `http://${UPSTREAM_HOST}:9` }
  await addLabChannel(root, site.lab, { provider: 'openai', models: ['lost'], draft: away })
  const scenario = 'dead-key'
  await addLabChannel(root, site.lab, {
    provider: 'openai',
    models: ['dead'],
    scenario,
    draft: { key: killed },
  })
  await anna.call(updateSetting, {
    body: {
      notify_type: 'webhook',
      quota_warning_threshold: 1,
      webhook_url: WEBHOOK_ADDRESS,
      webhook_secret: WEBHOOK_SECRET,
    },
  })
  const codes = await root.call(createRedemptions, { body: { name: 'code', quota: 1, count: 2 } })
  const accessTokens = await Promise.all([anna, admin, root].map(client => client.call(resetAccessToken)))
  const { secret } = await anna.call(startTotp, { body: { name: 'Phone' } })
  const code = new TOTP({ secret }).generate()
  const { recovery_codes } = await anna.call(confirmTotp, { body: { code } })
  const isStaff = (who: Who) => who === 'admin' || who === 'root'
  const isToken = (path: string) => path.startsWith('/api/token')
  return [
    ...Object.entries(OPTION_SECRETS).map(([name, text]) => ({ name, text })),
    ...CHANNEL_KEYS.map(text => ({ name: 'channel key', text })),
    ...accessTokens.map(text => ({ name: 'access token', text })),
    ...[anna, admin, root].map(({ cookie }) => ({ name: 'session', text: cookie.replace('session=', '') })),
    { name: 'secret of an authenticator app', text: secret },
    ...recovery_codes.map(text => ({ name: 'recovery code', text })),
    ...codes.map(text => ({
      name: 'redemption code',
      text,
      mayBeVisible: (who: Who, path: string) => isStaff(who) && path.startsWith('/api/redemption'),
    })),
    { name: 'webhook secret', text: WEBHOOK_SECRET },
    {
      name: 'webhook address',
      text: WEBHOOK_ADDRESS,
      mayBeVisible: (who, path) => who === 'anna' && path.startsWith('/api/user'),
    },
    { name: 'master key', text: MASTER_KEY },
    { name: "collector's token", text: COLLECTOR_TOKEN },
    { name: "anna's key", text: keys.anna, mayBeVisible: (who, path) => who === 'anna' && isToken(path) },
    { name: "root's key", text: keys.root, mayBeVisible: (who, path) => who === 'root' && isToken(path) },
    {
      name: 'address of the upstream',
      text: UPSTREAM_HOST,
      mayBeVisible: (who, path) =>
        isStaff(who) && (path.startsWith('/api/channel') || path.startsWith('/api/audit')),
    },
    ...(await storedSecrets()),
  ]
}

type FactorTables = {
  second_factors: { readonly secret_sealed: string }
  recovery_codes: { readonly code_hash: string }
}

/** Hashes and encrypted texts as stored in the database. */
function storedSecrets(): Promise<readonly Secret[]> {
  return inDatabase(site.gateway, async db => {
    const factors = db.withTables<FactorTables>()
    const rows = await Promise.all([
      db.selectFrom('users').select(['password_hash', 'access_token_hash']).execute(),
      db.selectFrom('tokens').select(['key_hash', 'key_sealed']).execute(),
      db.selectFrom('channels').select(['key_hash', 'key_sealed']).execute(),
      db.selectFrom('redemptions').select(['key_hash', 'key_sealed']).execute(),
      db.selectFrom('sessions').select('id_hash').execute(),
      factors.selectFrom('second_factors').select('secret_sealed').execute(),
      factors.selectFrom('recovery_codes').select('code_hash').execute(),
    ])
    return rows
      .flat()
      .flatMap(row =>
        Object.entries(row).flatMap(([name, text]) => (text ? [{ name: `stored ${name}`, text }] : [])),
      )
  })
}

/** Records every secret in a response that this caller must not see. */
async function look(who: Who, path: string, response: Response): Promise<void> {
  const headers = [...response.headers].map(pair => pair.join(': ')).join('\n')
  const visible = `${headers}\n${await response.text()}`
  for (const { name, text, mayBeVisible } of secrets)
    if (visible.includes(text) && !mayBeVisible?.(who, path)) leaks.push(`${who} ${path}: ${name}`)
}

const ask = (who: Who, path: string, init: RequestInit = {}): Promise<Response> => {
  const client = people[who]
  const identity = client && { cookie: client.cookie, 'new-api-user': String(client.userId) }
  return fetch(`${site.gateway.url}${path}`, {
    ...init,
    redirect: 'manual',
    headers: { ...identity, 'content-type': 'application/json', ...init.headers },
  })
}

const endpoints: readonly AnyEndpoint[] = (await loadRoutes()).map(route => route.endpoint)
/** These end the session or a key, or delete the data of the walk, so they run last. */
const isLast = ({ method, path }: AnyEndpoint) =>
  method === 'DELETE' || path === '/api/user/logout' || /\/(batch|rotate)$/.test(path)
const EVERYBODY: readonly Who[] = ['visitor', 'bert', 'anna', 'admin', 'root']
const BODIES = ['{}', '[]', '{"id":1}', '{"id":"x","ids":[1],"key":1}', '{']

async function walk(endpoint: AnyEndpoint): Promise<void> {
  const paths = endpoint.path.includes(':')
    ? ['1', '2', '3', 'x'].map(id => endpoint.path.replace(/:\w+/, id))
    : [endpoint.path]
  const bodies = endpoint.method === 'GET' ? [undefined] : BODIES
  for (const who of EVERYBODY)
    for (const path of paths)
      for (const body of bodies)
        await look(who, path, await ask(who, path, { method: endpoint.method, ...(body && { body }) }))
}

test('no management API call shows a secret to a role that the specification does not name', async () => {
  for (const endpoint of endpoints.filter(call => !isLast(call))) await walk(endpoint)
  expect(leaks).toEqual([])
})

test('the walk finds the secrets that may be shown, so it would find the others', async () => {
  const list = await (await ask('anna', '/api/token/')).text()
  expect(list).toContain(keys.anna)
  expect(await (await ask('admin', '/api/redemption/')).text()).toMatch(/"key":"[0-9a-f]{32}"/)
  expect((await site.root.call(listChannels)).map(({ base_url }) => base_url)).toContain(
    `http://${UPSTREAM_HOST}:9`,
  )
})

test('no relay response and no relay error contains a secret', async () => {
  const messages = [{ role: 'user', content: 'hello' }]
  const statuses = new Set<number>()
  for (const key of [keys.anna, 'nobody-has-this-key'])
    for (const model of [MODEL, 'lost', 'dead', 'unknown'])
      for (const stream of [false, true]) {
        const body = { model, messages, stream }
        const { status, text } = await callChat({ url: site.gateway.url, key, body })
        statuses.add(status)
        await look('anna', '/v1/chat/completions', new Response(text))
      }
  for (const path of ['/v1/models', '/v1/models/asked', '/dashboard/billing/usage', '/v1/nothing'])
    await look(
      'anna',
      path,
      await ask('anna', path, { headers: { authorization: `Bearer sk-${keys.anna}` } }),
    )
  expect(leaks).toEqual([])
})

test('neither metrics, nor the API description, nor pages contain a secret', async () => {
  for (const who of EVERYBODY)
    for (const path of ['/metrics', '/healthz', '/readyz', '/api/openapi.json', '/api/docs', '/', '/log'])
      await look(who, path, await ask(who, path))
  expect(leaks).toEqual([])
})

test('calls that delete or sign out return no secret', async () => {
  for (const endpoint of endpoints.filter(isLast)) await walk(endpoint)
  expect(leaks).toEqual([])
})

test('the stored settings of users contain no readable address or secret of a webhook', async () => {
  const settings = await inDatabase(site.gateway, db => db.selectFrom('users').select('setting').execute())
  const text = settings.map(({ setting }) => setting).join('\n')
  expect(text).toContain('webhook_url')
  for (const secret of [WEBHOOK_ADDRESS, WEBHOOK_SECRET]) expect(text).not.toContain(secret)
})

test('no log line contains a secret', () => {
  const output = site.gateway.output()
  expect(output).toContain('"level"')
  expect(secrets.filter(({ text }) => output.includes(text)).map(({ name }) => name)).toEqual([])
})

test('no trace of a served, failed or rejected request contains a secret', async () => {
  const text = () => collector.requests.map(({ body }) => body).join('\n')
  const names = [`"chat ${MODEL}"`, '"chat dead"', '"chat lost"', '"refused"']
  await waitUntil({ description: 'traces', timeoutMs: DELIVERY_TIMEOUT_MS }, async () =>
    names.every(name => text().includes(name)),
  )
  expect(secrets.filter(secret => text().includes(secret.text)).map(({ name }) => name)).toEqual([])
  expect(collector.requests[0]?.headers.get('authorization')).toBe(COLLECTOR_TOKEN)
})

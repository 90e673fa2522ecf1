import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createToken } from '#contract/entities/token.ts'
import { getSelf, resetAccessTokenByPost } from '#contract/entities/user.ts'
import { createAccessToken } from '#features/access-tokens/contract.ts'
import { approveDeviceSignIn } from '#features/device-sign-in/contract.ts'
import { createOpenIdProvider, createScimToken } from '#features/oauth/contract/openid.ts'
import {
  CLIENT_ID,
  openScriptedProvider,
  PERSON,
  type ScriptedProvider,
} from '#features/oauth/server/testing/scripted-provider.ts'
import { sameInBoth } from '#server/core/language.ts'
import { adjustWallet } from '#server/ledger/adjust.ts'
import { type AdminClient, resume, signIn } from '../harness/api-client.ts'
import { openChat } from '../harness/call-chat.ts'
import { inDatabase } from '../harness/in-database.ts'
import { type LocalIssuer, openLocalIssuer } from '../harness/local-issuer.ts'
import { openPostgres, type PostgresDatabase } from '../harness/open-postgres.ts'
import { setOptions } from '../harness/set-options.ts'
import { type RunningGateway, startGateway } from '../harness/start-gateway.ts'
import { createFaultSetup, type FaultSetup, LAB, PRICE } from './fault-setup.ts'

const USERNAME = 'Ann'
const PASSWORD = 'user-of-the-test'
const WALLET = 1_000_000
const END_MS_MAX = 60_000
/** Goes on for minutes unless it is ended. */
const LONG_STREAM = 'pace-200+tokens-2000'
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

let database: PostgresDatabase
let provider: ScriptedProvider
let issuer: LocalIssuer
let stage: FaultSetup
let other: RunningGateway

beforeAll(async () => {
  database = await openPostgres()
  const environment = {
    DATABASE_URL: database.url,
    SECRET_KEY: 'the secret key of two gateways',
    WORKERS: '1',
  }
  ;[provider, issuer, stage] = await Promise.all([
    openScriptedProvider(),
    openLocalIssuer(),
    createFaultSetup({ environment }),
  ])
  other = await startGateway({ environment })
})
afterAll(async () => {
  await other?.stop()
  await stage?.stop()
  await provider?.close()
  await issuer?.close()
  await database?.stop()
})

/** Calls SCIM as the identity provider does. */
async function scim(token: string, method: string, path: string, body?: object) {
  const response = await fetch(`${stage.site.gateway.url}/scim/v2/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
}

/** An account that SCIM created, which has a password and a balance besides. */
async function addPerson() {
  const { root, gateway } = stage.site
  await setOptions(root, {
    ServerAddress: gateway.url,
    DeviceSignInEnabled: true,
  })
  await root.call(createOpenIdProvider, {
    body: {
      slug: 'company',
      name: 'Company',
      issuer: provider.url,
      client_id: CLIENT_ID,
      client_secret: 'secret',
      is_enabled: true,
      provisioning: 'nobody',
      rules: [],
    },
  })
  const { token } = await root.call(createScimToken, { params: { slug: 'company' } })
  const { status, body } = await scim(token, 'POST', 'Users', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: `${USERNAME}@example.com`,
    externalId: PERSON.sub,
    active: true,
  })
  expect(status).toBe(201)
  const password_hash = await Bun.password.hash(PASSWORD)
  await inDatabase(gateway, db =>
    db.transaction().execute(async tx => {
      const { id } = await tx
        .updateTable('users')
        .set({ password_hash })
        .where('username', '=', USERNAME)
        .returning('id')
        .executeTakeFirstOrThrow()
      const cause = { actorId: 0, reason: sameInBoth('test'), requestId: '' }
      await adjustWallet(tx, { userId: id, amount: WALLET, kind: 'gift', ...cause })
    }),
  )
  return { remove: () => scim(token, 'DELETE', `Users/${body.id}`) }
}

const post = async (path: string, form: Record<string, string>) =>
  (await fetch(`${other.url}${path}`, { method: 'POST', body: new URLSearchParams(form) })).json() as Promise<
    Record<string, string>
  >

async function signInDevice(ann: AdminClient) {
  const { device_code = '', user_code } = await post('/oauth/device_authorization', {})
  await ann.call(approveDeviceSignIn, { body: { user_code, name: 'a program', group: '' } })
  return post('/oauth/token', { grant_type: GRANT, device_code })
}

/** A workload whose identity token stands for a token of the user. */
async function admitWorkload(token: number): Promise<string> {
  const workload = { sub: 'job:deploy', aud: 'tollgate' }
  const rule = { issuer: issuer.url, audience: workload.aud, claims: { sub: workload.sub }, token }
  await setOptions(stage.site.root, { WorkloadIdentityRules: JSON.stringify([rule]) })
  return issuer.sign(workload)
}

const models = (key: string) =>
  fetch(`${other.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })

test('a user whom SCIM removes loses stream, session, keys and tokens in another process', async () => {
  const person = await addPerson()
  const ann = resume(
    other.url,
    await signIn(stage.site.gateway.url, { username: USERNAME, password: PASSWORD }),
  )
  const { key, id } = await ann.call(createToken, { body: { name: 'key', unlimited_quota: true } })
  const device = await signInDevice(ann)
  const identity = await admitWorkload(id)
  const accessToken = await ann.call(resetAccessTokenByPost)
  const { token: namedToken } = await ann.call(createAccessToken, {
    body: { name: 'ci', scopes: ['user:read'] },
  })
  const made = await fetch(`${other.url}/v1/child_tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
    body: '{}',
  })
  const child = (await made.json()) as { key: string }
  const canManage = async (token: string) => {
    const headers = { authorization: `Bearer ${token}`, 'new-api-user': String(ann.userId) }
    const response = await fetch(`${other.url}/api/user/self`, { headers })
    return ((await response.json()) as { success: boolean }).success
  }
  const credentials: Readonly<Record<string, () => Promise<boolean>>> = {
    session: async () => (await ann.send(getSelf)).envelope.success,
    'API key': async () => (await models(`sk-${key}`)).ok,
    'key of a program': async () => (await models(device.access_token ?? '')).ok,
    'key of a child token': async () => (await models(child.key)).ok,
    'identity token of a workload': async () => (await models(identity)).ok,
    'access token': () => canManage(accessToken),
    'access token with a name': () => canManage(namedToken),
    password: () =>
      signIn(other.url, { username: USERNAME, password: PASSWORD }).then(
        () => true,
        () => false,
      ),
  }
  const usable = async () => {
    const works = await Promise.all(
      Object.entries(credentials).map(async ([name, isUsable]) => ((await isUsable()) ? [name] : [])),
    )
    return works.flat()
  }
  expect(await usable()).toEqual(Object.keys(credentials))

  const messages = [{ role: 'user', content: `hello [lab: ${LONG_STREAM}]` }]
  const response = await openChat({ url: other.url, key, body: { model: LAB, stream: true, messages } })
  expect(response.status).toBe(200)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = (await reader?.read())?.value ?? ''
  expect((await person.remove()).status).toBe(204)
  const removedMs = performance.now()
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read())
    text += part.value
  expect(performance.now() - removedMs).toBeLessThan(END_MS_MAX)
  expect(text).toContain('the token or sign-in has ended')
  expect(text).not.toContain('[DONE]')

  expect(await usable()).toEqual([])
  const refreshed = await post('/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: device.refresh_token ?? '',
  })
  expect(refreshed.access_token).toBeUndefined()
  const rows = await inDatabase(stage.site.gateway, db =>
    db
      .selectFrom('logs')
      .selectAll()
      .where('username', '=', USERNAME)
      .where('model_name', '=', LAB)
      .execute(),
  )
  expect(rows.map(({ quota }) => quota)).toEqual([PRICE])
  await stage.expectBalancedLedger()
})

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { nowSeconds } from '#server/core/clock.ts'
import { createLab } from '#server/lab/open-lab.ts'
import { type LocalServer, openLocalServer } from '#server/testing/local-server.ts'
import { sendThrough, TestRelay } from '#server/testing/test-relay.ts'
import { describeTimeAhead } from '#server/testing/time-ahead.ts'
import { options, type WorkloadRule } from '../../options.ts'

const AUDIENCE = 'https://gate.example'
const BODY = { model: 'lab', messages: [{ role: 'user', content: 'hello' }] }
const CHAT = '/v1/chat/completions'

let issuer: LocalServer
let relay: TestRelay
/** Opened by the test, and not closed yet. */
let opened: TestRelay | undefined
/** Made once: that takes longer than most tests. */
const keys = await generateKeyPair('RS256', { extractable: true })
const time = describeTimeAhead()

beforeEach(() => {
  issuer = openLocalServer()
  publish([keys.publicKey])
})
afterEach(async () => {
  await opened?.close()
  opened = undefined
  await issuer.close()
})

/** Publishes keys with the ids `key-0`, `key-1`. */
function publish(published: readonly CryptoKey[]): void {
  issuer.handlers['/.well-known/openid-configuration'] = () =>
    Response.json({ issuer: issuer.url, jwks_uri: `${issuer.url}/keys` })
  issuer.handlers['/keys'] = async () => {
    const list = await Promise.all(
      published.map(async (key, index) => ({ ...(await exportJWK(key)), kid: `key-${index}`, alg: 'RS256' })),
    )
    return Response.json({ keys: list })
  }
}

const ruleFor = (rule: Partial<WorkloadRule> = {}): WorkloadRule => ({
  issuer: issuer.url,
  audience: AUDIENCE,
  claims: { sub: 'repo:acme/shop:*' },
  token: 1,
  ...rule,
})

async function open(rules: readonly WorkloadRule[] = [ruleFor()], columns = {}): Promise<void> {
  const lab = createLab()
  relay = await TestRelay.open({
    options: { WorkloadIdentityRules: rules },
    send: sendThrough(request => (request.url.startsWith(issuer.url) ? fetch(request) : lab.fetch(request))),
  })
  opened = relay
  await relay.addChannel()
  await relay.addToken({ columns })
}

const CLAIMS = { sub: 'repo:acme/shop:ref:refs/heads/main', aud: AUDIENCE }
const sign = (claims: object = {}, { kid = 'key-0', key = keys.privateKey } = {}) =>
  new SignJWT({ ...CLAIMS, iss: issuer.url, exp: nowSeconds() + 300, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid })
    .sign(key)

async function callWith(token: string, body: object = BODY) {
  const response = await relay.request(CHAT, '', body, { authorization: `Bearer ${token}` })
  const { error } = (await response.json()) as { error?: { message: string } }
  return { status: response.status, message: error?.message ?? '' }
}
const countReads = (path: string) => issuer.requests.filter(({ url }) => url.pathname === path).length

describe('an identity token', () => {
  test('is a key, with the limits of the token that its rule names', async () => {
    await open([ruleFor()], { model_limits_enabled: 1, model_limits: 'lab' })
    expect(await callWith(await sign())).toEqual({ status: 200, message: '' })
    expect((await callWith(await sign(), { ...BODY, model: 'other' })).status).toBe(403)
    const { used_quota } = await relay.db
      .selectFrom('users')
      .select('used_quota')
      .where('id', '=', relay.userId)
      .executeTakeFirstOrThrow()
    expect(used_quota).toBeGreaterThan(0)
  })

  test('is verified once, with one look at the keys of its issuer', async () => {
    await open()
    const token = await sign()
    for (let calls = 0; calls < 3; calls += 1) expect((await callWith(token)).status).toBe(200)
    expect((await callWith(await sign({ jti: 'another' }))).status).toBe(200)
    expect([countReads('/keys'), countReads('/.well-known/openid-configuration')]).toEqual([1, 1])
  })

  test('ends when it expires, also where it was verified before', async () => {
    await open()
    const token = await sign()
    expect((await callWith(token)).status).toBe(200)
    time.skippedMs = 340_000
    expect(await callWith(token)).toEqual({ status: 401, message: expect.stringContaining('expired') })
  })

  test('ends with the token that the rule names', async () => {
    await open()
    const token = await sign()
    expect((await callWith(token)).status).toBe(200)
    await relay.db.updateTable('tokens').set({ status: 2 }).execute()
    expect((await callWith(token)).message).toContain('disabled')
    await relay.db.updateTable('tokens').set({ status: 1, deleted_at: 5 }).execute()
    expect((await callWith(token)).message).toContain('no longer exists')
  })

  test('of a new key is accepted once the issuer publishes it', async () => {
    await open()
    expect((await callWith(await sign())).status).toBe(200)
    const next = await generateKeyPair('RS256', { extractable: true })
    publish([keys.publicKey, next.publicKey])
    const token = await sign({}, { kid: 'key-1', key: next.privateKey })
    expect((await callWith(token)).status).toBe(401)
    // jose reads its own clock.
    const { now } = Date
    Date.now = () => now() + 31_000
    try {
      expect((await callWith(token)).status).toBe(200)
    } finally {
      Date.now = now
    }
  })
})

describe('rules', () => {
  interface Case {
    readonly claims: Readonly<Record<string, string>>
    readonly payload: object
    readonly isAdmitted: boolean
  }

  test.each<Case>([
    { claims: { sub: 'repo:acme/shop:*' }, payload: {}, isAdmitted: true },
    { claims: { sub: 'repo:acme/shop:*' }, payload: { sub: 'repo:acme/other:x' }, isAdmitted: false },
    { claims: { sub: 'repo:acme/shop' }, payload: {}, isAdmitted: false },
    { claims: { sub: '*:main' }, payload: { sub: 'main' }, isAdmitted: false },
    { claims: { groups: 'ops' }, payload: { groups: ['dev', 'ops'] }, isAdmitted: true },
    { claims: { groups: 'ops' }, payload: { groups: ['dev'] }, isAdmitted: false },
    { claims: { groups: '*' }, payload: {}, isAdmitted: false },
    {
      claims: { 'kubernetes.io/namespace': 'prod' },
      payload: { 'kubernetes.io': { namespace: 'prod' } },
      isAdmitted: true,
    },
    {
      claims: { 'kubernetes.io/namespace': 'prod' },
      payload: { 'kubernetes.io': 'prod' },
      isAdmitted: false,
    },
    { claims: { constructor: '*' }, payload: {}, isAdmitted: false },
    { claims: { sub: 'repo:acme/shop:*', env: 'prod' }, payload: { env: 'test' }, isAdmitted: false },
  ])('$claims admit $payload: $isAdmitted', async ({ claims, payload, isAdmitted }) => {
    await open([ruleFor({ claims })])
    expect((await callWith(await sign(payload))).status).toBe(isAdmitted ? 200 : 401)
  })

  test('count for their own audience only, and the first that matches counts', async () => {
    const other = { audience: 'https://other.example', token: 99 }
    await open([ruleFor(other), ruleFor(), ruleFor({ token: 99 })])
    expect((await callWith(await sign())).status).toBe(200)
    expect((await callWith(await sign({ aud: other.audience }))).message).toContain('no longer exists')
    expect((await callWith(await sign({ aud: 'https://third.example' }))).status).toBe(401)
  })

  test.each([
    [{ issuer: 'ftp://x.example' }, 'issuer'],
    [{ claims: {} }, 'claim'],
    [{ audience: '' }, 'audience'],
    [{ token: 0 }, 'token'],
    [{ token: 1, more: true }, 'more'],
  ])('are refused as %j', change => {
    const { schema } = options.WorkloadIdentityRules
    expect(schema.safeParse(JSON.stringify([ruleFor()])).success).toBe(true)
    expect(schema.safeParse(JSON.stringify([{ ...ruleFor(), ...change }])).success).toBe(false)
  })
})

describe('bad identity tokens', () => {
  const edit = (token: string, part: number, text: string) => token.split('.').with(part, text).join('.')
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

  test.each([
    {
      name: 'of another key',
      toToken: async () => sign({}, { key: (await generateKeyPair('RS256')).privateKey }),
    },
    { name: 'with an unknown key id', toToken: () => sign({}, { kid: 'nobody' }) },
    {
      name: 'without a signature',
      toToken: async () => new UnsecuredJWT({ ...CLAIMS, iss: issuer.url, exp: nowSeconds() + 300 }).encode(),
    },
    { name: 'whose signature was cut', toToken: async () => edit(await sign(), 2, '') },
    {
      name: 'with changed claims',
      toToken: async () =>
        edit(
          await sign(),
          1,
          encoded({ ...CLAIMS, jti: 'changed', iss: issuer.url, exp: nowSeconds() + 300 }),
        ),
    },
    {
      name: 'signed with the public key as a secret',
      async toToken() {
        const secret = new TextEncoder().encode(JSON.stringify(await exportJWK(keys.publicKey)))
        return new SignJWT({ ...CLAIMS, iss: issuer.url, exp: nowSeconds() + 300 })
          .setProtectedHeader({ alg: 'HS256', kid: 'key-0' })
          .sign(secret)
      },
    },
    {
      name: 'with a key of its own in the header',
      async toToken() {
        const own = await generateKeyPair('RS256', { extractable: true })
        return new SignJWT({ ...CLAIMS, iss: issuer.url, exp: nowSeconds() + 300 })
          .setProtectedHeader({ alg: 'RS256', jwk: await exportJWK(own.publicKey) })
          .sign(own.privateKey)
      },
    },
    { name: 'that has expired', toToken: () => sign({ exp: nowSeconds() - 60 }) },
    { name: 'that is not valid yet', toToken: () => sign({ nbf: nowSeconds() + 600 }) },
    { name: 'that never expires', toToken: () => sign({ exp: undefined }) },
    { name: 'of another issuer', toToken: () => sign({ iss: 'https://elsewhere.example' }) },
    { name: 'without an issuer', toToken: () => sign({ iss: undefined }) },
    { name: 'whose issuer is no text', toToken: () => sign({ iss: 5 }) },
    { name: 'for another audience', toToken: () => sign({ aud: 'https://other.example' }) },
    { name: 'without an audience', toToken: () => sign({ aud: undefined }) },
    { name: 'that is no JSON', toToken: async () => edit(await sign(), 1, 'bm90IGpzb24') },
    {
      name: 'with an unknown critical header',
      toToken: async () => edit(await sign(), 0, encoded({ alg: 'RS256', kid: 'key-0', crit: ['x'], x: 1 })),
    },
  ])('$name are refused in words', async ({ toToken }) => {
    await open()
    const { status, message } = await callWith(await toToken())
    expect(status).toBe(401)
    expect(message).toMatch(/identity token|no rule/)
  })

  test('of unknown issuers cause no call, and without rules they are unknown keys', async () => {
    await open()
    await callWith(await sign({ iss: 'https://elsewhere.example' }))
    expect(issuer.requests).toHaveLength(0)
    await relay.close()
    await open([])
    expect((await callWith(await sign())).message).toContain('the token is not valid')
  })
})

describe('hostile issuers', () => {
  const bulky = () => new Response('x'.repeat(10 * 1024 * 1024))

  test.each([
    { name: 'a configuration of 10 MB', path: '/.well-known/openid-configuration', respond: bulky },
    {
      name: 'a configuration of another issuer',
      path: '/.well-known/openid-configuration',
      respond: () => Response.json({ issuer: 'https://x.example', jwks_uri: `${issuer.url}/keys` }),
    },
    {
      name: 'a configuration without keys',
      path: '/.well-known/openid-configuration',
      respond: () => Response.json({ issuer: issuer.url }),
    },
    {
      name: 'keys at a private address',
      path: '/.well-known/openid-configuration',
      respond: () => Response.json({ issuer: issuer.url, jwks_uri: 'http://10.0.0.1/keys' }),
    },
    { name: 'keys of 10 MB', path: '/keys', respond: bulky },
    { name: 'keys that are none', path: '/keys', respond: () => Response.json({ keys: 5 }) },
    { name: 'keys with an error', path: '/keys', respond: () => new Response('no', { status: 500 }) },
    { name: 'a redirect', path: '/keys', respond: () => Response.redirect('http://10.0.0.1/keys') },
  ])('$name: refused in words, and the next call does not wait', async ({ path, respond }) => {
    await open()
    issuer.handlers[path] = respond
    const first = await callWith(await sign())
    expect(first).toEqual({ status: 502, message: expect.stringContaining('keys of the issuer') })
    const reads = issuer.requests.length
    expect((await callWith(await sign({ jti: '2' }))).status).toBe(502)
    expect(issuer.requests.length).toBe(reads)
  })

  test('endless keys are cut off', async () => {
    await open()
    const endless = () =>
      new Response(
        new ReadableStream({ pull: controller => controller.enqueue(new Uint8Array(65_536).fill(32)) }),
      )
    issuer.handlers['/keys'] = endless
    expect((await callWith(await sign())).status).toBe(502)
  })

  test('unknown key ids make the gateway look once, not once for each', async () => {
    await open()
    await callWith(await sign())
    for (let calls = 0; calls < 5; calls += 1) await callWith(await sign({}, { kid: `unknown-${calls}` }))
    expect(countReads('/keys')).toBe(1)
  })
})

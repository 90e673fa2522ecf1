import { expect, test } from 'bun:test'
import { createVerify, generateKeyPairSync } from 'node:crypto'
import type { ChatBody } from '../../provider-kit/contract/chat.ts'
import type {
  AdapterCall,
  ChannelView,
  NativeAdapter,
  UpstreamRequest,
} from '../../provider-kit/contract/operation-adapter.ts'
import { chat, native } from './chat.ts'
import { askForToken } from './transport.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const NOW_SECONDS = 1_751_300_000

const channelOf = (other = '', changes: object = {}): ChannelView => ({
  id: 1,
  key: JSON.stringify({
    project_id: 'demo',
    private_key_id: 'k1',
    private_key: privateKey,
    client_email: 'relay@demo.example',
    ...changes,
  }),
  baseUrl: '',
  other,
  organization: '',
  setting: {},
})
const requestOf = (model: string, other = '', isStream = false): UpstreamRequest => {
  const body: ChatBody = { model: 'asked', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 64 }
  const credential = { token: 't', expiresAt: 0 }
  const call: AdapterCall<ChatBody> = {
    channel: channelOf(other),
    model,
    body,
    isStream,
    requestId: 'r',
    nowSeconds: 0,
    credential,
  }
  return chat.request(call)
}

test("trades a claim that verifies against the service account's public key for a token", async () => {
  const sent: UpstreamRequest[] = []
  const send = (request: UpstreamRequest) => {
    sent.push(request)
    return Promise.resolve({ status: 200, json: { access_token: 'ya29', expires_in: 3599 } })
  }
  expect(await askForToken(channelOf(), { nowSeconds: NOW_SECONDS, send })).toEqual({
    token: 'ya29',
    expiresAt: NOW_SECONDS + 3599,
  })
  expect(sent[0]?.url).toBe('https://oauth2.googleapis.com/token')
  const form = new URLSearchParams(String(sent[0]?.body))
  expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer')
  const [header = '', claims = '', signature = ''] = form.get('assertion')?.split('.') ?? []
  const isGood = createVerify('RSA-SHA256')
    .update(`${header}.${claims}`)
    .verify(publicKey, Buffer.from(signature, 'base64url'))
  expect(isGood).toBe(true)
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
    alg: 'RS256',
    typ: 'JWT',
    kid: 'k1',
  })
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
    iss: 'relay@demo.example',
    scope: 'https://www.googleapis.com/auth/cloud-platform',
    aud: 'https://oauth2.googleapis.com/token',
    iat: NOW_SECONDS,
    exp: NOW_SECONDS + 3600,
  })
})

test('blames the key only where Google rejects it', () => {
  const json = { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' }
  const respondingWith = (status: number) => ({ nowSeconds: 0, send: async () => ({ status, json }) })
  expect(askForToken(channelOf(), respondingWith(400))).rejects.toMatchObject({ status: 401 })
  expect(askForToken(channelOf(), respondingWith(503))).rejects.toMatchObject({ status: 502 })
  expect(askForToken(channelOf('', { private_key: 'x' }), respondingWith(200))).rejects.toThrow('private_key')
  expect(askForToken({ ...channelOf(), key: 'sk-plain' }, respondingWith(200))).rejects.toThrow(
    'service account',
  )
})

test("calls each model in its own format and the channel's region", () => {
  const claude = requestOf('claude-3-5-sonnet-20241022-thinking', '', true)
  expect(claude).toMatchObject({
    url: 'https://us-central1-aiplatform.googleapis.com/v1/projects/demo/locations/us-central1/publishers/anthropic/models/claude-3-5-sonnet-v2%4020241022:streamRawPredict',
    headers: { authorization: 'Bearer t' },
  })
  expect(JSON.parse(String(claude.body))).toEqual({
    anthropic_version: 'vertex-2023-10-16',
    max_tokens: 64,
    messages: [{ role: 'user', content: 'Hello' }],
    stream: true,
  })
  expect(requestOf('gemini-2.5-flash-nothinking', 'global').url).toBe(
    'https://aiplatform.googleapis.com/v1/projects/demo/locations/global/publishers/google/models/gemini-2.5-flash:generateContent',
  )
  expect(requestOf('meta/llama-3.1-405b-instruct-maas', 'us-east5').url).toBe(
    'https://us-east5-aiplatform.googleapis.com/v1beta1/projects/demo/locations/us-east5/endpoints/openapi/chat/completions',
  )
})

test('selects the region by model', () => {
  const other = '{"default":"us-east5","claude-opus-4-20250514":"europe-west1"}'
  expect(requestOf('claude-opus-4-20250514', other).url).toContain(
    '/europe-west1/publishers/anthropic/models/claude-opus-4%4020250514:',
  )
  expect(requestOf('gemini-2.5-pro', other).url).toContain('/us-east5/')
})

const nativeRequestOf = (adapter: NativeAdapter, model: string, isStream = false): UpstreamRequest =>
  adapter.request({
    channel: channelOf(),
    model,
    body: { model: 'asked', unheard_of: [1] },
    isStream,
    requestId: 'r',
    nowSeconds: 0,
    credential: { token: 't', expiresAt: 0 },
    forwardedHeaders: { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a-1,context-1m-2025-08-07' },
  })

test("offers each model's own format to clients and no other", () => {
  const served = (model: string) =>
    [native.anthropic.serves, native.gemini.serves].map(serves => serves(model))
  expect(served('claude-sonnet-4-5-20250929')).toEqual([true, false])
  expect(served('gemini-2.5-flash')).toEqual([false, true])
  expect(served('meta/llama-4-maverick')).toEqual([false, false])
})

test("forwards a client's own body with the model in the URL", () => {
  const claude = nativeRequestOf(native.anthropic, 'claude-sonnet-4-5-20250929', true)
  expect(claude.url).toEndWith('/publishers/anthropic/models/claude-sonnet-4-5%4020250929:streamRawPredict')
  expect(claude.headers).toMatchObject({
    authorization: 'Bearer t',
    'anthropic-beta': 'context-1m-2025-08-07',
  })
  expect(JSON.parse(String(claude.body))).toEqual({
    unheard_of: [1],
    anthropic_version: 'vertex-2023-10-16',
  })
  const gemini = nativeRequestOf(native.gemini, 'gemini-2.5-flash')
  expect(gemini.url).toEndWith('/publishers/google/models/gemini-2.5-flash:generateContent')
  expect(JSON.parse(String(gemini.body))).toMatchObject({ unheard_of: [1] })
})

test.each(['evil.example/x', 'us-central1.evil.example#', '{"default":"evil.example?"}', 'US CENTRAL'])(
  'sends no credential to a region that is part of another host: %s',
  region => expect(() => requestOf('gemini-2.5-pro', region)).toThrow("the channel's region is not valid"),
)

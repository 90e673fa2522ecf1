import { afterAll, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from './config.ts'

const dir = mkdtempSync(join(tmpdir(), 'tollgate-config-'))
afterAll(() => rmSync(dir, { recursive: true }))

test('an empty environment gives the documented defaults', () => {
  const config = readConfig({ DATA_DIR: dir })
  expect(config).toMatchObject({
    port: 3000,
    host: '0.0.0.0',
    workers: 1,
    durability: 'process',
    logLevel: 'info',
  })
  expect(config.databaseUrl).toBe(join(dir, 'tollgate.db'))
})

test('creates the secret key once, readable only by its owner', () => {
  const first = readConfig({ DATA_DIR: dir }).secretKey
  expect(readConfig({ DATA_DIR: dir }).secretKey).toBe(first)
  expect(statSync(join(dir, 'secret-key')).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(dir, 'secret-key'), 'utf8').trim()).toBe(first)
  chmodSync(join(dir, 'secret-key'), 0o644)
  readConfig({ DATA_DIR: dir })
  expect(statSync(join(dir, 'secret-key')).mode & 0o777).toBe(0o600)
})

test('rejects an empty key file, as a full disk may leave it', () => {
  const folder = mkdtempSync(join(dir, 'empty-'))
  writeFileSync(join(folder, 'secret-key'), '\n')
  expect(() => readConfig({ DATA_DIR: folder })).toThrow(
    `${join(folder, 'secret-key')} holds 0 characters, at least 16 are needed`,
  )
})

test('treats an empty variable as absent', () => {
  expect(readConfig({ DATA_DIR: dir, PORT: '' }).port).toBe(3000)
  expect(readConfig({ DATA_DIR: dir, HTTPS_PROXY: '' }).isBehindProxy).toBe(false)
})

test.each(['HTTPS_PROXY', 'HTTP_PROXY', 'https_proxy', 'http_proxy'])(
  '%s configures an outgoing proxy',
  name => {
    expect(readConfig({ DATA_DIR: dir, [name]: 'http://proxy.test:3128' }).isBehindProxy).toBe(true)
  },
)

test.each([
  ['PORT', '70000', /^PORT must be between 0 and 65535; found "70000"/],
  ['PORT', 'http', /^PORT must be a whole number; found "http"/],
  ['DATABASE_URL', 'mysql://a:secret@b', /^DATABASE_URL must start with postgres:\/\/; found another value$/],
  ...['p@ss#w/rd:x', 'a#b', 'a/b@c', 'a?b', 'a/1'].map(
    password =>
      [
        'DATABASE_URL',
        `postgres://app:${password}@127.0.0.1:9/tg`,
        /^DATABASE_URL must be an address: percent-encode/,
      ] as const,
  ),
  ['DATABASE_URL', 'postgres://a:p#s@one:1,two:2/tg', /^DATABASE_URL must be an address: percent-encode/],
  ['DATABASE_URL', 'postgres://a:p@one:1,two:x/tg', /^DATABASE_URL must be an address: percent-encode/],
  [
    'DATABASE_URL',
    'postgres://a@one,two/tg?target_session_attrs=standby',
    /^DATABASE_URL must not ask for a standby/,
  ],
  ['REDIS_URL', 'redis://:a#b@127.0.0.1', /^REDIS_URL must be an address: percent-encode/],
  ['CLIENT_ADDRESS_HEADER', 'x y', /^CLIENT_ADDRESS_HEADER must be the name of a header/],
  ['TRUSTED_PROXIES', '10.0.0.0/8,nonsense', /^TRUSTED_PROXIES must be IP addresses or ranges/],
  ['EGRESS_ALLOWED', 'localhost', /^EGRESS_ALLOWED must be IP addresses or ranges/],
  ['DURABILITY', 'full', /^DURABILITY must be process or power; found "full"/],
  ['LOG_LEVEL', 'loud', /^LOG_LEVEL must be debug, info, warn or error/],
  ['ROOT_PASSWORD', 'short', /^ROOT_PASSWORD must have 8 to 20 characters; found another value$/],
  ['WORKERS', '4', /^WORKERS is 4, but more than one process needs DATABASE_URL/],
  ['REDIS_URL', 'localhost', /^REDIS_URL must start with redis:\/\//],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', /^OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https/],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a secret', /^OTEL_EXPORTER_OTLP_HEADERS must be name=.*another value$/],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%zz', /^OTEL_EXPORTER_OTLP_HEADERS must have percent-encoded values/],
  ['OTEL_TRACES_SAMPLER', 'sometimes', /^OTEL_TRACES_SAMPLER must be always_on, always_off or traceidratio/],
  ['OTEL_TRACES_SAMPLER_ARG', '2', /^OTEL_TRACES_SAMPLER_ARG must be a number between 0 and 1; found "2"/],
  ['OTEL_PROPAGATORS', 'a b', /^OTEL_PROPAGATORS must be names separated by commas/],
])('rejects %s=%s with a message that names the variable', (name, value, message) => {
  expect(() => readConfig({ DATA_DIR: dir, [name]: value })).toThrow(message)
})

test('takes an address of several database servers, in the form of libpq', () => {
  const DATABASE_URL =
    'postgres://a:b%2C@one:1,two,[::1]:3/tg?target_session_attrs=read-write&sslmode=verify-full'
  expect(readConfig({ DATA_DIR: dir, DATABASE_URL }).databaseUrl).toBe(DATABASE_URL)
})

test('configures tracing from the OpenTelemetry variables when an endpoint is set', () => {
  expect(readConfig({ DATA_DIR: dir }).tracing).toBeUndefined()
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector:4318/'
  expect(readConfig({ DATA_DIR: dir, OTEL_EXPORTER_OTLP_ENDPOINT }).tracing).toEqual({
    target: { url: 'http://collector:4318/v1/traces', headers: {} },
    serviceName: 'tollgate',
    sampling: { sampler: 'parentbased_always_on', ratio: 1 },
    isPropagated: false,
  })
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT,
    OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20YQ==, x-team=gate',
    OTEL_SERVICE_NAME: 'gate',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
    OTEL_PROPAGATORS: 'tracecontext,baggage',
  }
  expect(readConfig({ DATA_DIR: dir, ...environment }).tracing).toEqual({
    target: {
      url: 'http://collector:4318/v1/traces',
      headers: { authorization: 'Basic YQ==', 'x-team': 'gate' },
    },
    serviceName: 'gate',
    sampling: { sampler: 'traceidratio', ratio: 0.25 },
    isPropagated: true,
  })
})

test('rejects a data folder that is not writable', () => {
  const file = join(dir, 'file')
  writeFileSync(file, '')
  expect(() => readConfig({ DATA_DIR: join(file, 'below') })).toThrow(/^DATA_DIR .* cannot be written/)
})

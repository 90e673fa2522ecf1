import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { errorMessage } from '../core/errors.ts'
import { readTracingConfig, TRACING_VARIABLES, type TracingConfig } from './tracing-config.ts'

/** Everything the environment decides. Read once, at start; nothing else reads the environment. */
export interface Config {
  readonly port: number
  readonly host: string
  /** Absolute. */
  readonly dataDir: string
  /** `postgres://…` or the path of the embedded database. */
  readonly databaseUrl: string
  readonly redisUrl: string | undefined
  readonly rootPassword: string | undefined
  readonly secretKey: string
  readonly workers: number
  /** Addresses and ranges whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[]
  /** Addresses and ranges that pictures, webhooks and the like may lead to although they are not public. */
  readonly egressAllowed: readonly string[]
  /** Vendors are asked through a proxy that the environment names, as the runtime's own client does by itself. */
  readonly isBehindProxy: boolean
  readonly durability: 'process' | 'power'
  /** Undefined: no traces. */
  readonly tracing: TracingConfig | undefined
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error'
  /** Development offers the fault lab at `/lab`. */
  readonly isDevelopment: boolean
  /** This process was started by another that keeps count of the workers. */
  readonly isWorker: boolean
}

/** The environment of a worker: this process's own, and the mark by which it knows its place. */
export const workerEnvironment = (): Record<string, string | undefined> => ({
  ...process.env,
  TOLLGATE_WORKER: '1',
})

/** What is wrong with the environment, as one sentence for the person at the terminal. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

const PORT_MAX = 65_535
const WORKERS_MAX = 256
const ROOT_PASSWORD_LENGTH = { least: 8, most: 20 } as const
const SECRET_KEY_LENGTH_MIN = 16
const SECRET_KEY_BYTES = 32
const OWNER_ONLY = 0o600

const PROXY_VARIABLES = ['HTTPS_PROXY', 'HTTP_PROXY', 'https_proxy', 'http_proxy']

const integer = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine(value => value >= least && value <= most, `must be between ${least} and ${most}`)

const address = z
  .string()
  .refine(isAddressOrRange, 'must be IP addresses or ranges such as 10.0.0.0/8, separated by commas')

const addressList = z
  .string()
  .transform(text =>
    text
      .split(',')
      .map(entry => entry.trim())
      .filter(Boolean),
  )
  .pipe(z.array(address))
  .default([])

const Environment = z.object({
  PORT: integer(0, PORT_MAX).default(3000),
  HOST: z.string().default('0.0.0.0'),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must start with postgres://')
    .optional(),
  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\//, 'must start with redis:// or rediss://')
    .optional(),
  ROOT_PASSWORD: z
    .string()
    .min(
      ROOT_PASSWORD_LENGTH.least,
      `must have ${ROOT_PASSWORD_LENGTH.least} to ${ROOT_PASSWORD_LENGTH.most} characters`,
    )
    .max(
      ROOT_PASSWORD_LENGTH.most,
      `must have ${ROOT_PASSWORD_LENGTH.least} to ${ROOT_PASSWORD_LENGTH.most} characters`,
    )
    .optional(),
  SECRET_KEY: z
    .string()
    .min(SECRET_KEY_LENGTH_MIN, `must have at least ${SECRET_KEY_LENGTH_MIN} characters`)
    .optional(),
  WORKERS: integer(1, WORKERS_MAX).optional(),
  TRUSTED_PROXIES: addressList,
  EGRESS_ALLOWED: addressList,
  DURABILITY: z.enum(['process', 'power'], 'must be process or power').default('process'),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error'], 'must be debug, info, warn or error').default('info'),
  ...TRACING_VARIABLES,
  TOLLGATE_DEV: z.literal('1', 'must be 1 or absent').optional(),
  TOLLGATE_WORKER: z.literal('1', 'must be 1 or absent').optional(),
})

/** Reads and checks the environment; an empty variable counts as absent. Throws ConfigError naming the variable. */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const read = parse(environment)
  const dataDir = resolve(read.DATA_DIR)
  if (read.WORKERS !== undefined && read.WORKERS > 1 && !read.DATABASE_URL)
    throw new ConfigError(
      `WORKERS is ${read.WORKERS}, but more than one process needs DATABASE_URL (PostgreSQL)`,
    )
  return {
    port: read.PORT,
    host: read.HOST,
    dataDir,
    databaseUrl: read.DATABASE_URL ?? join(dataDir, 'tollgate.db'),
    redisUrl: read.REDIS_URL,
    rootPassword: read.ROOT_PASSWORD,
    secretKey: read.SECRET_KEY ?? keptSecretKey(dataDir),
    workers: read.WORKERS ?? (read.DATABASE_URL ? availableParallelism() : 1),
    trustedProxies: read.TRUSTED_PROXIES,
    egressAllowed: read.EGRESS_ALLOWED,
    isBehindProxy: PROXY_VARIABLES.some(name => environment[name]),
    durability: read.DURABILITY,
    logLevel: read.LOG_LEVEL,
    tracing: readTracingConfig(read),
    isDevelopment: read.TOLLGATE_DEV === '1',
    isWorker: read.TOLLGATE_WORKER === '1',
  }
}

function parse(environment: Readonly<Record<string, string | undefined>>): z.infer<typeof Environment> {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const { success, data, error } = Environment.safeParse(given)
  if (success) return data
  const issue = error.issues[0]
  const name = String(issue?.path[0] ?? '')
  throw new ConfigError(`${name} ${issue?.message ?? 'is not usable'}; found ${shown(name, given[name])}`)
}

const shown = (name: string, value: string | undefined): string =>
  /PASSWORD|KEY|URL|ENDPOINT|HEADERS/.test(name) ? 'another value' : JSON.stringify(value)

function isAddressOrRange(text: string): boolean {
  return text.includes('/') ? ipaddr.isValidCIDR(text) : ipaddr.isValid(text)
}

/** The key made on first start. Losing the file makes every sealed secret unreadable, so it lies beside the database. */
function keptSecretKey(dataDir: string): string {
  const path = join(dataDir, 'secret-key')
  if (!existsSync(path)) makeSecretKey(dataDir, path)
  const key = readSecretKey(path)
  if (key.length >= SECRET_KEY_LENGTH_MIN) return key
  throw new ConfigError(
    `${path} holds ${key.length} characters, at least ${SECRET_KEY_LENGTH_MIN} are needed: put the key back, or remove the file if nothing was kept with it yet`,
  )
}

/** On the disk when it returns: what is sealed with it must not outlive it. */
function makeSecretKey(dataDir: string, path: string): void {
  try {
    mkdirSync(dataDir, { recursive: true })
    const file = openSync(path, 'wx', OWNER_ONLY)
    writeSync(file, `${randomBytes(SECRET_KEY_BYTES).toString('base64')}\n`)
    fsyncSync(file)
    closeSync(file)
  } catch (cause) {
    throw new ConfigError(`DATA_DIR ${dataDir} cannot be written: ${errorMessage(cause)}`)
  }
}

function readSecretKey(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    throw new ConfigError(`the secret key cannot be read: ${errorMessage(cause)}`)
  }
}

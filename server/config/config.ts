import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { readBasePath } from '../core/base-path.ts'
import { errorMessage } from '../core/errors.ts'
import type { Language } from '../core/language.ts'
import { BODY_MEMORY_BYTES, MIB } from '../core/limits.ts'
import { createPrivateFolder, makeDataFolderPrivate, makeFilePrivate } from '../core/private-files.ts'
import { listServerAddresses } from '../core/server-addresses.ts'
import { BACKUP_VARIABLES, type BackupConfig, readBackupConfig } from './backup-config.ts'
import { readTracingConfig, TRACING_VARIABLES, type TracingConfig } from './tracing-config.ts'

/** All settings from the environment. Read once at startup; nothing else reads the environment. */
export interface Config {
  readonly port: number
  readonly host: string
  /** An absolute path. */
  readonly dataDir: string
  /** `postgres://…` or the path of the embedded database. */
  readonly databaseUrl: string
  readonly redisUrl: string | undefined
  readonly rootPassword: string | undefined
  readonly secretKey: string
  readonly workers: number
  /** MiB for all request bodies of one process. */
  readonly bodyMemoryMib: number
  /** Addresses and ranges of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[]
  /** The header in which they state a client's address alone, such as `cf-connecting-ip`. */
  readonly clientAddressHeader: string | undefined
  /** The path below which a proxy serves the gateway, such as `/gw`; empty for the root of a host. */
  readonly basePath: string
  /** Private addresses and ranges that images, webhooks and other user-supplied URLs may point to. */
  readonly egressAllowed: readonly string[]
  /** The environment names an HTTP proxy for requests to providers. */
  readonly isBehindProxy: boolean
  readonly durability: 'process' | 'power'
  readonly backup: BackupConfig
  /** Undefined: tracing is off. */
  readonly tracing: TracingConfig | undefined
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error'
  /** Serves the fault lab at `/lab`. */
  readonly isDevelopment: boolean
  /** This process is a worker of a supervising process. */
  readonly isWorker: boolean
}

/** The environment of a worker process: this process's own, with the worker mark. */
export const workerEnvironment = (): Record<string, string | undefined> => ({
  ...process.env,
  TOLLGATE_WORKER: '1',
})

/** An invalid setting. The message is one sentence for the person at the terminal. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

const PORT_MAX = 65_535
const WORKERS_MAX = 256
const BODY_MEMORY_MIB_MAX = 65_536
const ROOT_PASSWORD_LENGTH = { min: 8, max: 20 } as const
const SECRET_KEY_LENGTH_MIN = 16
const SECRET_KEY_BYTES = 32
const OWNER_ONLY = 0o600

const PROXY_VARIABLES = ['HTTPS_PROXY', 'HTTP_PROXY', 'https_proxy', 'http_proxy']

/** Values of libpq for connections that only read. */
const STANDBY_ATTRIBUTES = /[?&]target_session_attrs=(read-only|standby|prefer-standby)/
const UNENCODED = 'must be an address: percent-encode @ # / ? in its password (%40 %23 %2F %3F)'

const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine(value => value >= min && value <= max, `must be between ${min} and ${max}`)

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
    .refine(url => listServerAddresses(url).every(isEncoded), UNENCODED)
    .refine(url => !STANDBY_ATTRIBUTES.test(url), 'must not ask for a standby: a gateway writes')
    .optional(),
  REDIS_URL: z
    .string()
    .regex(/^rediss?([+]sentinel)?:\/\//, 'must start with redis://, rediss:// or redis+sentinel://')
    .refine(url => listServerAddresses(url).every(isEncoded), UNENCODED)
    .optional(),
  ROOT_PASSWORD: z
    .string()
    .min(
      ROOT_PASSWORD_LENGTH.min,
      `must have ${ROOT_PASSWORD_LENGTH.min} to ${ROOT_PASSWORD_LENGTH.max} characters`,
    )
    .max(
      ROOT_PASSWORD_LENGTH.max,
      `must have ${ROOT_PASSWORD_LENGTH.min} to ${ROOT_PASSWORD_LENGTH.max} characters`,
    )
    .optional(),
  SECRET_KEY: z
    .string()
    .min(SECRET_KEY_LENGTH_MIN, `must have at least ${SECRET_KEY_LENGTH_MIN} characters`)
    .optional(),
  WORKERS: integer(1, WORKERS_MAX).optional(),
  BODY_MEMORY_MIB: integer(BODY_MEMORY_BYTES / MIB, BODY_MEMORY_MIB_MAX).default(BODY_MEMORY_BYTES / MIB),
  TRUSTED_PROXIES: addressList,
  CLIENT_ADDRESS_HEADER: z
    .string()
    .regex(/^[\w-]+$/, 'must be the name of a header')
    .optional(),
  BASE_PATH: z
    .string()
    .transform(readBasePath)
    .pipe(z.string('must be a path such as /gw, and none of the gateway itself'))
    .default(''),
  EGRESS_ALLOWED: addressList,
  DURABILITY: z.enum(['process', 'power'], 'must be process or power').default('process'),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error'], 'must be debug, info, warn or error').default('info'),
  ...BACKUP_VARIABLES,
  ...TRACING_VARIABLES,
  TOLLGATE_DEV: z.literal('1', 'must be 1 or absent').optional(),
  TOLLGATE_WORKER: z.literal('1', 'must be 1 or absent').optional(),
})

/** Reads and validates the environment. Empty variables count as absent. Throws a ConfigError that names the variable. */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const variables = parse(environment)
  const dataDir = resolve(variables.DATA_DIR)
  if (variables.WORKERS !== undefined && variables.WORKERS > 1 && !variables.DATABASE_URL)
    throw new ConfigError(
      `WORKERS is ${variables.WORKERS}, but more than one process needs DATABASE_URL (PostgreSQL)`,
    )
  return {
    port: variables.PORT,
    host: variables.HOST,
    dataDir,
    databaseUrl: variables.DATABASE_URL ?? join(dataDir, 'tollgate.db'),
    redisUrl: variables.REDIS_URL,
    rootPassword: variables.ROOT_PASSWORD,
    secretKey: variables.SECRET_KEY ?? loadSecretKey(dataDir),
    workers: variables.WORKERS ?? (variables.DATABASE_URL ? availableParallelism() : 1),
    bodyMemoryMib: variables.BODY_MEMORY_MIB,
    trustedProxies: variables.TRUSTED_PROXIES,
    clientAddressHeader: variables.CLIENT_ADDRESS_HEADER,
    basePath: variables.BASE_PATH,
    egressAllowed: variables.EGRESS_ALLOWED,
    isBehindProxy: PROXY_VARIABLES.some(name => environment[name]),
    durability: variables.DURABILITY,
    logLevel: variables.LOG_LEVEL,
    backup: readBackupConfig(variables),
    tracing: readTracingConfig(variables),
    isDevelopment: variables.TOLLGATE_DEV === '1',
    isWorker: variables.TOLLGATE_WORKER === '1',
  }
}

/** Like `readConfig`, for read-only work: a missing secret key is made up instead of created. */
export function readConfigWithoutWriting(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Config {
  const { DATA_DIR } = parse(environment)
  const path = secretKeyPath(resolve(DATA_DIR))
  const SECRET_KEY =
    environment.SECRET_KEY ||
    (existsSync(path) ? requireKey(path) : randomBytes(SECRET_KEY_BYTES).toString('base64'))
  return readConfig({ ...environment, SECRET_KEY })
}

/** Whether the secret key is configured, either as a variable or as the file in DATA_DIR. */
export const hasSecretKey = (
  { dataDir }: Pick<Config, 'dataDir'>,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): boolean => Boolean(environment.SECRET_KEY) || existsSync(secretKeyPath(dataDir))

export const secretKeyPath = (dataDir: string): string => join(dataDir, 'secret-key')

/** The language of the terminal, by the variables that POSIX defines for messages. */
export function terminalLanguage(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Language {
  const { LC_ALL, LC_MESSAGES, LANG } = environment
  return (LC_ALL || LC_MESSAGES || LANG || '').startsWith('zh') ? 'zh' : 'en'
}

/** A variable that is no setting of Tollgate, to which the settings of another gateway refer. Empty counts as absent. */
export const readVariable = (name: string): string | undefined => process.env[name] || undefined

function parse(environment: Readonly<Record<string, string | undefined>>): z.infer<typeof Environment> {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const { success, data, error } = Environment.safeParse(given)
  if (success) return data
  const issue = error.issues[0]
  const name = String(issue?.path[0] ?? '')
  throw new ConfigError(
    `${name} ${issue?.message ?? 'is not usable'}; found ${shownValue(name, given[name])}`,
  )
}

const shownValue = (name: string, value: string | undefined): string =>
  /PASSWORD|KEY|URL|ENDPOINT|HEADERS/.test(name) ? 'another value' : JSON.stringify(value)

/** Whether the characters of a password end where they should: an unencoded one would be taken for the host. */
function isEncoded(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { username, password, pathname, hash } = new URL(text)
  return hash === '' && !pathname.includes('@') && (!text.includes('@') || username + password !== '')
}

function isAddressOrRange(text: string): boolean {
  return text.includes('/') ? ipaddr.isValidCIDR(text) : ipaddr.isValid(text)
}

/** The secret key of DATA_DIR, created at the first start. It is stored beside the database, since without it the secrets in it are lost. */
function loadSecretKey(dataDir: string): string {
  const path = secretKeyPath(dataDir)
  if (!existsSync(path)) createSecretKey(dataDir, path)
  makeFilePrivate(path)
  makeDataFolderPrivate(dataDir)
  return requireKey(path)
}

/** Reads a key from a file. Throws a ConfigError when it is too short. */
export function requireKey(path: string): string {
  const key = readSecretKey(path)
  if (key.length >= SECRET_KEY_LENGTH_MIN) return key
  throw new ConfigError(
    `${path} holds ${key.length} characters, at least ${SECRET_KEY_LENGTH_MIN} are needed: restore the key, or delete the file if the database is still empty`,
  )
}

function createSecretKey(dataDir: string, path: string): void {
  try {
    createPrivateFolder(dataDir)
    writeSecretKey(path, randomBytes(SECRET_KEY_BYTES).toString('base64'))
  } catch (cause) {
    throw new ConfigError(`DATA_DIR ${dataDir} cannot be written: ${errorMessage(cause)}`)
  }
}

/**
 * Writes the key to a file that does not exist yet. Returns once it is on disk: nothing encrypted with it may survive a crash
 * that it does not.
 */
export function writeSecretKey(path: string, key: string): void {
  const file = openSync(path, 'wx', OWNER_ONLY)
  try {
    writeSync(file, `${key}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function readSecretKey(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    throw new ConfigError(`the secret key cannot be read: ${errorMessage(cause)}`)
  }
}

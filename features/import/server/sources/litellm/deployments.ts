import { findModel } from '#server/pricing/catalogue.ts'
import { isObject } from '#server/provider-kit/json.ts'
import type { SourceOptions } from '../../import-source.ts'
import type { SourceDatabase, SourceRow, SourceValue } from '../../queries/source-database.ts'
import { flag, jsonObject, text } from '../../read-values.ts'
import { CONFIG_FILE } from './config-file.ts'
import type { Decryptor } from './decryptor.ts'
import { type ChannelPlace, findPlace } from './place.ts'
import { OPENAI, OPENAI_BASE, PROVIDERS } from './provider-types.ts'

/** A model of LiteLLM and where it is served, in clear. Several with one name share its requests. */
export interface Deployment {
  readonly id: string
  /** What clients ask for; further names that stand for it follow. */
  readonly names: readonly string[]
  /** The provider's own name of the model behind each of the names. */
  readonly targets: ReadonlyMap<string, string>
  readonly place: ChannelPlace | { readonly skip: string }
  /** Undefined when they cannot be decrypted. */
  readonly params: Readonly<Record<string, unknown>> | undefined
  readonly info: Readonly<Record<string, unknown>>
  readonly isBlocked: boolean
  /** Whether its channel can do what LiteLLM calls it for. Models of the catalogue are checked at the end. */
  readonly isServed: boolean
}

const ROWS_AT_ONCE = 5000
const ROWS_MAX = 500_000

/** The rows of a table, page by page; none where the source lacks the table. */
export async function* eachRow(
  database: SourceDatabase,
  table: string,
  key: string,
): AsyncGenerator<SourceRow> {
  if (!database.tables.has(table)) return
  let after: SourceValue | undefined
  for (;;) {
    const page = await database.readPage({ table, key, after, limit: ROWS_AT_ONCE })
    yield* page
    if (page.length < ROWS_AT_ONCE) return
    after = page.at(-1)?.[key]
  }
}

/** All rows of a table that others refer to. Throws an Error for more than half a million. */
export async function readAll(
  database: SourceDatabase,
  table: string,
  key: string,
): Promise<readonly SourceRow[]> {
  const rows: SourceRow[] = []
  for await (const row of eachRow(database, table, key)) {
    rows.push(row)
    if (rows.length > ROWS_MAX) throw new Error(`${table} has more than ${ROWS_MAX} rows`)
  }
  return rows
}

/** The models, and what the settings beside them say. */
interface Configuration {
  readonly deployments: readonly Deployment[]
  /** The key that may do everything; a reference to a variable where that is not set, empty where there is none. */
  readonly masterKey: string
}

/** Throws an Error for people when a salt key is needed, or is wrong. */
export async function readConfiguration(
  database: SourceDatabase,
  options: SourceOptions,
): Promise<Configuration> {
  const models = await readAll(database, 'LiteLLM_ProxyModelTable', 'model_id')
  const credentials = await readAll(database, 'LiteLLM_CredentialsTable', 'credential_id')
  const config = await readAll(database, 'LiteLLM_Config', 'param_name')
  const section = (name: string) =>
    jsonObject(text(config.find(row => text(row, 'param_name') === name) ?? {}, 'param_value'))
  const decrypt = database.tables.has(CONFIG_FILE)
    ? (value: string) => value
    : await databaseDecryptor([...models, ...credentials], options.saltKey)
  const environment = decryptAll(section('environment_variables'), decrypt) ?? {}
  const variable = (name: string) => stringOf(environment[name]) ?? options.variable(name)
  const values = new Map(
    credentials.map(row => [
      text(row, 'credential_name'),
      decryptAll(jsonObject(text(row, 'credential_values')), decrypt),
    ]),
  )
  const aliases = Object.entries(jsonObject(JSON.stringify(section('router_settings').model_group_alias)))
  const { master_key = options.variable('LITELLM_MASTER_KEY') } = section('general_settings')
  const deployments = models.map(row => {
    const name = text(row, 'model_name')
    const params = resolveParams(decryptAll(jsonObject(text(row, 'litellm_params')), decrypt), {
      values,
      variable,
    })
    const info = jsonObject(text(row, 'model_info'))
    const names = [
      name,
      ...aliases.filter(([, model]) => aliasedModel(model) === name).map(([alias]) => alias),
    ]
    const place = params ? findPlace(params, { info, variable }) : UNREADABLE
    const targets =
      'skip' in place
        ? new Map()
        : findTargets(names, place, hasOwnModels(place) ? options.modelsOf(place.type) : [])
    return {
      id: text(row, 'model_id'),
      names: targets.size > 0 ? [...targets.keys()] : names,
      targets,
      place,
      params,
      info,
      isBlocked: flag(row, 'blocked') === 1,
      isServed:
        'skip' in place || findModel(place.model) !== undefined || options.serves(place.type, place.kind),
    }
  })
  return { deployments, masterKey: String(resolveValue(master_key ?? '', variable)) }
}

const UNREADABLE = {
  skip: 'its parameters, or the credential it names, were encrypted with another salt key',
}

/** Whether the models of the channel type are those of the provider: not at another server of OpenAI's form. */
const hasOwnModels = ({ provider, type, baseUrl }: ChannelPlace): boolean =>
  type === PROVIDERS.get(provider)?.type && (type !== OPENAI || baseUrl === OPENAI_BASE)

/** A name with a star stands for the models of its provider that have a price; each of them gets its own name. */
function findTargets(
  names: readonly string[],
  { model }: ChannelPlace,
  models: readonly string[],
): ReadonlyMap<string, string> {
  return new Map(
    names.flatMap(name => {
      if (!isPattern(name) && !isPattern(model)) return [[name, model] as const]
      const stars = models.filter(findModel).flatMap(known => matchStar(model, known) ?? [])
      return stars.map(star => [name.replace('*', star), model.replace('*', star)] as const)
    }),
  )
}

export const isPattern = (name: string): boolean => name.includes('*')

/** What the star of a pattern stands for; undefined for a name that does not match. */
function matchStar(pattern: string, name: string): string | undefined {
  const [before = '', after = ''] = pattern.split('*')
  return isPattern(pattern) && name.startsWith(before) && name.endsWith(after)
    ? name.slice(before.length, name.length - after.length)
    : undefined
}

const aliasedModel = (model: unknown): unknown => (isObject(model) ? model.model : model)

const stringOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Names the key as wrong when it decrypts nothing; single rows of another key are named one by one. */
async function databaseDecryptor(
  rows: readonly SourceRow[],
  saltKey: string | undefined,
): Promise<Decryptor> {
  const encrypted = rows.flatMap(row =>
    Object.values(jsonObject(text(row, 'litellm_params') || text(row, 'credential_values'))).filter(
      value => typeof value === 'string' && value !== '',
    ),
  )
  if (encrypted.length === 0) return value => value
  if (saltKey === undefined)
    throw new Error(
      'the models of LiteLLM are encrypted: give LITELLM_SALT_KEY, or its master key where it has no salt key, as --salt-key or in the environment',
    )
  const { createDecryptor } = await import('./decryptor.ts')
  const decrypt = createDecryptor(saltKey)
  if (encrypted.some(value => decrypt(String(value)) !== undefined)) return decrypt
  throw new Error(
    'the salt key is wrong: it decrypts none of the models. It is LITELLM_SALT_KEY of LiteLLM, or its master key where it has no salt key',
  )
}

/** Texts are encrypted, numbers and flags are not. Undefined when a text cannot be decrypted. */
function decryptAll(
  values: Readonly<Record<string, unknown>>,
  decrypt: Decryptor,
): Readonly<Record<string, unknown>> | undefined {
  const clear: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) {
    const plain = typeof value === 'string' && value !== '' ? decrypt(value) : value
    if (plain === undefined) return undefined
    clear[name] = plain
  }
  return clear
}

interface References {
  readonly values: ReadonlyMap<string, Readonly<Record<string, unknown>> | undefined>
  readonly variable: (name: string) => string | undefined
}

const VARIABLE = /^os\.environ\/(.+)$/

/** Fills in the shared credential and the variables of the environment. A variable that is not set stays as it is. */
function resolveParams(
  params: Readonly<Record<string, unknown>> | undefined,
  { values, variable }: References,
): Readonly<Record<string, unknown>> | undefined {
  if (!params) return undefined
  const name = stringOf(params.litellm_credential_name)
  const shared = name === undefined ? {} : values.get(name)
  const all = Object.entries({ ...params, ...shared })
  return Object.fromEntries(all.map(([member, value]) => [member, resolveValue(value, variable)]))
}

function resolveValue(value: unknown, variable: References['variable']): unknown {
  const referred = missingVariable(value)
  return referred === undefined ? value : (variable(referred) ?? value)
}

/** The variable that a parameter refers to and that is not set. */
export const missingVariable = (value: unknown): string | undefined => VARIABLE.exec(String(value))?.[1]

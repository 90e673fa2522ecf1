import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { YAML } from 'bun'
import { errorMessage } from '#server/core/errors.ts'
import { MIB } from '#server/core/limits.ts'
import { isObject } from '#server/provider-kit/json.ts'
import type { SourceDatabase, SourceRow } from '../../queries/source-database.ts'

/** A table that only a configuration file has: it has no accounts, and its parameters are not encrypted. */
export const CONFIG_FILE = 'config.yaml'

const FILE_BYTES_MAX = 16 * MIB
const FILES_MAX = 100
const SECTIONS = ['router_settings', 'litellm_settings', 'general_settings', 'environment_variables']
const LISTS = ['model_list', 'credential_list']

type ConfigSections = Readonly<Record<string, unknown>>

/** Reads `config.yaml`, with the files that it includes, as the tables in which LiteLLM stores the same. */
export function openConfigFile(path: string): SourceDatabase {
  const files = new Map([[resolve(path), '']])
  const config = withIncluded(parse(path), path, files)
  if (![...LISTS, ...SECTIONS, 'include'].some(name => name in config))
    throw new Error(`${path} has neither model_list nor litellm_settings, as a configuration of LiteLLM has`)
  const others = Object.keys(config).filter(name => ![...LISTS, ...SECTIONS, 'include'].includes(name))
  const unread = [...others, ...misshapen(config)]
  const rows = new Map<string, readonly SourceRow[]>([
    ['LiteLLM_ProxyModelTable', toModels(config.model_list)],
    ['LiteLLM_CredentialsTable', toCredentials(config.credential_list)],
    ['LiteLLM_Config', SECTIONS.map(name => ({ param_name: name, param_value: json(config[name]) }))],
    [
      CONFIG_FILE,
      [...unread.map(name => `not brought: ${name}`), ...files.values()].map(remark => ({ remark })),
    ],
  ])
  const columns = (table: readonly SourceRow[]) => new Set(table.flatMap(row => Object.keys(row)))
  return {
    tables: new Map([...rows].map(([name, table]) => [name, columns(table)])),
    readPage: async ({ table, key, after, limit }) => {
      const sorted = [...(rows.get(table) ?? [])].sort((a, b) => (String(a[key]) < String(b[key]) ? -1 : 1))
      return sorted.filter(row => after === undefined || String(row[key]) > String(after)).slice(0, limit)
    },
    close: async () => undefined,
  }
}

/** What has another form than LiteLLM reads. An entry that is no object would otherwise be lost without a word. */
function misshapen(config: ConfigSections): readonly string[] {
  const lists = LISTS.flatMap(name => {
    const list = config[name] ?? []
    if (!Array.isArray(list)) return [`${name}, which is no list`]
    const wrong = list.flatMap((entry, index) => (isObject(entry) ? [] : [index + 1]))
    return wrong.length > 0 ? [`entries of ${name} that are no objects: ${wrong.join(', ')}`] : []
  })
  const sections = SECTIONS.filter(name => !isObject(config[name] ?? {}))
  return [...lists, ...sections.map(name => `${name}, which is no object`)]
}

/** By their places, with what the report says of them. */
type IncludedFiles = Map<string, string>

/** As LiteLLM merges them: lists grow, and other values of an included file replace those before. */
function withIncluded(config: ConfigSections, path: string, files: IncludedFiles): ConfigSections {
  const names = [config.include ?? []].flat().map(String)
  return names.reduce((merged, name) => merge(merged, readIncluded(name, path, files)), config)
}

function readIncluded(name: string, path: string, files: IncludedFiles): ConfigSections {
  const place = resolve(dirname(path), name)
  if (files.has(place)) return {}
  if (files.size > FILES_MAX) throw new Error(`${path} includes more than ${FILES_MAX} files`)
  const isThere = existsSync(place)
  files.set(place, isThere ? `included: ${name}` : `not brought: ${name}, which is included and not there`)
  return isThere ? withIncluded(parse(place), place, files) : {}
}

const merge = (config: ConfigSections, { include: _, ...added }: ConfigSections): ConfigSections => ({
  ...config,
  ...Object.fromEntries(
    Object.entries(added).map(([name, value]) => {
      const before = config[name]
      return [name, Array.isArray(value) && Array.isArray(before) ? [...before, ...value] : value]
    }),
  ),
})

function parse(path: string): ConfigSections {
  if (statSync(path).size > FILE_BYTES_MAX)
    throw new Error(`${path} is larger than ${FILE_BYTES_MAX / MIB} MiB`)
  try {
    const parsed: unknown = YAML.parse(readFileSync(path, 'utf8'))
    return isObject(parsed) ? parsed : {}
  } catch (cause) {
    throw new Error(`${path} is not valid YAML: ${errorMessage(cause)}`, { cause })
  }
}

const json = (value: unknown): string => JSON.stringify(value ?? null)

const READ_OF_ENTRY = ['model_name', 'litellm_params', 'model_info']

/** A deployment without an id is known by its contents, so that a second import finds it. */
function toModels(list: unknown): readonly SourceRow[] {
  const known = new Map<string, number>()
  return listOf(list).map(entry => {
    const info = isObject(entry.model_info) ? entry.model_info : {}
    const contents = createHash('sha256').update(json(entry)).digest('hex').slice(0, 32)
    const id = typeof info.id === 'string' && info.id !== '' ? info.id : contents
    const count = known.get(id) ?? 0
    known.set(id, count + 1)
    return {
      model_id: count === 0 ? id : `${id}-${count}`,
      model_name: String(entry.model_name ?? ''),
      litellm_params: json(entry.litellm_params),
      model_info: json(info),
      unread: Object.keys(entry)
        .filter(name => !READ_OF_ENTRY.includes(name))
        .join(),
      blocked: 0,
    }
  })
}

const toCredentials = (list: unknown): readonly SourceRow[] =>
  listOf(list).map(entry => ({
    credential_id: String(entry.credential_name),
    credential_name: String(entry.credential_name),
    credential_values: json(entry.credential_values),
    credential_info: json(entry.credential_info),
  }))

const listOf = (list: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(list) ? list.filter(isObject) : []

import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { YAML } from 'bun'
import { errorMessage } from '#server/core/errors.ts'
import { MIB } from '#server/core/limits.ts'
import { isObject } from '#server/provider-kit/json.ts'
import type { SourceDatabase, SourceRow } from '../../queries/source-database.ts'

/** A table that only a configuration file has: it has no accounts, and its parameters are not encrypted. */
export const CONFIG_FILE = 'config.yaml'

const FILE_BYTES_MAX = 16 * MIB
const SECTIONS = ['router_settings', 'litellm_settings', 'general_settings', 'environment_variables']

/** Reads `config.yaml` as the tables in which LiteLLM stores the same. */
export function openConfigFile(path: string): SourceDatabase {
  const config = parse(path)
  const rows = new Map<string, readonly SourceRow[]>([
    ['LiteLLM_ProxyModelTable', toModels(config.model_list)],
    ['LiteLLM_CredentialsTable', toCredentials(config.credential_list)],
    ['LiteLLM_Config', SECTIONS.map(name => ({ param_name: name, param_value: json(config[name]) }))],
    [CONFIG_FILE, [{ include: json(config.include) }]],
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

function parse(path: string): Readonly<Record<string, unknown>> {
  if (statSync(path).size > FILE_BYTES_MAX)
    throw new Error(`${path} is larger than ${FILE_BYTES_MAX / MIB} MiB`)
  try {
    const parsed: unknown = YAML.parse(readFileSync(path, 'utf8'))
    if (isObject(parsed) && ('model_list' in parsed || 'litellm_settings' in parsed)) return parsed
  } catch (cause) {
    throw new Error(`${path} is not valid YAML: ${errorMessage(cause)}`, { cause })
  }
  throw new Error(`${path} has neither model_list nor litellm_settings, as a configuration of LiteLLM has`)
}

const json = (value: unknown): string => JSON.stringify(value ?? null)

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

import { z } from 'zod'
import { CHANNEL_STATUS } from '#contract/enums.ts'
import { isObject, parseJson } from '#server/provider-kit/json.ts'
import type { ImportedChannel, Reading, TableReader } from '../../import-source.ts'
import type { SourceRow } from '../../queries/source-database.ts'
import { commaList, decimalNumber, integer, jsonObject, text, units } from '../../read-values.ts'
import channelTypes from './channel-types.json'

type Family = 'one-api' | 'new-api' | 'one-hub'

export const channelReader = (family: Family): TableReader<ImportedChannel> => ({
  table: 'channels',
  key: 'id',
  label: row => text(row, 'name'),
  read: row => readChannel(row, family),
})

const AZURE = 3
const CUSTOM = 8
const BEDROCK_THERE = 33
const VERTEX_HERE = 41
const DEFAULT_GROUP = 'default'

function readChannel(row: SourceRow, family: Family): Reading<ImportedChannel> {
  const place = findType(row, family)
  if (place === undefined)
    return { skip: `this gateway has no channels of the type ${integer(row, 'type')} of ${family}` }
  const models = commaList(text(row, 'models'))
  if (models === '') return { skip: 'the channel serves no models' }
  const notes: string[] = []
  const keys = readKeys(row, place.type, notes)
  const record: ImportedChannel = {
    originalId: integer(row, 'id'),
    type: place.type,
    name: text(row, 'name') || `channel ${integer(row, 'id')}`,
    key: keys.text,
    openai_organization: text(row, 'open_ai_organization'),
    test_model: text(row, 'test_model'),
    status: readStatus(row, keys.areAllOff, notes),
    weight: Math.max(integer(row, 'weight'), 0),
    priority: integer(row, 'priority'),
    created_time: integer(row, 'created_time'),
    test_time: integer(row, 'test_time'),
    response_time: integer(row, 'response_time'),
    base_url: place.baseUrl,
    other: readOther(row, place.type),
    balance: decimalNumber(row, 'balance'),
    balance_updated_time: integer(row, 'balance_updated_time'),
    models,
    group: commaList(text(row, 'group')) || DEFAULT_GROUP,
    used_quota: units(row, 'used_quota', notes),
    model_mapping: readJsonText(row, 'model_mapping'),
    status_code_mapping: readJsonText(row, 'status_code_mapping'),
    setting: readSetting(row, keys.areSeveral, notes),
    param_override: readOverride(row, notes),
    other_info: parseJson(text(row, 'other_info')) === undefined ? '' : readJsonText(row, 'other_info'),
    auto_ban: 'auto_ban' in row && row.auto_ban !== null && integer(row, 'auto_ban') === 0 ? 0 : 1,
    tag: text(row, 'tag'),
  }
  noteLosses(row, notes)
  return { record, notes }
}

const TypesThere = z.object({
  /** Up to here, numbers without an entry mean the same in all three programs. */
  sharedMax: z.number(),
  /** Other numbers here, with the base URL that the type had there by default where the type here has another. */
  types: z.record(z.string(), z.union([z.number(), z.tuple([z.number(), z.string()])])),
})
/** A custom channel there is a base URL; here it is a whole address. */
const TYPES = z.object({ 'one-api': TypesThere, 'one-hub': TypesThere }).parse(channelTypes)

function findType(
  row: SourceRow,
  family: Family,
): { readonly type: number; readonly baseUrl: string } | undefined {
  const there = integer(row, 'type')
  const baseUrl = text(row, 'base_url').trim().replace(/\/+$/, '')
  if (family === 'new-api')
    return { type: there, baseUrl: there === CUSTOM ? text(row, 'base_url').trim() : baseUrl }
  const { types, sharedMax } = TYPES[family]
  const here = types[there] ?? (there > 0 && there <= sharedMax ? there : undefined)
  if (here === undefined) return undefined
  if (typeof here === 'number') return { type: here, baseUrl }
  const [type, defaultUrl] = here
  const url = (baseUrl || defaultUrl).replace(/\/v1$/, '')
  return url === '' ? undefined : { type, baseUrl: url }
}

interface ChannelKeys {
  readonly text: string
  readonly areSeveral: boolean
  readonly areAllOff: boolean
}

const KEY_ON = 1

/** One key, or several in a row of their own states: those that are off are left out. */
function readKeys(row: SourceRow, type: number, notes: string[]): ChannelKeys {
  const stored = text(row, 'key')
  const info = jsonObject(text(row, 'channel_info'))
  if (info.is_multi_key !== true)
    return { text: readSingleKey(row, type, stored), areSeveral: false, areAllOff: false }
  const keys = splitKeys(stored)
  const states = isObject(info.multi_key_status_list) ? info.multi_key_status_list : {}
  const on = keys.filter((_, index) => (states[String(index)] ?? KEY_ON) === KEY_ON)
  const off = keys.length - on.length
  if (off > 0 && on.length > 0) notes.push(`${off} of its ${keys.length} keys are off there and did not come`)
  return { text: (on.length > 0 ? on : keys).join('\n'), areSeveral: true, areAllOff: on.length === 0 }
}

/** Lines, or the objects of a JSON list. */
function splitKeys(stored: string): readonly string[] {
  if (!stored.trimStart().startsWith('[')) return stored.split('\n').filter(line => line.trim() !== '')
  const list = parseJson(stored)
  return Array.isArray(list)
    ? list.map(key => (typeof key === 'string' ? key : JSON.stringify(key)))
    : [stored]
}

/** one-api keeps the parts of some keys in `config`, in which `key` has no meaning. */
function readSingleKey(row: SourceRow, type: number, stored: string): string {
  const { ak, sk, region, vertex_ai_adc: serviceAccount } = jsonObject(text(row, 'config'))
  if (type === BEDROCK_THERE && typeof ak === 'string' && ak !== '')
    return [ak, sk, region].map(String).join('|')
  if (type === VERTEX_HERE && typeof serviceAccount === 'string' && serviceAccount !== '')
    return serviceAccount
  return stored
}

const CONFIG_MEMBERS = ['api_version', 'user_id', 'plugin', 'library_id'] as const

function readOther(row: SourceRow, type: number): string {
  const config = jsonObject(text(row, 'config'))
  if (type === VERTEX_HERE && typeof config.region === 'string') return config.region
  const member = CONFIG_MEMBERS.map(name => config[name]).find(
    value => typeof value === 'string' && value !== '',
  )
  if (typeof member === 'string') return member
  return type === CUSTOM || type === AZURE ? text(row, 'other').trim() : text(row, 'other')
}

function readStatus(row: SourceRow, areAllOff: boolean, notes: string[]): number {
  const status = integer(row, 'status')
  if (areAllOff && status === CHANNEL_STATUS.enabled) {
    notes.push('all of its keys are off there: the channel came disabled')
    return CHANNEL_STATUS.disabled
  }
  const known: readonly number[] = Object.values(CHANNEL_STATUS)
  if (known.includes(status)) return status
  notes.push(`the status ${status} came as disabled`)
  return CHANNEL_STATUS.disabled
}

/** Its entries are checked when the channel is written. */
function readJsonText(row: SourceRow, column: string): string {
  const stored = text(row, column).trim()
  return stored === 'null' || stored === '{}' ? '' : stored
}

const KNOWN_SETTINGS = ['force_format', 'thinking_to_content', 'proxy']

function readSetting(row: SourceRow, hasSeveralKeys: boolean, notes: string[]): string {
  const stored = Object.entries(jsonObject(text(row, 'setting'))).filter(
    ([, value]) => value !== '' && value !== null && value !== false,
  )
  const known = stored.filter(([name]) => KNOWN_SETTINGS.includes(name))
  const unknown = stored.filter(([name]) => !KNOWN_SETTINGS.includes(name)).map(([name]) => name)
  if (unknown.length > 0) notes.push(`the settings ${unknown.join(', ')} do not exist here`)
  const setting = { ...Object.fromEntries(known), ...(hasSeveralKeys && { several_keys: true }) }
  return Object.keys(setting).length === 0 ? '' : JSON.stringify(setting)
}

/** Plain fields replace those of the body here as there; a list of operations does not exist here. */
function readOverride(row: SourceRow, notes: string[]): string {
  const stored = readJsonText(row, 'param_override')
  if (!('operations' in jsonObject(stored))) return stored
  notes.push('the operations of param_override do not exist here')
  return ''
}

const UNKNOWN_COLUMNS = ['header_override', 'system_prompt', 'remark', 'settings'] as const

function noteLosses(row: SourceRow, notes: string[]): void {
  const lost = UNKNOWN_COLUMNS.filter(column => !['', '{}', 'null'].includes(text(row, column).trim()))
  if (lost.length > 0) notes.push(`${lost.join(', ')} of the channel did not come`)
}

import { GatewayError } from '../core/errors.ts'
import { asString, isObject, type JsonObject } from './json.ts'

const HANDLE_CHARS = 22

/** Stands for an id or encrypted content that only the account can read that made it. Always 22 characters. */
export const toHandle = (idOrContent: string): string =>
  new Bun.CryptoHasher('sha256').update(idOrContent).digest('base64url').slice(0, HANDLE_CHARS)

/** Ids of files, containers, stores, caches, skills and batches, in any spelling. */
const ID_FIELD =
  /^(container(_?id)?|((upload|input)_?)?file_?ids?|(vector_?store|knowledge(_?base)?|library|collection|pipeline|skill|batch|context|cache)_?ids?|cached_?content|(file_?search_?store|corpus|corpora)_?names?|rag_?corp(us|ora)|data_?stores?)$/i
/** Names of Google's resources, and addresses in clouds. */
const RESOURCE =
  /^(gs:\/\/|s3:\/\/|arn:aws|projects\/[^/]+\/locations\/|cachedContents\/|fileSearchStores\/|corpora\/|files\/[\w-]+$|https:\/\/generativelanguage\.googleapis\.com\/)/
/** Names, data and schemas of the client. */
const CLIENT_FIELD =
  /^(\w*metadata|labels|\w*schema|properties|\$defs|arguments|args|function_?(call|response)|\w*model\w*|(file)?_?name|path|title|description|data|signature|encrypted_content)$/i
/** What a model reads. */
const TEXT_FIELD = /^(text|content|input|instructions|system|prompt|output|thinking|query)$/
/** Qwen reads such texts as files. */
const FILE_TEXT = /^fileid:\/\//

type FieldKind = 'id' | 'client' | 'text' | 'other'

const KINDS_MAX = 10_000
const kinds = new Map<string, FieldKind>()

function kindOf(field: string): FieldKind {
  const known = kinds.get(field)
  if (known) return known
  const kind = CLIENT_FIELD.test(field)
    ? 'client'
    : ID_FIELD.test(field)
      ? 'id'
      : TEXT_FIELD.test(field)
        ? 'text'
        : 'other'
  if (kinds.size < KINDS_MAX) kinds.set(field, kind)
  return kind
}

/** The ids in a request or a response of any format that name what an account of a provider keeps. */
export function readAccountIds(json: JsonObject): readonly string[] {
  const ids = new Set<string>()
  addIds(json, ids)
  return [...ids]
}

function addIds(json: JsonObject, ids: Set<string>): void {
  for (const field in json) if (!isOfClient(field, json)) addIdsOf(field, json[field], json, ids)
}

function addIdsOf(field: string, value: unknown, holder: JsonObject, ids: Set<string>): void {
  if (typeof value === 'string') {
    if (isAccountId(field, value, holder)) ids.add(value)
  } else if (Array.isArray(value)) for (const entry of value) addIdsOf(field, entry, holder, ids)
  else if (isObject(value)) {
    const id = field === 'prompt' || kindOf(field) === 'id' ? asString(value.id) : undefined
    if (id) ids.add(id)
    addIds(value, ids)
  }
}

/** Claude's own skills belong to nobody. */
function isAccountId(field: string, value: string, { type }: JsonObject): boolean {
  const kind = kindOf(field)
  if (kind === 'id') return value !== '' && type !== 'anthropic'
  return (kind === 'text' ? FILE_TEXT : RESOURCE).test(value)
}

/** Names and schemas, and what a model calls functions with. */
const isOfClient = (field: string, { type, name }: JsonObject): boolean =>
  kindOf(field) === 'client' ||
  (field === 'parameters' && typeof name === 'string') ||
  (field === 'input' && typeof type === 'string' && type.endsWith('tool_use'))

/** For an id of what an account keeps. */
export const idNotFound = (id: string): GatewayError =>
  new GatewayError('not_found', {
    zh: `未找到 ID ${JSON.stringify(id)}：只能使用您自己的请求创建的容器和文件；管理员可通过 UnknownAccountIds 放行其他 ID`,
    en: `the ID ${JSON.stringify(id)} was not found: only containers and files that your own requests made can be used; administrators can let others through (UnknownAccountIds)`,
  })

import type { z } from 'zod'
import { GatewayError } from '../core/errors.ts'
import { countKeys, isNested } from '../core/json/json-scan.ts'
import { type BothLanguages, sameInBoth } from '../core/language.ts'
import { findFirstProblem, type Problem } from './first-problem.ts'
import { asArray, isObject, type JsonObject } from './json.ts'

/** The longest model name that a request body may hold. */
export const MODEL_NAME_CHARS_MAX = 256
/** The highest output token limit that a request body may set. */
export const OUTPUT_TOKENS_MAX = 2 ** 30

/** Throws a GatewayError `invalid_request` for a request that the provider cannot serve. `place` names a field. */
export function invalidRequest(place: string, found: BothLanguages, needed: BothLanguages): never {
  throw foundAndNeeded(sameInBoth(place), found, needed)
}

const foundAndNeeded = (place: BothLanguages, found: BothLanguages, needed: BothLanguages): GatewayError =>
  new GatewayError('invalid_request', {
    zh: `${place.zh}：实际为${found.zh}，需要${needed.zh}`,
    en: `${place.en}: found ${found.en}, needed ${needed.en}`,
  })

/** Phrases that several providers share. */
export const TEXT_AND_IMAGES: BothLanguages = { zh: '文本和图片', en: 'text and images' }
export const DATA_URL_FOR_PROVIDER: BothLanguages = {
  zh: ' base64 data URL（该供应商不读取链接）',
  en: 'a base64 data URL for this provider',
}
export const URL_OR_DATA_URL: BothLanguages = {
  zh: ' https:// 链接或 base64 data URL',
  en: 'https:// or a base64 data URL',
}
export const A_URL: BothLanguages = { zh: '链接', en: 'a URL' }
export const A_FILE: BothLanguages = { zh: '文件', en: 'a file' }

/** A tool that only the client's own dialect has. */
export const foreignTool = (type: unknown): BothLanguages => ({
  zh: `tools：类型为 ${JSON.stringify(type)} 的工具`,
  en: `tools: a tool of the type ${JSON.stringify(type)}`,
})

export const countOfImages = (count: number): BothLanguages => ({
  zh: ` ${count} 张图片`,
  en: `${count} images`,
})
export const countOfTexts = (count: number): BothLanguages => ({
  zh: ` ${count} 段文本`,
  en: `${count} texts`,
})
export const partOfType = (type: unknown): BothLanguages => ({
  zh: `类型为 ${type} 的内容`,
  en: `a part of type ${type}`,
})

const FOUND_CHARS_MAX = 60

/**
 * Throws a GatewayError `invalid_request` that names the first field that does not match the schema, with what was
 * found and needed. `place` is where in the body `json` stands.
 */
export function checkBody(schema: z.ZodType, json: unknown, place: Problem['path'] = []): void {
  const problem = findFirstProblem(schema, json)
  if (!problem) return
  const { path, needed } = problem
  throw foundAndNeeded(formatPath([...place, ...path]), describeFound(valueAt(json, path)), needed)
}

function formatPath(path: Problem['path']): BothLanguages {
  const text = path.map(key => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
  return text === '' ? { zh: '请求体', en: 'the body' } : sameInBoth(text.replace(/^\./, ''))
}

function valueAt(json: unknown, path: Problem['path']): unknown {
  let value = json
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Reflect.get(value, key)
  }
  return value
}

function describeFound(value: unknown): BothLanguages {
  if (value === undefined) return { zh: '空', en: 'nothing' }
  if (Array.isArray(value)) return { zh: `含 ${value.length} 项的数组`, en: `a list of ${value.length}` }
  if (typeof value === 'object' && value !== null) return { zh: '对象', en: 'an object' }
  const text = JSON.stringify(value)
  return sameInBoth(text.length > FOUND_CHARS_MAX ? `${text.slice(0, FOUND_CHARS_MAX)}…` : text)
}

/** Puts the model name from the URL into the body. Throws a GatewayError `model_required` where neither names one. */
export function withModel(json: unknown, model: string | undefined): unknown {
  if (!isObject(json)) return json
  if (model !== undefined) return { ...json, model }
  if (json.model === undefined || json.model === null || json.model === '')
    throw new GatewayError('model_required', {
      zh: '没有填写 model，需要模型名称',
      en: 'model: found nothing, needed the name of a model',
    })
  return json
}

/** Puts the model name from the URL into the body, else a default, which OpenAI's API allows for some operations. */
export function withDefaultModel(body: unknown, fallback: string, named?: string): unknown {
  if (!isObject(body)) return body
  if (named !== undefined) return { ...body, model: named }
  return body.model === undefined || body.model === null || body.model === ''
    ? { ...body, model: fallback }
    : body
}

const PAGE_SIZE_MAX = 1_000

/**
 * The size of the page that a list query selects under this name, at most 1,000, which is also the default: a client that
 * does not page gets everything. Throws a GatewayError `invalid_request`.
 */
export function readPageSize(query: URLSearchParams, name: string): number {
  const text = query.get(name)
  if (text === null) return PAGE_SIZE_MAX
  if (!/^[1-9]\d{0,8}$/.test(text))
    return invalidRequest(name, sameInBoth(JSON.stringify(text)), {
      zh: `从 1 到 ${PAGE_SIZE_MAX} 的整数`,
      en: `a whole number from 1 to ${PAGE_SIZE_MAX}`,
    })
  return Math.min(Number(text), PAGE_SIZE_MAX)
}

/** Shorter bodies have no room for a schema that is expensive. */
const SCHEMA_CHARS_MIN = 65_536
/** Far above the largest tools: whoever reads a schema walks all of it, several times. */
const SCHEMA_KEYS_MAX = 20_000
/** A level of properties is two levels of JSON. */
const SCHEMA_LEVELS_MAX = 64

/** Throws GatewayError `invalid_request` for a tool or a response format whose schema is too large, in any dialect. */
export function rejectLargeSchemas(body: JsonObject, chars: number): void {
  if (chars < SCHEMA_CHARS_MIN) return
  const { tools, functions, response_format, text, generationConfig, input } = body
  const added = asArray(input).flatMap(item => (isObject(item) ? asArray(item.tools) : []))
  const listed = [...asArray(tools), ...asArray(functions), ...added]
  for (const schema of [...listed, response_format, text, generationConfig])
    if (isNested(schema) && (countKeys(schema) > SCHEMA_KEYS_MAX || isDeeper(schema, SCHEMA_LEVELS_MAX)))
      throw new GatewayError('invalid_request', {
        zh: `工具或响应格式的 schema 最多 ${SCHEMA_KEYS_MAX} 个键、${SCHEMA_LEVELS_MAX} 层`,
        en: `the schema of a tool or a response format may have ${SCHEMA_KEYS_MAX} keys and ${SCHEMA_LEVELS_MAX} levels`,
      })
}

const isDeeper = (value: object, levels: number): boolean =>
  levels === 0 || Object.values(value).some(entry => isNested(entry) && isDeeper(entry, levels - 1))

/** For an id of what an account keeps. */
export const idNotFound = (id: string): GatewayError =>
  new GatewayError('not_found', {
    zh: `未找到 ID ${JSON.stringify(id)}：只能使用您自己的请求创建的容器和文件；管理员可通过 UnknownAccountIds 放行其他 ID`,
    en: `the ID ${JSON.stringify(id)} was not found: only containers and files that your own requests made can be used; administrators can let others through (UnknownAccountIds)`,
  })

import { GatewayError } from '#server/core/errors.ts'
import type { BothLanguages } from '#server/core/language.ts'
import type { DialectName } from '#server/provider-kit/contract/operation-adapter.ts'
import { asObject, type JsonObject } from '#server/provider-kit/json.ts'
import { TAG_KEYS_MAX } from '../options.ts'

export type Tags = ReadonlyMap<string, string>

export const TAGS_HEADER = 'x-tollgate-tags'
export const TAG_VALUE_CHARS_MAX = 64
/** Eight tags with the longest keys and values. */
const HEADER_CHARS_MAX = 1024

/** No control characters, nothing unassigned, and no separators but the space. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u

const isValue = (value: string): boolean => [...value].length <= TAG_VALUE_CHARS_MAX && PRINTABLE.test(value)

/**
 * Reads `k=v,k=v`. The header is ours, so that a mistake in it is one of the client. Throws GatewayError `invalid_request` for
 * what cannot be counted.
 */
export function readTagsHeader(header: string, allowed: readonly string[]): Tags {
  if (header.length > HEADER_CHARS_MAX)
    throw invalidTags({
      zh: `共 ${header.length} 个字符，最多 ${HEADER_CHARS_MAX} 个`,
      en: `it has ${header.length} characters, at most ${HEADER_CHARS_MAX} are allowed`,
    })
  const tags = new Map<string, string>()
  for (const part of decode(header).split(',')) {
    const text = part.trim()
    if (text === '') continue
    const [key = '', ...rest] = text.split('=')
    addTag(tags, { key: key.trim(), value: rest.join('=').trim() }, allowed)
  }
  return tags
}

function addTag(
  tags: Map<string, string>,
  { key, value }: { readonly key: string; readonly value: string },
  allowed: readonly string[],
): void {
  if (!allowed.includes(key))
    throw invalidTags({
      zh: `标签 ${JSON.stringify(key)} 不可用，可用的有：${allowed.join('、')}`,
      en: `the tag ${JSON.stringify(key)} is not in use; these are: ${allowed.join(', ')}`,
    })
  if (tags.has(key)) throw invalidTags({ zh: `标签 ${key} 重复`, en: `the tag ${key} appears twice` })
  if (!isValue(value))
    throw invalidTags({
      zh: `标签 ${key} 的值应为 1 至 ${TAG_VALUE_CHARS_MAX} 个可打印字符`,
      en: `the value of the tag ${key} must have 1 to ${TAG_VALUE_CHARS_MAX} printable characters`,
    })
  tags.set(key, value)
}

const invalidTags = ({ zh, en }: BothLanguages): GatewayError =>
  new GatewayError('invalid_request', { zh: `${TAGS_HEADER}：${zh}`, en: `${TAGS_HEADER}: ${en}` })

/** HTTP hands over bytes as characters: what is UTF-8 is read as that. */
function decode(header: string): string {
  const bytes = Uint8Array.from(header, letter => letter.charCodeAt(0))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return header
  }
}

/** Where the formats have a place for it. Anthropic's metadata only names the user. */
const PLACES: Readonly<Partial<Record<DialectName, string>>> = {
  openai: 'metadata',
  responses: 'metadata',
  interactions: 'metadata',
  gemini: 'labels',
}

/** Tags in the body of a client. It is also for the provider, so what cannot be counted is left to that. */
export function readTagsOfBody(dialect: DialectName, body: JsonObject, allowed: readonly string[]): Tags {
  const place = PLACES[dialect]
  const found = place === undefined ? {} : asObject(body[place])
  const tags = new Map<string, string>()
  for (const key of allowed.slice(0, TAG_KEYS_MAX)) {
    const value = Object.hasOwn(found, key) ? found[key] : undefined
    if (typeof value === 'string' && isValue(value.trim())) tags.set(key, value.trim())
  }
  return tags
}

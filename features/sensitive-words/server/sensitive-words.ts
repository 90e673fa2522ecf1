import type { ValuesOf } from '#contract/options/define-option.ts'
import { nextTurn } from '#server/core/async.ts'
import { deriveOnChange } from '#server/core/derive-on-change.ts'
import { GatewayError } from '#server/core/errors.ts'
import { KIB } from '#server/core/limits.ts'
import { isObject, type JsonObject } from '#server/provider-kit/json.ts'
import type { RequestInspector } from '#server/relay/hooks.ts'
import type { options } from '../options.ts'
import { createWordSearch, type WordSearch } from './word-search.ts'

/**
 * Finds sensitive words in whatever a client sends: the texts are found by the names of their fields, which the APIs of
 * all dialects, operations and tasks share, so that none can be forgotten.
 */

/** The fields of user text, in the bodies of every dialect, task and realtime event. */
const TEXT_FIELDS: ReadonlySet<string> = new Set([
  'arguments',
  'content',
  'contents',
  'context',
  'description',
  'gpt_description_prompt',
  'input',
  'inputs',
  'instructions',
  'lyrics',
  'messages',
  'negative_prompt',
  'negative_tags',
  'output',
  'parts',
  'prompt',
  'query',
  'question',
  'reasoning_content',
  'refusal',
  'suffix',
  'system',
  'systemInstruction',
  'system_instruction',
  'tags',
  'text',
  'texts',
  'thinking',
  'title',
  'transcript',
])

/** The fields whose own fields have names that users choose: every text below them counts. */
const USER_DEFINED_FIELDS: ReadonlySet<string> = new Set(['args', 'documents', 'variables'])

/** A value inside a body, and whether texts in it count. */
interface Place {
  readonly value: unknown
  readonly isText: boolean
  readonly isFree: boolean
}

type WordOptions = ValuesOf<typeof options>

/** Throws GatewayError `sensitive_words_detected` when a text has a word of the administrator's list. */
export function createWordInspector(read: () => WordOptions): RequestInspector {
  const words = deriveOnChange(read, toWordSearch)
  return {
    async inspectBody({ clientBody }) {
      const list = words()
      if (!list) return
      for (const word of search(clientBody, list)) {
        if (word !== undefined) throw sensitiveWordError(word)
        await nextTurn()
      }
    },
    inspectEvent(event) {
      const list = words()
      const word = list && findSensitiveWord(event, list)
      if (word !== undefined) throw sensitiveWordError(word)
    },
  }
}

/** Undefined when prompts are not checked. */
const toWordSearch = (values: WordOptions): WordSearch | undefined =>
  values.CheckSensitiveEnabled && values.CheckSensitiveOnPromptEnabled
    ? createWordSearch(values.SensitiveWords)
    : undefined

const sensitiveWordError = (word: string): GatewayError =>
  new GatewayError('sensitive_words_detected', {
    zh: `提示词包含屏蔽词 ${JSON.stringify(word)}`,
    en: `the prompt contains ${JSON.stringify(word)}, which is not allowed`,
  })

/** The first listed word in the texts of a body or event. */
export function findSensitiveWord(body: unknown, words: WordSearch): string | undefined {
  for (const word of search(body, words)) if (word !== undefined) return word
  return undefined
}

/** Takes about half a millisecond. */
const CHARS_PER_TURN = 256 * KIB

/** Yields undefined whenever it has searched for a while, and words that it finds. Without recursion, since clients choose how deep they nest. */
function* search(body: unknown, words: WordSearch): Generator<string | undefined> {
  const open: Place[] = [{ value: body, isText: false, isFree: false }]
  let chars = 0
  for (let place = open.pop(); place; place = open.pop()) {
    const { value, isText } = place
    if (isText && typeof value === 'string') {
      chars += value.length
      yield* searchText(value, words)
    }
    if (chars >= CHARS_PER_TURN) {
      chars = 0
      yield undefined
    }
    pushInner(place, open)
  }
}

function* searchText(text: string, words: WordSearch): Generator<string | undefined> {
  if (text.length <= CHARS_PER_TURN) {
    const word = words.find(text)
    if (word !== undefined) yield word
    return
  }
  const partial = words.begin()
  for (let at = 0; at < text.length; at += CHARS_PER_TURN)
    yield partial.next(text.slice(at, at + CHARS_PER_TURN))
}

/** Items count as their list does. Files of a form are bytes and hold no text. */
function pushInner(place: Place, open: Place[]): void {
  const { value } = place
  if (Array.isArray(value)) for (const item of value) open.push({ ...place, value: item })
  else if (isObject(value) && !ArrayBuffer.isView(value)) pushFields(value, place, open)
}

function pushFields(object: JsonObject, { isFree }: Place, open: Place[]): void {
  for (const name of Object.keys(object)) {
    const value = object[name]
    const isFreeField = isFree || USER_DEFINED_FIELDS.has(name) || isToolValue(object, name)
    const isText = isFreeField || TEXT_FIELDS.has(name) || isDocumentText(object, name)
    if (typeof value === 'object' || (isText && typeof value === 'string'))
      open.push({ value, isText, isFree: isFreeField })
  }
}

/** The input of a tool in Anthropic's format, and the result of one in Gemini's. */
const isToolValue = ({ type, name: toolName }: JsonObject, field: string): boolean =>
  field === 'input' ? type === 'tool_use' : field === 'response' && toolName !== undefined

/** A plain text document in Anthropic's format; other documents are files. */
const isDocumentText = ({ type }: JsonObject, field: string): boolean => field === 'data' && type === 'text'

import { createPacedQueue, nextTurn } from '../../core/async.ts'
import { elapsedMs } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { createJsonBodyParser, type ParsedJson } from '../../core/json.ts'
import { MIB, RELAY_BODY_BYTES_MAX } from '../../core/limits.ts'
import { noteStep } from '../../core/telemetry/stall-watch.ts'
import type { Caller, SettingsReader } from '../types.ts'
import type { ClientConnection } from './client-connection.ts'

/** Far above the longest chats and tool lists. */
const KEYS_MAX = 100_000
/** Above the 300,000 token ids that OpenAI accepts as the input of embeddings. */
const ELEMENTS_MAX = 400_000

/** Far above what agents send: a body with more takes longer to parse than a request takes in all. */
const ELEMENTS_AT_ONCE_MAX = 20_000

const LARGE_BODY_CHARS_MIN = 8 * MIB

/** Bodies with many elements, one after the other. Those that wait use memory for bodies, which bounds them. */
const runPaced = createPacedQueue()

export interface BodyJson extends ParsedJson {
  /** The length of the body. */
  readonly chars: number
}

/** Reads and parses a JSON body. Throws GatewayError as `readText` and the parser of the body do. */
export async function readJson(
  connection: Pick<ClientConnection, 'readText'>,
  caller: Caller,
  settings: SettingsReader<'requestTextCharsMax'>,
): Promise<BodyJson> {
  const { requestTextCharsMax: textCharsMax } = settings.current()
  const { push, isBlank, elements, parse } = createJsonBodyParser({
    keysMax: KEYS_MAX,
    elementsMax: ELEMENTS_MAX,
    textCharsMax,
  })
  let chars = 0
  await connection.readText({ bytesMax: RELAY_BODY_BYTES_MAX, sender: senderOf(caller) }, piece => {
    chars += piece.length
    push(piece)
  })
  if (isBlank())
    throw new GatewayError('invalid_json', {
      zh: '请求体为空，请发送 JSON 对象',
      en: 'the body is empty; send a JSON object',
    })
  if (elements() > ELEMENTS_AT_ONCE_MAX) return { ...(await runPaced(() => timed(parse))), chars }
  if (chars < LARGE_BODY_CHARS_MIN) return { ...parse(), chars }
  await collectGarbage()
  const json = timed(parse)
  await collectGarbage()
  return { ...json, chars }
}

function timed(parse: () => ParsedJson): ParsedJson {
  const startedMs = elapsedMs()
  try {
    return parse()
  } finally {
    noteStep('parsing a large body', startedMs)
  }
}

/** Beyond this much memory, copies of large bodies are collected at once, while everything waits. */
const RESIDENT_BYTES_MAX = 256 * MIB

/**
 * A large body leaves several copies of itself on its way, and the collector would come only after those that follow. Lets
 * other requests run, too, since each step with such a body takes a while.
 */
async function collectGarbage(): Promise<void> {
  const startedMs = elapsedMs()
  Bun.gc(process.memoryUsage.rss() > RESIDENT_BYTES_MAX)
  noteStep('garbage collection for a large body', startedMs)
  await nextTurn()
}

/** Parses JSON that is already here, within the limits of any body. Undefined for text that is not JSON or exceeds them. */
export function parseJsonText(text: string): unknown {
  const parser = createJsonBodyParser({
    keysMax: KEYS_MAX,
    elementsMax: ELEMENTS_MAX,
    textCharsMax: text.length,
  })
  try {
    parser.push(text)
    return parser.parse().value
  } catch (error) {
    if (error instanceof GatewayError) return undefined
    throw error
  }
}

/** Whose share of the memory for bodies is used. */
export const senderOf = ({ userId }: Caller): string => `user ${userId}`

import { createPacedQueue } from '../../core/async.ts'
import { elapsedMs } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { createJsonBodyParser, type JsonLimits, joinJson, type ParsedJson } from '../../core/json/json.ts'
import { MIB, RELAY_BODY_BYTES_MAX } from '../../core/limits.ts'
import { noteStep } from '../../core/telemetry/stall-watch.ts'
import type { BodySize, Caller, SettingsReader } from '../types.ts'
import type { ClientConnection } from './client-connection.ts'
import { LargeBody } from './large-body.ts'

/** Far above the longest chats and tool lists. */
const KEYS_MAX = 100_000
/** Above the 300,000 token ids that OpenAI accepts as the input of embeddings. */
const ELEMENTS_MAX = 400_000

/** Of what is free: reading a body takes a few milliseconds. Above long conversations with many tools. */
const SMALL = { keysMax: 10_000, elementsMax: 20_000, textCharsMax: 2 * MIB, bytesMax: 3 * MIB }

const NO_LIMITS = {
  keysMax: Number.POSITIVE_INFINITY,
  elementsMax: Number.POSITIVE_INFINITY,
  textCharsMax: Number.POSITIVE_INFINITY,
}

/** Far above what agents send: a body with more takes longer to parse than a request takes in all. */
const ELEMENTS_AT_ONCE_MAX = 20_000

/** Larger bodies are checked on another thread. */
const LARGE_BODY_CHARS_MIN = MIB

/** Bodies with many elements, one after the other. Those that wait use memory for bodies, which bounds them. */
const runPaced = createPacedQueue()

export interface BodyJson extends ParsedJson {
  /** The length of the body. */
  readonly chars: number
}

/** Reads and parses a JSON body. Throws GatewayError as `readText` and the parser of the body do. */
export async function readJson(
  connection: Pick<ClientConnection, 'readText'>,
  caller: Pick<Caller, 'userId'>,
  settings: SettingsReader<'RequestTextLimit'>,
  size: BodySize = 'any',
): Promise<BodyJson> {
  const sender = senderOf(caller)
  const limits = size === 'small' ? SMALL : requestLimits(settings)
  return parse(new JsonBody(limits, sender), push =>
    connection.readText({ bytesMax: limits.bytesMax, sender }, push),
  )
}

/** Parses what was stored of requests and responses, and so has no limits. */
export async function parseStored(text: string, owner: Pick<Caller, 'userId'>): Promise<unknown> {
  return (await parse(new JsonBody(NO_LIMITS, senderOf(owner)), push => push(text))).value
}

async function parse(body: JsonBody, read: (push: (piece: string) => void) => unknown): Promise<BodyJson> {
  try {
    await read(piece => body.push(piece))
    return { ...(await body.parse()), chars: body.chars }
  } finally {
    body.close()
  }
}

const requestLimits = (settings: SettingsReader<'RequestTextLimit'>) => ({
  keysMax: KEYS_MAX,
  elementsMax: ELEMENTS_MAX,
  textCharsMax: settings.current().RequestTextLimit * MIB,
  bytesMax: RELAY_BODY_BYTES_MAX,
})

/** A body as it arrives. It is parsed here unless it turns out to be large. */
class JsonBody {
  chars = 0
  private readonly limits: JsonLimits
  private readonly sender: string
  private text = ''
  private large: LargeBody | undefined

  constructor(limits: JsonLimits, sender: string) {
    this.sender = sender
    this.limits = limits
  }

  push(piece: string): void {
    this.chars += piece.length
    this.text += piece
    if (this.chars <= LARGE_BODY_CHARS_MIN) return
    this.large ??= new LargeBody(this.limits, this.sender)
    this.flush(this.large)
  }

  async parse(): Promise<ParsedJson> {
    if (!this.large) return this.parseHere()
    const json = await this.large.finish()
    return json.elements > ELEMENTS_AT_ONCE_MAX ? runPaced(() => timed(() => joinJson(json))) : joinJson(json)
  }

  close(): void {
    this.large?.drop()
  }

  private flush(large: LargeBody): void {
    large.push(this.text)
    this.text = ''
  }

  private parseHere(): ParsedJson | Promise<ParsedJson> {
    const { push, isBlank, elements, parse } = createJsonBodyParser(this.limits)
    push(this.text)
    if (isBlank())
      throw new GatewayError('invalid_json', {
        zh: '请求体为空，请发送 JSON 对象',
        en: 'the body is empty; send a JSON object',
      })
    return elements() > ELEMENTS_AT_ONCE_MAX ? runPaced(() => timed(parse)) : parse()
  }
}

function timed(parse: () => ParsedJson): ParsedJson {
  const startedMs = elapsedMs()
  try {
    return parse()
  } finally {
    noteStep('parsing a large body', startedMs)
  }
}

/** Whose share of the memory for bodies is used. */
export const senderOf = ({ userId }: Pick<Caller, 'userId'>): string => `user ${userId}`

import { nowSeconds } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import { parseJsonBody } from '../../core/json.ts'
import { RELAY_BODY_BYTES_MAX } from '../../core/limits.ts'
import type { JsonObject } from '../../provider-kit/contract/chat.ts'
import type { ClientDialect, UrlParams } from '../../provider-kit/contract/client-dialect.ts'
import { asObject, isObject } from '../../provider-kit/json.ts'
import { FormFile } from '../../provider-kit/contract/operations.ts'
import type { Caller, Operation, RelayRequest, RelaySettings, TraceContext } from '../types.ts'
import type { ClientConnection } from './client-connection.ts'

export interface Wanted {
  readonly operation: Operation
  readonly client: ClientDialect
  readonly address: UrlParams
  readonly headers: Headers
  readonly traceContext: TraceContext | undefined
  /** When the request came, in `elapsedMs`. */
  readonly startedMs: number
}

/** What came with a request. */
export interface Sent {
  readonly requestId: string
  /** A text, or the fields of a form. */
  readonly body: string | JsonObject
}

/** Says what is wanted. Throws GatewayError for whatever cannot be understood or is not allowed. */
export function parseRequest(
  { requestId, body: sentBody }: Sent,
  wanted: Wanted,
  caller: Caller,
  settings: RelaySettings,
): RelayRequest {
  const { operation, client, address } = wanted
  const dialect = operation.findDialect(client)
  if (!dialect)
    throw new GatewayError('api_not_implemented', `${operation.name} is not served in this dialect`)
  const sent = typeof sentBody === 'string' ? readBody(sentBody) : sentBody
  const { json, group } = caller.token
    ? { json: sent, group: caller.group }
    : choosePlaygroundGroup(sent, caller, settings)
  const parsed = dialect.parse(json, address)
  const { body, model, wantsUsage } = parsed
  rejectForbiddenModel(caller, model)
  const inputTokens = operation.inputTokens(body)
  return {
    ...parsed,
    clientBody: asObject(json),
    requestId,
    caller: group === caller.group ? caller : { ...caller, group },
    operation,
    client,
    dialect,
    forwardedHeaders: pickForwardedHeaders(wanted),
    inputTokens,
    inputAudioTokens: () => operation.inputAudioTokens?.(body) ?? 0,
    effort: effortIn(body),
    imageUnits: operation.imageUnits?.(body) ?? 0,
    context: {
      requestId,
      model,
      nowSeconds: nowSeconds(),
      wantsUsage,
      inputTokens,
      urlParams: address,
      echoedFields: parsed.echoedFields ?? NOTHING,
    },
    startedMs: wanted.startedMs,
    traceContext: wanted.traceContext,
  }
}

const NO_HEADERS = {}
const NOTHING = {}
/** Clients may write anything there. */
const EFFORT_CHARS_MAX = 32

function effortIn({ reasoning_effort: effort }: JsonObject): string | undefined {
  return typeof effort === 'string' && effort !== '' ? effort.slice(0, EFFORT_CHARS_MAX) : undefined
}

function pickForwardedHeaders({ client, headers }: Wanted): Readonly<Record<string, string>> {
  if (!client.forwardedHeaders) return NO_HEADERS
  return Object.fromEntries(
    client.forwardedHeaders.flatMap(name => (headers.get(name) ? [[name, headers.get(name) ?? '']] : [])),
  )
}

/** Reads the body, which conversations do not have. Throws GatewayError for one that cannot be read. */
export function readSent(
  door: ClientConnection,
  { operation, headers }: Wanted,
): Promise<Sent['body']> | Sent['body'] {
  const { isConversation, hasFormBody } = operation
  if (isConversation && headers.get('upgrade')?.toLowerCase() !== 'websocket')
    throw new GatewayError('invalid_request', 'found a plain request, needed one that opens a websocket')
  if (isConversation) return {}
  return hasFormBody
    ? door.readForm(RELAY_BODY_BYTES_MAX).then(formFields)
    : door.readText(RELAY_BODY_BYTES_MAX)
}

function readBody(text: string): unknown {
  if (text.trim() === '') throw new GatewayError('invalid_json', 'the body is empty, a JSON object is needed')
  return parseJsonBody(text)
}

export function rejectForbiddenModel({ token }: Caller, model: string): void {
  if (token?.models && !token.models.has(model))
    throw new GatewayError('model_not_allowed', `the token may not use the model ${model}`)
}

/** The playground names its group in the body, which is no field of any vendor's; a token has its own. */
function choosePlaygroundGroup(sent: unknown, { group: own }: Caller, { userUsableGroups }: RelaySettings) {
  if (!isObject(sent)) return { json: sent, group: own }
  const { group, ...json } = sent
  if (group === undefined || group === '' || group === own) return { json, group: own }
  if (typeof group !== 'string' || !Object.hasOwn(userUsableGroups, group))
    throw new GatewayError('group_not_allowed', `the group ${JSON.stringify(group)} is not open to you`)
  return { json, group }
}

const LIST_NAME = /\[\]$/

/** A form as an object: texts and files by name. A name that comes again, or ends in `[]`, makes a list. */
export async function formFields(form: FormData): Promise<JsonObject> {
  const fields = new Map<string, unknown[]>()
  const lists = new Set<string>()
  for (const [field, entry] of form) {
    const name = field.replace(LIST_NAME, '')
    const value = typeof entry === 'string' ? entry : await toSentFile(entry)
    const before = fields.get(name)
    if (before) before.push(value)
    else fields.set(name, [value])
    if (before || name !== field) lists.add(name)
  }
  return Object.fromEntries([...fields].map(([name, values]) => [name, lists.has(name) ? values : values[0]]))
}

const toSentFile = async (file: File): Promise<FormFile> =>
  new FormFile({ name: file.name, mediaType: file.type, bytes: new Uint8Array(await file.arrayBuffer()) })

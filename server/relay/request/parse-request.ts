import { nowSeconds } from '../../core/clock.ts'
import { GatewayError } from '../../core/errors.ts'
import type { ParsedJson } from '../../core/json/json.ts'
import { RELAY_BODY_BYTES_MAX } from '../../core/limits.ts'
import { readSession } from '../../provider-kit/clients/session.ts'
import type { ClientDialect, ParsedBody, UrlParams } from '../../provider-kit/contract/client-dialect.ts'
import { rememberExact } from '../../provider-kit/exact-numbers.ts'
import { addsInput, readRequestedTerms } from '../../provider-kit/hosted-tools.ts'
import { asObject, FormFile, isObject, type JsonObject } from '../../provider-kit/json.ts'
import { rejectLargeSchemas } from '../../provider-kit/validation.ts'
import type {
  ActiveRequest,
  Caller,
  ModelOperation,
  OperationDialect,
  PathParams,
  RelayCall,
  RelayRequest,
  SettingsReader,
} from '../types.ts'
import type { FormField } from './client-connection.ts'
import { type BodyJson, readJson, senderOf } from './read-json.ts'
import { rejectForbiddenModel } from './request-policy.ts'

/** A call for what a model can do. */
interface ModelCall extends RelayCall {
  readonly operation: ModelOperation
}

export interface ParseDeps {
  readonly settings: SettingsReader<'UserUsableGroups' | 'RequestTextLimit'>
  readonly hooks: { readonly completeBody?: BodyCompletion | undefined }
}

/** Undefined leaves the body as it is. Throws GatewayError for what the body refers to in vain. */
export type BodyCompletion = (
  body: ClientBody,
  call: Pick<RelayCall, 'caller' | 'client' | 'connection'>,
) => Promise<CompletedBody | undefined>

/** A body as its client sent it. */
export interface ClientBody {
  readonly value: unknown
  /** Its length. */
  readonly chars: number
}

/** A body with all that it refers to. */
export interface CompletedBody {
  readonly json: unknown
  /** Fields that the response repeats in place of the request's own. */
  readonly echoedFields: JsonObject
  /** Encrypts what only this user may have read again. */
  readonly encrypt?: (text: string) => string
}

/** Reads and parses the body. Throws GatewayError when it is invalid or not allowed, and as the hook `completeBody`. */
export async function parseRequest(call: ModelCall, { settings, hooks }: ParseDeps): Promise<RelayRequest> {
  const body = await readBody(call, settings)
  rejectLargeSchemas(asObject(body.value), body.chars)
  if (isObject(body.value)) rememberExact(body.value, body.verbatim)
  call.connection.disableIdleTimeout()
  const completed = await hooks.completeBody?.(body, call)
  if (completed) return toCompletedRequest(body, completed, call)
  const { caller } = call
  if (caller.token) return toRelayRequest(body, call)
  const { isLarge, value } = body
  const { json, group } = choosePlaygroundGroup(value, caller, settings)
  return toRelayRequest({ isLarge, value: json }, { ...call, caller: { ...caller, group } })
}

function toCompletedRequest(
  { value, isLarge, verbatim }: BodyJson,
  { json, echoedFields, encrypt }: CompletedBody,
  call: ModelCall,
): RelayRequest {
  const isUnchanged = json === value
  const hasLongNumbers = verbatim !== undefined
  const request = toRelayRequest(
    { value: json, isLarge, hasLongNumbers, ...(isUnchanged && { verbatim }) },
    call,
  )
  const { context } = request
  return {
    ...request,
    context: {
      ...context,
      echoedFields: { ...context.echoedFields, ...echoedFields },
      ...(encrypt && { encrypt }),
    },
  }
}

interface ClientJson extends ParsedJson {
  /** `value` was made from a text with numbers that a double cannot hold; by default where there is `verbatim`. */
  readonly hasLongNumbers?: boolean
}

/** Parses a body in the client's dialect. Throws GatewayError when it is invalid or its model is not allowed. */
function toRelayRequest(
  { value: json, isLarge, verbatim, hasLongNumbers = verbatim !== undefined }: ClientJson,
  { httpRequest, connection, arrival, caller, operation, client, params }: ModelCall,
): RelayRequest {
  const dialect = operation.findDialect(client)
  if (!dialect)
    throw new GatewayError('api_not_implemented', {
      zh: `该接口格式不支持 ${operation.name}`,
      en: `${operation.name} is not available in this API format`,
    })
  const headers = operation.readHeaders?.(httpRequest.headers) ?? httpRequest.headers
  const urlParams = toUrlParams(params, connection.url, operation)
  const parsed = parseBody(json, dialect, urlParams)
  const { body, model, wantsUsage } = parsed
  rejectForbiddenModel(caller, model)
  const inputTokens = operation.inputTokens(body)
  const clientBody = asObject(json)
  return {
    ...parsed,
    clientBody,
    ...(isObject(verbatim) && { verbatimBody: verbatim }),
    isLarge,
    hasLongNumbers,
    ...arrival,
    caller,
    operation,
    client,
    dialect,
    forwardedHeaders: pickForwardedHeaders(headers, client),
    session: readSession({ caller, model, headers, json: clientBody }),
    inputTokens,
    inputAudioTokens: () => operation.inputAudioTokens?.(body) ?? 0,
    isOpenEnded:
      parsed.nativeOnlyFeature !== undefined ||
      parsed.rejection !== undefined ||
      addsInput(parsed.hostedTools) ||
      operation.hasOpenEndedInput?.(body) === true,
    effort: readEffort(body),
    imageUnits: operation.imageUnits?.(body) ?? 0,
    requested: readRequestedTerms(clientBody, model),
    context: {
      requestId: arrival.requestId,
      model,
      nowSeconds: nowSeconds(),
      wantsUsage,
      inputTokens,
      urlParams,
      echoedFields: parsed.echoedFields ?? NO_FIELDS,
    },
  }
}

const toUrlParams = (
  { model, method }: PathParams,
  { searchParams }: URL,
  operation: ModelOperation,
): UrlParams => ({
  model: model ?? operation.modelInQuery?.(searchParams),
  method,
  alt: searchParams.get('alt') ?? undefined,
})

/**
 * A body that we reject may still suit a provider of the client's dialect. Throws GatewayError when no provider can be
 * found.
 */
function parseBody(json: unknown, dialect: OperationDialect, urlParams: UrlParams): ParsedBody<JsonObject> {
  try {
    return dialect.parse(json, urlParams)
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'invalid_request' || !isObject(json)) throw error
    const unjudged = dialect.parseUnjudged?.(json, urlParams)
    if (!unjudged) throw error
    return { ...unjudged, rejection: error }
  }
}

const NO_FIELDS = {}

/** Drops the body. Audio is counted first, since that needs the body. */
export function toActiveRequest(request: RelayRequest): ActiveRequest {
  const { body: _, clientBody: __, verbatimBody: ___, addThoughts: ____, ...rest } = request
  const inputAudioTokens = rest.inputAudioTokens()
  return { ...rest, inputAudioTokens: () => inputAudioTokens }
}

/** Reads the body: JSON, or the fields of a form. A conversation has none. Throws GatewayError when it cannot be read. */
async function readBody(
  { httpRequest: { headers }, connection, operation, caller }: ModelCall,
  settings: SettingsReader<'RequestTextLimit'>,
): Promise<BodyJson> {
  if (operation.hasFormBody) {
    const form = await connection.readForm({ bytesMax: RELAY_BODY_BYTES_MAX, sender: senderOf(caller) })
    return { value: formFields(form), isLarge: false, chars: 0 }
  }
  if (!operation.converse) return readJson(connection, caller, settings, operation.bodySize)
  if (headers.get('upgrade')?.toLowerCase() !== 'websocket')
    throw new GatewayError('invalid_request', {
      zh: '该接口需要 WebSocket 连接',
      en: 'this endpoint requires a WebSocket connection',
    })
  return { value: {}, isLarge: false, chars: 0 }
}

const LIST_NAME = /\[\]$/

/** A form as an object of texts and files. A name that repeats, or ends in `[]`, becomes a list. */
export function formFields(form: readonly FormField[]): JsonObject {
  const fields = new Map<string, unknown[]>()
  const lists = new Set<string>()
  for (const { name: field, value: entry } of form) {
    const name = field.replace(LIST_NAME, '')
    const value = typeof entry === 'string' ? entry : new FormFile(entry)
    const values = fields.get(name)
    if (values) values.push(value)
    else fields.set(name, [value])
    if (values || name !== field) lists.add(name)
  }
  return Object.fromEntries([...fields].map(([name, values]) => [name, lists.has(name) ? values : values[0]]))
}

/** The playground sends the group in the body, where no provider has such a field; a token has a group of its own. */
function choosePlaygroundGroup(
  body: unknown,
  { group: ownGroup }: Caller,
  settings: SettingsReader<'UserUsableGroups'>,
): { readonly json: unknown; readonly group: string } {
  if (!isObject(body)) return { json: body, group: ownGroup }
  const { group, ...json } = body
  if (group === undefined || group === '' || group === ownGroup) return { json, group: ownGroup }
  if (typeof group !== 'string' || !Object.hasOwn(settings.current().UserUsableGroups, group))
    throw new GatewayError('group_not_allowed', {
      zh: `您无权使用分组 ${JSON.stringify(group)}`,
      en: `you may not use the group ${JSON.stringify(group)}`,
    })
  return { json, group }
}

/** Clients may send any text. */
const EFFORT_CHARS_MAX = 32

const readEffort = ({ reasoning_effort: effort }: JsonObject): string | undefined =>
  typeof effort === 'string' && effort !== '' ? effort.slice(0, EFFORT_CHARS_MAX) : undefined

function pickForwardedHeaders(
  headers: Headers,
  { forwardedHeaders = [] }: ClientDialect,
): Readonly<Record<string, string>> {
  const picked: Record<string, string> = {}
  for (const name of forwardedHeaders) {
    const value = headers.get(name)
    if (!value) continue
    if (!FORWARDED_VALUE.test(value)) throw unforwardable(name)
    picked[name] = value
  }
  return picked
}

/** Values that can be written to an upstream: a channel must not be blamed for others. */
const FORWARDED_VALUE = /^[\t\x20-\x7e]*$/

const unforwardable = (name: string): GatewayError =>
  new GatewayError('invalid_request', {
    zh: `请求头 ${name} 只能包含可打印的 ASCII 字符`,
    en: `the header ${name} may contain printable ASCII characters only`,
  })

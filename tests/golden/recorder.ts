import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { waitUntil } from '../harness/wait-until.ts'
import type { SentRequest } from './fixed-upstream.ts'
import type { GoldenSite } from './golden-site.ts'
import { type Json, Normaliser } from './normalise.ts'

/** One request of a client. */
export interface GoldenCall {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  /** Sent as JSON; a text is sent unchanged. */
  readonly body?: Json | FormData
  /** Name of a token of the site; `none` sends no key. */
  readonly token?: string
  /** The header that carries the key. */
  readonly keyHeader?: 'authorization' | 'x-api-key' | 'x-goog-api-key' | 'mj-api-secret'
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the gateway polls the upstream at times of its own, so that no upstream requests are recorded. */
  readonly isPolled?: boolean
}

/** A response as the client of a case reads it, to make its next call. */
export interface GoldenResponse {
  readonly status: number
  /** The parsed body; null when it is not JSON. */
  readonly json: Json
}

/** Makes the calls of one case. */
export interface GoldenClient {
  readonly site: GoldenSite
  call(call: GoldenCall): Promise<GoldenResponse>
  /** Calls until the response satisfies `isDone`, and records only that one. */
  poll(call: GoldenCall, isDone: (response: GoldenResponse) => boolean): Promise<GoldenResponse>
  /** Records anything but calls, such as the frames of a socket. All rows of `token` belong to the case. */
  record(name: string, value: Json, token?: string): void
}

export type GoldenCase = (client: GoldenClient) => Promise<void>
export type GoldenCases = Readonly<Record<string, GoldenCase>>

const TIMEOUT_MS = 20_000
/** Time for rows to appear whose number is not known yet, because they are recorded for the first time. */
const QUIET_MS = 250

interface Step {
  readonly name: string
  readonly value: Json
  readonly requestId?: string
  readonly token?: string | undefined
}

/** Runs cases and records responses, upstream requests, log rows, receipts and postings. */
export interface Recorder {
  /** Waits for as many log rows as the `expected` recording has. */
  run(work: GoldenCase, expected: Json | undefined): Promise<Json>
  /** Balances and totals by user, token, channel and model, and the number of open holds. */
  readTotals(): Json
  close(): void
}

export function createRecorder(site: GoldenSite): Recorder {
  const store = new Database(join(site.gateway.dataDir, 'tollgate.db'), { readonly: true })
  const lanes = createLaneReader(site)
  const texts = namedTexts(site)
  return {
    async run(work, expected) {
      const steps: Step[] = []
      const upstream: SentRequest[] = []
      let isPolled = false
      const addUpstream = async (): Promise<void> => {
        const requests = [...(await lanes.takeRequests()), ...site.fixed.takeRequests()]
        if (!isPolled) upstream.push(...requests)
      }
      const add = async (call: GoldenCall, sent: SentCall): Promise<GoldenResponse> => {
        const { response, requestId } = sent
        const value = { request: describeCall(call), response }
        steps.push({ name: `call ${steps.length + 1}`, value, ...(requestId && { requestId }) })
        isPolled ||= call.isPolled ?? false
        await addUpstream()
        return sent
      }
      await lanes.takeRequests()
      await work({
        site,
        call: async call => add(call, await sendCall(site, call)),
        async poll(call, isDone) {
          const sent = await waitUntil({ description: call.path, timeoutMs: TIMEOUT_MS }, async () => {
            const one = await sendCall(site, call)
            return isDone(one) && one
          })
          return add(call, sent)
        },
        record: (name, value, token) => void steps.push({ name, value, token }),
      })
      await addUpstream()
      const rows = await readRows(store, site, { steps, expected })
      const recorded = Object.fromEntries([
        ...steps.map(({ name, value }) => [name, value]),
        ['upstream', upstream.map(toJson)],
        ...rows,
      ])
      return new Normaliser(texts).value(recorded)
    },
    readTotals: () => new Normaliser(texts).value(readTotals(store)),
    close: () => store.close(),
  }
}

const namedTexts = (site: GoldenSite): ReadonlyMap<string, string> =>
  new Map([
    [site.gateway.url, '<gateway>'],
    [site.gateway.url.replace('http://', ''), '<gateway host>'],
    [site.lab.url, '<lab>'],
    [site.lab.url.replace('http://', ''), '<lab host>'],
    [site.fixed.url, '<upstream>'],
    [site.fixed.url.replace('http://', ''), '<upstream host>'],
    ...[...site.keys].map(([name, key]) => [key, `<key ${name}>`] as const),
  ])

interface SentCall extends GoldenResponse {
  readonly response: Json
  readonly requestId: string
}

async function sendCall({ gateway, keys }: GoldenSite, call: GoldenCall): Promise<SentCall> {
  const { method = 'POST', path, body, token = 'main', keyHeader = 'authorization', headers } = call
  const key = `sk-${keys.get(token) ?? ''}`
  const isJson = body !== undefined && !(body instanceof FormData)
  const response = await fetch(`${gateway.url}${path}`, {
    method,
    headers: {
      ...(token !== 'none' && { [keyHeader]: keyHeader === 'authorization' ? `Bearer ${key}` : key }),
      ...(isJson && { 'content-type': 'application/json' }),
      'accept-language': 'en',
      ...headers,
    },
    ...(body !== undefined && { body: isJson && typeof body !== 'string' ? JSON.stringify(body) : body }),
  })
  const bytes = await response.bytes()
  const content = readContent(response.headers.get('content-type') ?? '', bytes)
  const requestId = response.headers.get('x-oneapi-request-id') ?? ''
  const described = { status: response.status, headers: selectHeaders(response.headers), ...content }
  return { status: response.status, json: content.json ?? null, response: described, requestId }
}

function describeCall({ body, isPolled: _, ...call }: GoldenCall): Json {
  if (body === undefined) return toJson(call)
  return toJson({ ...call, body: body instanceof FormData ? describeForm(body) : body })
}

const describeForm = (form: FormData): Json =>
  [...form].map(([name, value]) => [
    name,
    typeof value === 'string' ? value : `${value.name}, ${value.size} bytes`,
  ])

/** Headers of the connection, and those that differ with every run. */
const IGNORED_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'date',
  'transfer-encoding',
])

const selectHeaders = (headers: Headers): Json =>
  Object.fromEntries([...headers].filter(([name]) => !IGNORED_HEADERS.has(name)))

function readContent(type: string, bytes: Uint8Array): { readonly [name: string]: Json } {
  if (/^(audio|image|application\/octet)/.test(type))
    return { bytes: bytes.length, sha256: new Bun.CryptoHasher('sha256').update(bytes).digest('hex') }
  const text = new TextDecoder().decode(bytes)
  if (type.startsWith('text/event-stream')) return { events: text.split('\n\n') }
  const json = parseJson(text)
  return json === undefined ? { text } : { json }
}

/** Safe cast: a parsed text holds nothing else. */
function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** Drops absent fields, as the recording does. */
const toJson = (value: object): Json => JSON.parse(JSON.stringify(value))

interface LaneState {
  readonly requests: number
  readonly last: { readonly method: string; readonly path: string; readonly body: string } | null
}

/** Reads the last request of every lab namespace that was called since the last time. */
function createLaneReader({ lab }: GoldenSite) {
  const counts = new Map<string, number>()
  return {
    async takeRequests(): Promise<readonly SentRequest[]> {
      const response = await fetch(`${lab.url}/control`)
      const { lanes }: { readonly lanes: Readonly<Record<string, LaneState>> } = await response.json()
      const changed = Object.entries(lanes).filter(([name, { requests }]) => requests !== counts.get(name))
      for (const [name, { requests }] of changed) counts.set(name, requests)
      return changed.map(([upstream, { last }]) => ({
        upstream,
        path: `${last?.method} ${last?.path}`,
        body: parseJson(last?.body ?? '') ?? last?.body ?? null,
      }))
    },
  }
}

interface LogRow {
  readonly id: number
  readonly request_id: string
}

interface RowsQuery {
  readonly steps: readonly Step[]
  readonly expected: Json | undefined
}

/** The log rows of the case as an administrator reads them, and its receipts and postings as they are stored. */
async function readRows(
  store: Database,
  site: GoldenSite,
  { steps, expected }: RowsQuery,
): Promise<readonly (readonly [string, Json])[]> {
  const ids = steps.flatMap(({ requestId }) => requestId ?? [])
  const tokens = steps.flatMap(({ token }) => token ?? [])
  const find = store.query<LogRow, [string, string]>(
    `select id, request_id from logs where request_id in (select value from json_each(?))
     or token_name in (select value from json_each(?)) order by id`,
  )
  const count = isObject(expected) && Array.isArray(expected.logs) ? expected.logs.length : undefined
  if (count === undefined) await Bun.sleep(QUIET_MS)
  const found = await waitUntil({ description: `${count} log rows`, timeoutMs: TIMEOUT_MS }, () => {
    const rows = find.all(JSON.stringify(ids), JSON.stringify(tokens))
    return rows.length >= (count ?? 0) && rows
  })
  const logs: Json[] = []
  for (const { request_id } of new Map(found.map(row => [row.request_id, row])).values())
    logs.push(...(await fetchLogs(site, request_id)))
  const requestIds = JSON.stringify([...new Set([...ids, ...found.map(row => row.request_id)])])
  const receipts = store.query<{ readonly body: string }, [string]>(
    'select body from receipts where log_id in (select id from logs where request_id in (select value from json_each(?))) order by log_id',
  )
  const postings = store.query<{ readonly [column: string]: Json }, [string]>(
    'select kind, from_account, to_account, amount, user_id, token_id, is_token_limited, channel_id, request_id, actor_id, reason from postings where request_id in (select value from json_each(?)) order by id',
  )
  const holds = store.query<{ readonly [column: string]: Json }, [string]>(
    'select request_id, amount from holds where request_id in (select value from json_each(?))',
  )
  return [
    ['logs', logs],
    ['receipts', receipts.all(requestIds).map(({ body }) => parseJson(body) ?? body)],
    ['postings', postings.all(requestIds)],
    ['open holds', holds.all(requestIds)],
  ]
}

const isObject = (value: Json | undefined): value is { readonly [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The rows of a request without their numbers, with their details parsed. */
async function fetchLogs({ gateway, root }: GoldenSite, requestId: string): Promise<readonly Json[]> {
  const response = await fetch(`${gateway.url}/api/log/?request_id=${requestId}`, {
    headers: { cookie: root.cookie, 'new-api-user': String(root.userId) },
  })
  const { data }: { readonly data: { readonly items: readonly { readonly other: string }[] } } =
    await response.json()
  return data.items.map(({ other, ...row }) => toJson({ ...row, id: '<row>', other: parseJson(other) }))
}

function readTotals(store: Database): Json {
  const all = (sql: string): readonly Json[] => store.query<{ readonly [name: string]: Json }, []>(sql).all()
  return {
    users: all('select username, quota, held_quota, used_quota, request_count from users order by id'),
    tokens: all('select name, status, remain_quota, used_quota from tokens order by id'),
    channels: all('select name, used_quota, status from channels order by id'),
    usage: all(
      'select user_id, token_id, channel_id, model_name, "group", type, sum(count) count, sum(quota) quota, sum(prompt_tokens) prompt_tokens, sum(completion_tokens) completion_tokens from usage_hours group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6',
    ),
    postings: all(
      'select kind, count(*) count, sum(amount) amount from postings group by kind order by kind',
    ),
    logs: all('select type, count(*) count from logs group by type order by type'),
    'open holds': all('select count(*) count from holds'),
  }
}

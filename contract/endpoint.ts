import { z } from 'zod'
import type { AuditedRecord } from './audited-records.ts'
import type { OrganizationRole, Role } from './enums.ts'
import { flagField, numberField, textField } from './fields.ts'
import type { Presence } from './presence.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** What decides whether an input is dangerous. */
interface PresenceInput<Body> {
  readonly body: Body
  readonly callerId: number
  /** What it needs to give an option this text; undefined for an option that has it already, and for unknown ones. */
  needsOfOption(key: string, text: string): Presence | undefined
}

interface AuditInput<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly callerId: number
}

/** Values by column: records match by any of them. Empty texts match none. */
export type ChangedRows = Readonly<Record<string, readonly (string | number)[]>>

/** The caller's own account. */
export const ownRow = ({ callerId }: { readonly callerId: number }): ChangedRows => ({ id: [callerId] })

/**
 * One operation of the management API. The server, the console and the OpenAPI document all read it, so an endpoint is
 * defined once. The path is served with and without a trailing slash.
 */
export interface Endpoint<Params, Query, Body, Data, Meta> {
  readonly method: Method
  /** Parameters are written `:id`. */
  readonly path: `/${string}`
  readonly role: Role
  /** The least role of members who may call it for an organisation. Absent: it serves none. */
  readonly organization?: OrganizationRole
  /** What the caller proves besides the role. */
  readonly needs?: Presence
  /** What some inputs need although `needs` does not. Its description says which. */
  needsFor?(input: PresenceInput<Body>): Presence | undefined
  /** Whether sessions may call it that must add a second factor before anything else. Visitors' calls always may. */
  readonly isForEnrolment?: boolean
  /** What the audit log keeps. Default: calls other than GET that succeed or change something. `attempts`: all. */
  readonly audit?: 'success' | 'attempts' | 'none'
  /** The records that a call changes, which the audit log shows as they were before and after. */
  readonly changes?: AuditedRecord
  /** Which of them, by the values of a column. Default: those that `id` of the path, and `id` and `ids` of the body name. */
  changedRows?(input: AuditInput<Params, Query, Body>): ChangedRows
  /** One line for the OpenAPI document. */
  readonly summary: string
  /** Details for the OpenAPI document, as Markdown. */
  readonly description?: string
  readonly params: z.ZodType<Params>
  readonly query: z.ZodType<Query>
  readonly body: z.ZodType<Body>
  /** The `data` of the response envelope. */
  readonly reply: z.ZodType<Data>
  /** Further fields of the envelope, for the few endpoints that return more than `data`. */
  readonly meta: z.ZodType<Meta>
  /** `form`: the body is a form of texts, urlencoded or multipart, since outside parties and browsers send it. Default: JSON. */
  readonly accepts?: 'form'
  /** Media type of the response when it is not the JSON envelope. */
  readonly produces?: string
  /**
   * Console page that completes the call when a browser navigates to it: a navigation cannot name its user in a header, so it
   * proves nothing. The page receives the same query.
   */
  readonly consolePage?: `/${string}`
  /** When the response has HTTP status 404. Absent: never, since missing objects are errors with HTTP 200. */
  readonly missing?: string
  /** When the response has HTTP status 409. Absent: never. */
  readonly conflict?: string
  /** The largest request body. Default: 2 MiB of administrators, 256 KiB of users, 16 KiB of visitors. */
  readonly bodyBytesMax?: number
  /** Points of the caller's budget. Default: `COST.write`, or nothing for a GET of somebody who is signed in. */
  readonly cost?: number
  /** Endpoints worth guessing at (passwords, codes): they share a strict rate limit per address. */
  readonly isCritical?: boolean
}

/** Costs of calls, in points of the caller's budget. Reading a record or a plain list is free for signed-in users. */
export const COST = { visit: 1, write: 2, search: 4, statistics: 4, providerCall: 20, export: 60 } as const

// biome-ignore lint/suspicious/noExplicitAny: the one place where endpoints of all shapes are meant
export type AnyEndpoint = Endpoint<any, any, any, any, any>
export type ParamsOf<E> = E extends Endpoint<infer P, infer _Q, infer _B, infer _D, infer _M> ? P : never
export type QueryOf<E> = E extends Endpoint<infer _P, infer Q, infer _B, infer _D, infer _M> ? Q : never
export type BodyOf<E> = E extends Endpoint<infer _P, infer _Q, infer B, infer _D, infer _M> ? B : never
export type DataOf<E> = E extends Endpoint<infer _P, infer _Q, infer _B, infer D, infer _M> ? D : never
export type MetaOf<E> = E extends Endpoint<infer _P, infer _Q, infer _B, infer _D, infer M> ? M : never

const Nothing = z.undefined()
const NoFields = z.object({})

type EndpointDefinition<Params, Query, Body, Data, Meta> = Omit<
  Endpoint<Params, Query, Body, Data, Meta>,
  'params' | 'query' | 'body' | 'reply' | 'meta'
> & {
  readonly params?: z.ZodType<Params>
  readonly query?: z.ZodType<Query>
  readonly body?: z.ZodType<Body>
  readonly reply?: z.ZodType<Data>
  readonly meta?: z.ZodType<Meta>
}

/**
 * Defines an endpoint. Omitted parts are empty: no parameters, no body, no `data`. The casts are safe because each type
 * parameter defaults to the empty type when its schema is omitted.
 */
export function endpoint<
  Params = Record<string, never>,
  Query = Record<string, never>,
  Body = undefined,
  Data = undefined,
  Meta = Record<string, never>,
>(
  definition: EndpointDefinition<Params, Query, Body, Data, Meta>,
): Endpoint<Params, Query, Body, Data, Meta> {
  return {
    params: NoFields as unknown as z.ZodType<Params>,
    query: NoFields as unknown as z.ZodType<Query>,
    body: Nothing as unknown as z.ZodType<Body>,
    reply: Nothing as unknown as z.ZodType<Data>,
    meta: NoFields as unknown as z.ZodType<Meta>,
    ...definition,
  }
}

/** The same endpoint for POST. Some state-changing endpoints are GET for compatibility and are served for both. */
export const byPost = <E extends AnyEndpoint>(definition: E): E => ({ ...definition, method: 'POST' })

export const PAGE_SIZES = [10, 20, 50, 100] as const
export const PAGE_SIZE_DEFAULT = 10
export const PAGE_SIZE_MAX = 100

const pageNumber = (first: number) =>
  z.coerce
    .number()
    .int()
    .catch(first)
    .transform(page => Math.max(page, first))
    .meta({
      description:
        first === 0
          ? 'Page number, counted from 0.'
          : 'Page number, counted from 1; 0 is the first page too.',
      example: first,
    })

/** Invalid page sizes fall back to the default instead of failing. */
const pageSize = (fallback: number) =>
  z.coerce
    .number()
    .int()
    .min(1)
    .catch(fallback)
    .transform(size => Math.min(size, PAGE_SIZE_MAX))
    .meta({
      description: `Rows per page, at most ${PAGE_SIZE_MAX}. Default ${fallback}.`,
      example: fallback,
    })

export const PagesFromOne = z.object({
  p: pageNumber(1),
  page_size: pageSize(PAGE_SIZE_DEFAULT),
})

/** For the lists whose `data` is a bare array. */
export const PagesFromZero = z.object({
  p: pageNumber(0),
  page_size: pageSize(PAGE_SIZE_DEFAULT),
})

/** Searches return a full page by default, because older clients do not page through them. */
export const SearchPages = z.object({
  p: pageNumber(0),
  page_size: pageSize(PAGE_SIZE_MAX),
})

/** The token lists call their page size `size`. */
export const TokenPages = z.object({
  p: pageNumber(0),
  size: pageSize(PAGE_SIZE_DEFAULT),
})

export const TokenSearchPages = z.object({
  p: pageNumber(0),
  size: pageSize(PAGE_SIZE_MAX),
})

const totals = {
  total: numberField('Number of rows on all pages.', 42),
  page: numberField('Number of this page, as requested.', 1),
  page_size: numberField('Rows per page.', PAGE_SIZE_DEFAULT),
}

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item).meta({ description: 'The rows of this page.' }), ...totals })

/** Accompanies bare arrays, so that clients know the length of the list. */
export const ListMeta = z.object(totals)

/** The envelope of every JSON response. `code` is stable and for machines, `message` is text in the caller's language. */
export interface Envelope<Data> {
  readonly success: boolean
  readonly message: string
  readonly code?: string
  readonly data?: Data
}

export const IdParams = z.object({
  id: z.coerce.number().int().positive().meta({ description: 'Id of the object.', example: 12 }),
})

export const ROWS_AT_ONCE_MAX = 1000

/** The ids of a batch operation. */
export const Ids = z
  .array(z.number().int().positive())
  .min(1)
  .max(ROWS_AT_ONCE_MAX)
  .meta({ description: `Ids of the affected objects, 1 to ${ROWS_AT_ONCE_MAX}.`, example: [12, 13] })

export const RowOutcome = z
  .object({
    id: numberField('Id of the object.', 12),
    success: flagField('Whether the operation succeeded for this object.', true),
    code: textField('Error code; empty on success.', ''),
    message: textField('Error message; empty on success.', ''),
  })
  .meta({
    id: 'RowOutcome',
    description: 'Result of a batch operation for one object, in the order of the ids.',
  })
export type RowOutcome = z.infer<typeof RowOutcome>

export const MATCHING_ROWS_MAX = 100_000

/** The size of a selection that is made by a filter, in calls that change all objects that match it. */
export const ConfirmedCount = z.number().int().min(1).max(MATCHING_ROWS_MAX).meta({
  description:
    'How many matching objects the user has confirmed. If more match now, nothing is changed and the error is `matching.more_match` (409). Objects that match only later are not changed.',
  example: 42,
})

export const MORE_MATCH = 'More objects match than were confirmed, or too many.'

export const MatchingResult = z
  .object({
    matched: numberField('Objects that matched the filter.', 42),
    changed: numberField('Those of them that were changed. The others do not allow the change.', 40),
  })
  .meta({ id: 'MatchingResult', description: 'Result of a change of all objects that match a filter.' })
export type MatchingResult = z.infer<typeof MatchingResult>

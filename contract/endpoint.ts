import { z } from 'zod'
import type { Role } from './enums.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** One call of the management API. Both forms of the path, with and without the trailing slash, are answered. */
export interface Endpoint<Params, Query, Body, Data, Beside> {
  readonly method: Method
  /** Parameters are written `:id`. */
  readonly path: `/${string}`
  readonly role: Role
  /** One line for the API page. */
  readonly summary: string
  readonly params: z.ZodType<Params>
  readonly query: z.ZodType<Query>
  readonly body: z.ZodType<Body>
  /** What stands in `data` of the envelope. */
  readonly reply: z.ZodType<Data>
  /** What stands in the envelope beside `data`, for the few calls that the specification gives more than `data`. */
  readonly meta: z.ZodType<Beside>
  /** The media type of the answer's body when it is not the JSON envelope. */
  readonly produces?: string
  /** Guessing here would hurt: one address may make few such calls, all of them together. */
  readonly isCritical?: boolean
}

// biome-ignore lint/suspicious/noExplicitAny: the one place where endpoints of all shapes are meant
export type AnyEndpoint = Endpoint<any, any, any, any, any>
export type ParamsOf<E> = E extends Endpoint<infer P, infer _Q, infer _B, infer _D, infer _X> ? P : never
export type QueryOf<E> = E extends Endpoint<infer _P, infer Q, infer _B, infer _D, infer _X> ? Q : never
export type BodyOf<E> = E extends Endpoint<infer _P, infer _Q, infer B, infer _D, infer _X> ? B : never
export type DataOf<E> = E extends Endpoint<infer _P, infer _Q, infer _B, infer D, infer _X> ? D : never
export type MetaOf<E> = E extends Endpoint<infer _P, infer _Q, infer _B, infer _D, infer X> ? X : never

const Nothing = z.undefined()
const NoQuery = z.object({})

interface EndpointDefinition<Params, Query, Body, Data, Beside> {
  readonly method: Method
  readonly path: `/${string}`
  readonly role: Role
  readonly summary: string
  readonly params?: z.ZodType<Params>
  readonly query?: z.ZodType<Query>
  readonly body?: z.ZodType<Body>
  readonly reply?: z.ZodType<Data>
  readonly meta?: z.ZodType<Beside>
  readonly produces?: string
  readonly isCritical?: boolean
}

/** Says a call once. What is left out is empty: no parameters, no body, no `data`. */
export function endpoint<
  Params = Record<string, never>,
  Query = Record<string, never>,
  Body = undefined,
  Data = undefined,
  Beside = Record<string, never>,
>(said: EndpointDefinition<Params, Query, Body, Data, Beside>): Endpoint<Params, Query, Body, Data, Beside> {
  return {
    params: NoQuery as unknown as z.ZodType<Params>,
    query: NoQuery as unknown as z.ZodType<Query>,
    body: Nothing as unknown as z.ZodType<Body>,
    reply: Nothing as unknown as z.ZodType<Data>,
    meta: NoQuery as unknown as z.ZodType<Beside>,
    ...said,
  }
}

/** The same call as POST: the specification asks some calls with GET that change something. */
export const byPost = <E extends AnyEndpoint>(said: E): E => ({ ...said, method: 'POST' })

export const PAGE_SIZES = [10, 20, 50, 100] as const
export const PAGE_SIZE_DEFAULT = 10
export const PAGE_SIZE_MAX = 100

const pageNumber = (first: number) =>
  z.coerce
    .number()
    .int()
    .catch(first)
    .transform(page => Math.max(page, first))

/** What is no size of a page means the usual one. */
const pageSize = (usual: number) =>
  z.coerce
    .number()
    .int()
    .min(1)
    .catch(usual)
    .transform(size => Math.min(size, PAGE_SIZE_MAX))

/** `p` counts from 1; 0 means the first page too. */
export const PagesFromOne = z.object({
  p: pageNumber(1),
  page_size: pageSize(PAGE_SIZE_DEFAULT),
})

/** `p` counts from 0, for the lists whose `data` is a bare array. */
export const PagesFromZero = z.object({
  p: pageNumber(0),
  page_size: pageSize(PAGE_SIZE_DEFAULT),
})

/** Searches of bare arrays: a caller that asks for no page gets as much as one answer may hold. */
export const SearchPages = z.object({
  p: pageNumber(0),
  page_size: pageSize(PAGE_SIZE_MAX),
})

/** The token lists name their page size `size`. */
export const TokenPages = z.object({
  p: pageNumber(0),
  size: pageSize(PAGE_SIZE_DEFAULT),
})

export const TokenSearchPages = z.object({
  p: pageNumber(0),
  size: pageSize(PAGE_SIZE_MAX),
})

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), total: z.number(), page: z.number(), page_size: z.number() })

/** Stands beside the bare arrays, so that a list never has to guess its length. */
export const ListMeta = z.object({ total: z.number(), page: z.number(), page_size: z.number() })

/** What every call answers. `code` is stable and for machines, `message` is a sentence in the caller's language. */
export interface Envelope<Data> {
  readonly success: boolean
  readonly message: string
  readonly code?: string
  readonly data?: Data
}

export const IdParams = z.object({ id: z.coerce.number().int().positive() })

export const ROWS_AT_ONCE_MAX = 1000

/** Ids of what one call does something to. */
export const Ids = z.array(z.number().int().positive()).min(1).max(ROWS_AT_ONCE_MAX)

/** What became of one row of many; `code` and `message` say why not. The rows stand in the order in which they were named. */
export const RowOutcome = z.object({
  id: z.number(),
  success: z.boolean(),
  code: z.string(),
  message: z.string(),
})
export type RowOutcome = z.infer<typeof RowOutcome>

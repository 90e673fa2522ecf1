import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import type { z } from 'zod'

type SearchSchema = z.ZodObject
type Plain = Record<string, string>

/** The address bar as plain texts, without a framework's JSON quoting: `?q=a&p=2`. */
export const parseAddress = (search: string): Plain => Object.fromEntries(new URLSearchParams(search))

export function writeAddress(search: Record<string, unknown>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== '') query.set(name, String(value))
  }
  return query.size === 0 ? '' : `?${query}`
}

/** Keeps what `schema` knows and what differs from its defaults. Every field of the schema must have a default. */
export function cleanSearch(schema: SearchSchema, search: Record<string, unknown>): Plain {
  const values = schema.parse(search)
  const defaults = schema.parse({})
  const kept = Object.entries(values).filter(
    ([name, value]) => value !== undefined && value !== '' && value !== defaults[name],
  )
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]))
}

export type SearchOf<Schema extends SearchSchema> = z.infer<Schema>

/** Some parts of the address; undefined takes a part back to its default. */
export type SearchChange<Schema extends SearchSchema> = {
  readonly [Name in keyof SearchOf<Schema>]?: SearchOf<Schema>[Name] | undefined
}

/** What the address says, read with the screen's schema. */
export function useUrlState<Schema extends SearchSchema>(schema: Schema): SearchOf<Schema> {
  const search: Plain = useSearch({ strict: false })
  return useMemo(() => schema.parse(search), [schema, search])
}

export interface UrlChange {
  /** A change that Back should undo (an opened sheet). Filters replace the entry. */
  readonly push?: boolean
  /** The form was saved: leaving it loses nothing, so nothing is asked. */
  readonly leavesForm?: boolean
}

/** Changes part of what the address says and keeps the rest. */
export function useSetUrlState<Schema extends SearchSchema>(
  schema: Schema,
): (change: SearchChange<Schema>, how?: UrlChange) => void {
  const navigate = useNavigate()
  return useCallback(
    (change, how = {}) => {
      const search = (before: Plain): Plain => cleanSearch(schema, { ...before, ...change })
      void navigate({
        to: '.',
        search,
        replace: !how.push,
        resetScroll: false,
        ignoreBlocker: how.leavesForm ?? false,
      })
    },
    [navigate, schema],
  )
}

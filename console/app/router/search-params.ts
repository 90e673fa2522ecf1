import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import type { z } from 'zod'

type SearchSchema = z.ZodObject
type Plain = Record<string, string>

/** Parses search params as plain strings, without the router's JSON quoting: `?q=a&p=2`. */
export const parseSearch = (search: string): Plain => Object.fromEntries(new URLSearchParams(search))

export function stringifySearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== '') query.set(name, String(value))
  }
  return query.size === 0 ? '' : `?${query}`
}

/** Drops unknown params and default values. Every field of the schema must have a default. */
export function cleanSearch(schema: SearchSchema, search: Record<string, unknown>): Plain {
  const values = schema.parse(search)
  const defaults = schema.parse({})
  const kept = Object.entries(values).filter(
    ([name, value]) => value !== undefined && value !== '' && value !== defaults[name],
  )
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]))
}

const withoutParams = ({ shape }: SearchSchema, search: Plain): Plain =>
  Object.fromEntries(Object.entries(search).filter(([name]) => !Object.hasOwn(shape, name)))

export type SearchParamsOf<Schema extends SearchSchema> = z.infer<Schema>

/** A partial update; undefined resets a param to its default. */
export type SearchParamsChange<Schema extends SearchSchema> = {
  readonly [Name in keyof SearchParamsOf<Schema>]?: SearchParamsOf<Schema>[Name] | undefined
}

/** The current search params, parsed with the screen's schema. */
export function useSearchParams<Schema extends SearchSchema>(schema: Schema): SearchParamsOf<Schema> {
  const search: Plain = useSearch({ strict: false })
  return useMemo(() => schema.parse(search), [schema, search])
}

export interface SearchUpdateOptions {
  /** Adds a history entry, so that Back undoes the change (an opened sheet). Filters replace the entry. */
  readonly push?: boolean
  /** Skips the unsaved-changes prompt, after the form was saved. */
  readonly leavesForm?: boolean
}

/** Updates some search params and keeps the others, those of other schemas included. */
export function useSetSearchParams<Schema extends SearchSchema>(
  schema: Schema,
): (change: SearchParamsChange<Schema>, how?: SearchUpdateOptions) => void {
  const navigate = useNavigate()
  return useCallback(
    (change, how = {}) => {
      const search = (before: Plain): Plain => ({
        ...withoutParams(schema, before),
        ...cleanSearch(schema, { ...before, ...change }),
      })
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

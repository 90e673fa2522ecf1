import type { z } from 'zod'
import { parseJsonText } from '#contract/json-text.ts'
import { Figures, Names } from '#contract/options/define-option.ts'

/** An option that maps names to numbers, or to texts. */
export type NumberTable = Readonly<Record<string, number>>
export type TextTable = Readonly<Record<string, string>>

function parseTable<Table>(schema: z.ZodType<Table>, text: string): Table | undefined {
  const parsed = parseJsonText(text.trim() === '' ? '{}' : text)
  return schema.safeParse(parsed.ok ? parsed.value : undefined).data
}

/** Parses a number table. Undefined when the text is not one. */
export const parseNumberTable = (text: string): NumberTable | undefined => parseTable(Figures, text)

/** Parses a text table. Undefined when the text is not one. */
export const parseTextTable = (text: string): TextTable | undefined => parseTable(Names, text)

/** The stored form of a table. */
export const stringifyTable = (table: NumberTable | TextTable): string => JSON.stringify(table, null, 2)

/** Sets one entry of a table; undefined removes it. The same table when nothing changes. */
export function withEntry<Value>(
  table: Readonly<Record<string, Value>>,
  name: string,
  value: Value | undefined,
): Readonly<Record<string, Value>> {
  if (table[name] === value) return table
  if (value !== undefined) return { ...table, [name]: value }
  return Object.fromEntries(Object.entries(table).filter(([key]) => key !== name))
}

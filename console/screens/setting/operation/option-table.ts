import { z } from 'zod'
import { parseJsonText } from '#contract/json-text.ts'

/** A table of an option: name to figure, or name to words. */
export type Figures = Readonly<Record<string, number>>
export type Words = Readonly<Record<string, string>>

const FiguresJson = z.record(z.string(), z.number().min(0))
const WordsJson = z.record(z.string(), z.string())

function tableIn<Table>(schema: z.ZodType<Table>, text: string): Table | undefined {
  const parsed = parseJsonText(text.trim() === '' ? '{}' : text)
  return schema.safeParse(parsed.ok ? parsed.value : undefined).data
}

/** The figures of an option's text; undefined when it is not such a table. */
export const figuresIn = (text: string): Figures | undefined => tableIn(FiguresJson, text)

/** The same for words. */
export const wordsIn = (text: string): Words | undefined => tableIn(WordsJson, text)

/** A table as the option stores it. */
export const tableText = (table: Figures | Words): string => JSON.stringify(table, null, 2)

/** The table with one entry changed; undefined takes it out. */
export function withEntry<Value>(
  table: Readonly<Record<string, Value>>,
  name: string,
  value: Value | undefined,
): Readonly<Record<string, Value>> {
  if (value !== undefined) return { ...table, [name]: value }
  return Object.fromEntries(Object.entries(table).filter(([key]) => key !== name))
}

/** A figure as it was typed; undefined when it is not a number from 0 up. */
export function figureOf(typed: string): number | undefined {
  const value = Number(typed)
  return typed.trim() !== '' && Number.isFinite(value) && value >= 0 ? value : undefined
}

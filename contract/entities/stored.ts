import { z } from 'zod'

/**
 * The fields of a stored record, each said once as a plain zod field: its rule, its default, its description. Table, draft,
 * change, view, form, export and import derive from them. A column has the name of its field.
 */

type Shape = z.ZodRawShape
type Field = z.core.$ZodType

/** A stored value: both engines store booleans as 0 and 1. */
export type Cell<Value> = Value extends boolean ? 0 | 1 : Value

export type Cells<S extends Shape> = { readonly [Name in keyof S]: Cell<z.output<S[Name]>> }

/** The names of the fields that have a default. */
type Defaulted<S extends Shape> = { [Name in keyof S]: S[Name] extends z.ZodDefault ? Name : never }[keyof S]

/** Cells of a record from elsewhere, where those with a default may be absent. */
export type GivenCells<S extends Shape> = Omit<Cells<S>, Defaulted<S>> & Partial<Pick<Cells<S>, Defaulted<S>>>

export const LIMIT_MAX = 1_000_000

/** A limit of requests. The description says that 0 is no limit. */
export const limit = (description: string, example: number) =>
  z.number().int().min(0).max(LIMIT_MAX).default(0).meta({ description, example })

/** The rule of a field without its default. */
export const ruleOf = (field: Field): Field => (field instanceof z.ZodDefault ? field.unwrap() : field)

/**
 * The type of a field without its rules. Throws for a transform that does not say what it returns: end it with
 * `.pipe(z.string())`, or keep the type with `.overwrite()`.
 */
export function plainType(field: Field): z.ZodType {
  const rule = ruleOf(field)
  if (rule instanceof z.ZodPipe) return plainType(rule.out)
  if (rule instanceof z.ZodString) return z.string()
  if (rule instanceof z.ZodNumber) return z.number()
  if (rule instanceof z.ZodBoolean) return z.boolean()
  if (rule instanceof z.ZodEnum || rule instanceof z.ZodLiteral) return rule
  throw new Error('a stored field is a text, a number, a boolean or one of several values')
}

type View<S extends Shape> = { readonly [Name in keyof S]: z.ZodType<z.output<S[Name]>> }

/** The fields as a record shows them. Stored values may break a rule: they can be older, or come from another gateway. */
export const viewOf = <S extends Shape>({ shape }: z.ZodObject<S>): View<S> =>
  mapFields<View<S>>(shape, field => plainType(field).meta(metaOf(field)))

type Changes<S extends Shape> = {
  readonly [Name in keyof S]: z.ZodOptional<
    z.ZodType<z.output<S[Name]>, Exclude<z.input<S[Name]>, undefined>>
  >
}

/** The fields of a change, all of them optional. zod's `partial` would fill absent ones with their defaults. */
export const changesOf = <S extends Shape>({ shape }: z.ZodObject<S>): Changes<S> =>
  mapFields<Changes<S>>(shape, field => z.optional(ruleOf(field)).meta(metaOf(field)))

type CellTypes<S extends Shape> = { readonly [Name in keyof S]: z.ZodType<Cell<z.output<S[Name]>>> }

/** The fields as cells, for documents. An older document lacks newer fields, which take their defaults. */
export const cellsOf = <S extends Shape>({ shape }: z.ZodObject<S>): CellTypes<S> =>
  mapFields<CellTypes<S>>(shape, field => {
    const type = cellType(ruleOf(field))
    return field instanceof z.ZodDefault ? z._default(type, toCell(field.def.defaultValue)) : type
  })

function cellType(rule: Field): z.ZodType {
  if (rule instanceof z.ZodBoolean) return z.literal([0, 1])
  if (rule instanceof z.ZodNumber) return z.int().min(rule.minValue ?? Number.MIN_SAFE_INTEGER)
  return plainType(rule)
}

type Defaults<S extends Shape> = { readonly [Name in Defaulted<S>]: z.output<S[Name]> }

/** The default values of the fields that have one. */
export const defaultsOf = <S extends Shape>({ shape }: z.ZodObject<S>): Defaults<S> =>
  fromEntries<Defaults<S>>(
    Object.entries(shape).flatMap(([name, field]) =>
      field instanceof z.ZodDefault ? [[name, field.def.defaultValue] as const] : [],
    ),
  )

type CellsOf<S extends Shape, Values> = {
  [Name in keyof Values as Name extends keyof S ? Name : never]: Cell<Exclude<Values[Name], undefined>>
}

/** The cells of the present fields. Other members are left out. */
export const toCells = <S extends Shape, Values extends object>({ shape }: z.ZodObject<S>, values: Values) =>
  fromEntries<CellsOf<S, Values>>(
    Object.entries(values)
      .filter(([name, value]) => Object.hasOwn(shape, name) && value !== undefined)
      .map(([name, value]) => [name, toCell(value)]),
  )

/** The fields of a row. Other columns are left out, so that a new one cannot leak. */
export const fromCells = <S extends Shape>({ shape }: z.ZodObject<S>, row: Cells<S>) =>
  fromEntries<z.output<z.ZodObject<S>>>(
    Object.entries(shape).map(([name, field]) => [name, isFlag(field) ? row[name] === 1 : row[name]]),
  )

const isFlag = (field: Field): boolean => ruleOf(field) instanceof z.ZodBoolean

const toCell = (value: unknown): unknown => (typeof value === 'boolean' ? Number(value) : value)

const metaOf = (field: Field) => z.globalRegistry.get(field) ?? {}

const mapFields = <Mapped>(shape: Shape, map: (field: Field) => z.ZodType): Mapped =>
  fromEntries<Mapped>(Object.entries(shape).map(([name, field]) => [name, map(field)]))

/** The callers above make one entry for each member of their type. */
const fromEntries = <Members>(entries: readonly (readonly [string, unknown])[]): Members =>
  Object.fromEntries(entries) as Members

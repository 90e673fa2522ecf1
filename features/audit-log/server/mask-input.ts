import { z } from 'zod'

export const MASK = '***'
const TEXT_CHARS_MAX = 500
const ITEMS_MAX = 1000

/** User and password in an address. */
const USER_INFO = /(?<=:\/\/)[^/?#\s]*@/g

/** A text without credentials in addresses. */
export const plainText = (text: string): string => text.replace(USER_INFO, `${MASK}@`)

/** A text as long as the log keeps it. */
export const cutText = (text: string): string =>
  text.length > TEXT_CHARS_MAX ? `${text.slice(0, TEXT_CHARS_MAX)}…` : text

type FieldSchema = z.core.$ZodType

/**
 * Validated input as the log keeps it. Fields that the contract describes with `format: 'password'` are masked, and those
 * that it does not declare are left out.
 */
export function maskInput(schema: FieldSchema, value: unknown): unknown {
  if (value === undefined || value === null || value === '') return value
  if (z.globalRegistry.get(schema)?.format === 'password') return MASK
  const inner = innerSchema(schema)
  if (inner) return maskInput(inner, value)
  if (schema instanceof z.ZodUnion) return maskInput(matchingOption(schema.options, value), value)
  if (Array.isArray(value)) return maskList(schema, value)
  if (typeof value === 'object') return maskObject(schema, value)
  return typeof value === 'string' ? plainText(cutText(value)) : value
}

function innerSchema(schema: FieldSchema): FieldSchema | undefined {
  if (schema instanceof z.ZodPipe) return schema.out instanceof z.ZodTransform ? schema.in : schema.out
  return schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodCatch
    ? schema.unwrap()
    : undefined
}

/** The value was transformed, so that no option may match it any more. */
const matchingOption = (options: readonly FieldSchema[], value: unknown): FieldSchema =>
  options.find(option => z.safeParse(option, value).success) ??
  options.find(option => Array.isArray(value) === option instanceof z.ZodArray) ??
  z.never()

const maskList = (schema: FieldSchema, values: readonly unknown[]): unknown =>
  values
    .slice(0, ITEMS_MAX)
    .map(value => maskInput(schema instanceof z.ZodArray ? schema.element : z.unknown(), value))

function maskObject(schema: FieldSchema, value: object): unknown {
  if (schema instanceof z.ZodRecord) return mapValues(value, field => maskInput(schema.valueType, field))
  const shape: Readonly<Record<string, FieldSchema>> = schema instanceof z.ZodObject ? schema.shape : {}
  const declared = Object.entries(value).filter(([name]) => Object.hasOwn(shape, name))
  return Object.fromEntries(
    declared.map(([name, field]) => [name, maskInput(shape[name] ?? z.never(), field)]),
  )
}

export const mapValues = (value: object, map: (field: unknown) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([name, field]) => [name, map(field)]))

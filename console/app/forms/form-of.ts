import { z } from 'zod'
import { defaultsOf, plainType, ruleOf } from '#contract/entities/stored.ts'
import { translatorOf } from '../../ui/text/text.ts'
import { formText } from './text.ts'

type Shape = z.ZodRawShape

/** A number is text as it was typed. */
type Typed<Value> = Value extends number ? string : Value
type TypedFields<S extends Shape> = { [Name in keyof S]: Typed<z.output<S[Name]>> }
type FormShape<S extends Shape> = {
  [Name in keyof S]: z.ZodType<Typed<z.output<S[Name]>>, Typed<z.output<S[Name]>>>
}

const WHOLE = /^-?\d{1,15}$/
const t = translatorOf(formText)

/** The form of an entity's fields, under their names. Omit fields that the form shows in its own way. */
export function formOf<S extends Shape>(fields: z.ZodObject<S>) {
  const entries = Object.entries(fields.shape)
  const numbers = new Set(entries.flatMap(([name, field]) => (isNumber(field) ? [name] : [])))
  const convert = (values: object, convertNumber: (value: unknown) => unknown) =>
    Object.entries(values).flatMap(([name, value]) =>
      Object.hasOwn(fields.shape, name)
        ? [[name, numbers.has(name) ? convertNumber(value) : value] as const]
        : [],
    )
  const blank = entries.map(([name, field]) => [name, isNumber(field) ? 0 : ''] as const)
  return {
    /** The values, whether or not the rules accept them. */
    values: fromEntries<FormShape<S>>(entries.map(([name, field]) => [name, typedValue(field)])),
    /** The same with the rules of the contract. */
    rules: fromEntries<FormShape<S>>(
      entries.map(([name, field]) => [name, isNumber(field) ? typedNumber(field) : ruled(field)]),
    ),
    /** The values of a new record. */
    start: fromEntries<TypedFields<S>>(
      convert({ ...Object.fromEntries(blank), ...defaultsOf(fields) }, String),
    ),
    fromRecord: (record: z.output<z.ZodObject<S>>) => fromEntries<TypedFields<S>>(convert(record, String)),
    /** Throws for values that the rules do not accept. Empty numbers take their defaults. */
    toFields: (values: TypedFields<S>) => fields.parse(fromEntries(convert(values, toNumber))),
  }
}

const isNumber = (field: z.core.$ZodType): boolean => plainType(field) instanceof z.ZodNumber

const typedValue = (field: z.core.$ZodType): z.ZodType => (isNumber(field) ? z.string() : plainType(field))

const toNumber = (typed: unknown): number | undefined =>
  String(typed).trim() === '' ? undefined : Number(typed)

function typedNumber(field: z.core.$ZodType): z.ZodType {
  const rule = ruleOf(field)
  const { minValue: least, maxValue: most } = rule instanceof z.ZodNumber ? rule : z.int()
  return z.string().superRefine((typed, context) => {
    const isOptional = field instanceof z.ZodDefault && typed.trim() === ''
    if (isOptional || (WHOLE.test(typed.trim()) && z.safeParse(rule, Number(typed)).success)) return
    context.addIssue({
      code: 'custom',
      message: t('wholeNumber', { least: Number(least), most: Number(most) }),
    })
  })
}

const ruled = (field: z.core.$ZodType): z.ZodType =>
  plainType(field).superRefine((value, context) => applyContractRule(ruleOf(field), value, context))

/** Checks a value against a rule of the contract, and adds its issues to the field. */
export function applyContractRule(rule: z.core.$ZodType, value: unknown, context: z.RefinementCtx): void {
  for (const issue of z.safeParse(rule, value).error?.issues ?? []) {
    const params = 'params' in issue ? issue.params : undefined
    context.addIssue({ code: 'custom', message: issue.message, ...(params ? { params } : {}) })
  }
}

/** The callers above make one entry for each member of their type. */
const fromEntries = <Members>(entries: readonly (readonly [string, unknown])[]): Members =>
  Object.fromEntries(entries) as Members

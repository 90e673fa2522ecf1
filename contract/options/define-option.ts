import { z } from 'zod'
import { OwnPrices } from '../catalogue/price-list.ts'
import { REQUEST_POLICIES } from '../enums.ts'
import { localizedError, MODEL_NAME_LENGTH_MAX } from '../fields.ts'
import { parseJsonText } from '../json-text.ts'

/** The settings page that shows an option. */
export type OptionTab = 'operation' | 'system' | 'other'

/** A system option. It is stored and sent as text, which `schema` parses into the value that the server uses. */
export interface Option<Value> {
  readonly schema: z.ZodType<Value, string>
  /** The default, as text. */
  readonly initial: string
  /** Stored encrypted. Responses only tell whether it is set. */
  readonly isSecret: boolean
  readonly tab: OptionTab
  /** One line for readers of this file. */
  readonly description: string
}

const TEXT_LENGTH_MAX = 200_000
/** A few thousand price lists. */
const PRICE_LISTS_LENGTH_MAX = 2_000_000

const plain = z.string().max(TEXT_LENGTH_MAX)
const FlagText = z
  .string()
  .refine(
    text => text === 'true' || text === 'false',
    localizedError('应为 true 或 false', 'true or false is needed'),
  )
  .transform(text => text === 'true')

const numberSchema = (min: number, max: number, isInteger: boolean) =>
  plain
    .refine(
      text =>
        text.trim() !== '' && Number.isFinite(Number(text)) && (!isInteger || Number.isInteger(Number(text))),
      isInteger
        ? localizedError('应为整数', 'a whole number is needed')
        : localizedError('应为数字', 'a number is needed'),
    )
    .transform(Number)
    .refine(
      value => value >= min && value <= max,
      localizedError(`应在 ${min} 与 ${max} 之间`, `a number from ${min} to ${max} is needed`),
    )

/** A JSON document as text; an empty text means `fallback`. */
const jsonText = <Value>(
  schema: z.ZodType<Value>,
  fallback: string,
  source = plain,
): z.ZodType<Value, string> =>
  source
    .transform((text, context): unknown => {
      const parsed = parseJsonText(text.trim() === '' ? fallback : text)
      if (parsed.ok) return parsed.value
      context.addIssue({
        code: 'custom',
        message: parsed.problem.en,
        params: { ...parsed.problem },
        input: text,
      })
      return z.NEVER
    })
    .pipe(schema)

const NotNegative = z
  .number()
  .refine(value => value >= 0, localizedError('倍率与价格不能为负数', 'ratios and prices cannot be negative'))
const Figures = z.record(z.string(), NotNegative)
const Names = z.record(z.string(), z.string())

type OptionInfo = readonly [tab: OptionTab, description: string]

const defineOption = <Value>(
  schema: z.ZodType<Value, string>,
  initial: string,
  [tab, description]: OptionInfo,
  isSecret = false,
) => ({ schema, initial, isSecret, tab, description }) satisfies Option<Value>

export const flag = (initial: boolean, ...info: OptionInfo) => defineOption(FlagText, String(initial), info)

export const integer = (initial: number, [min, max]: readonly [number, number], ...info: OptionInfo) =>
  defineOption(numberSchema(min, max, true), String(initial), info)

export const decimal = (initial: number, [min, max]: readonly [number, number], ...info: OptionInfo) =>
  defineOption(numberSchema(min, max, false), String(initial), info)

export const text = (initial: string, ...info: OptionInfo) => defineOption(plain, initial, info)

export const secret = (...info: OptionInfo) => defineOption(plain, '', info, true)

/** Links that a browser would execute. Browsers ignore whitespace and control characters in the scheme. */
const RUNS_AS_CODE = /^(javascript|vbscript|data(?!:image\/)):/i

/** Web pages, images and the URL schemes of chat applications are harmless. */
const isHarmlessLink = (value: string): boolean => !RUNS_AS_CODE.test(value.replace(/[\p{Cc}\s]/gu, ''))
const harmless = localizedError('不允许该类链接', 'a browser would run this link as code')

/** A link to open or an image to show. */
export const link = (initial: string, ...info: OptionInfo) =>
  defineOption(plain.refine(isHarmlessLink, harmless), initial, info)

/** An http or https address without trailing slashes, or empty. */
export const address = (initial: string, ...info: OptionInfo) =>
  defineOption(
    plain
      .transform(value => value.trim().replace(/\/+$/, ''))
      .refine(
        value => value === '' || (/^https?:\/\//.test(value) && URL.canParse(value)),
        localizedError('应为 http 或 https 地址', 'an http or https address is needed'),
      ),
    initial,
    info,
  )

export const oneOf = <const Choice extends string>(
  choices: readonly Choice[],
  initial: Choice,
  ...info: OptionInfo
) => defineOption(plain.pipe(z.enum(choices)), initial, info)

/** Comma-separated names. */
export const commaList = (initial: string, ...info: OptionInfo) =>
  defineOption(
    plain.transform(value => splitAt(value, ',')),
    initial,
    info,
  )

/** One entry per line. */
export const lines = (initial: string, ...info: OptionInfo) =>
  defineOption(
    plain.transform(value => splitAt(value, '\n')),
    initial,
    info,
  )

const splitAt = (value: string, separator: string): readonly string[] => [
  ...new Set(
    value
      .split(separator)
      .map(part => part.trim())
      .filter(part => part !== ''),
  ),
]

/** A JSON object from names to non-negative numbers. */
export const figures = (initial: Readonly<Record<string, number>>, ...info: OptionInfo) =>
  defineOption(jsonText(Figures, '{}'), JSON.stringify(initial, null, 2), info)

/** A JSON object from models to price lists in dollars. */
export const priceLists = (...info: OptionInfo) =>
  defineOption(
    jsonText(
      z.record(z.string().max(MODEL_NAME_LENGTH_MAX), OwnPrices),
      '{}',
      z.string().max(PRICE_LISTS_LENGTH_MAX),
    ),
    '{}',
    info,
  )

/** A JSON object from names to descriptions. */
export const descriptions = (initial: Readonly<Record<string, string>>, ...info: OptionInfo) =>
  defineOption(jsonText(Names, '{}'), JSON.stringify(initial, null, 2), info)

/** A JSON object from names to JSON objects of any content. */
export const objectsByName = (
  initial: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  ...info: OptionInfo
) =>
  defineOption(
    jsonText(z.record(z.string(), z.record(z.string(), z.unknown())), '{}'),
    JSON.stringify(initial, null, 2),
    info,
  )

const RequestPolicies = z
  .object({
    service_tier: z.enum(REQUEST_POLICIES).optional(),
    server_tools: z.enum(REQUEST_POLICIES).optional(),
  })
  .strict()

/** A JSON object from groups to what happens to their requests for service tiers and server tools. */
export const requestPolicies = (...info: OptionInfo) =>
  defineOption(jsonText(z.record(z.string(), RequestPolicies), '{}'), '{}', info)

/** A JSON list of one-key objects `{name: link}`. */
export const namedLinks = (initial: readonly Readonly<Record<string, string>>[], ...info: OptionInfo) =>
  defineOption(
    jsonText(
      z.array(
        Names.refine(
          entry => Object.keys(entry).length === 1,
          localizedError('每一项应为 {"名称": "链接"}', 'each entry is one {"name": "link"}'),
        ).refine(entry => Object.values(entry).every(isHarmlessLink), harmless),
      ),
      '[]',
    ),
    JSON.stringify(initial, null, 2),
    info,
  )

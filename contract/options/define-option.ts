import { z } from 'zod'
import { OwnPrices } from '../catalogue/price-list.ts'
import { REQUEST_POLICIES } from '../enums.ts'
import { isTimeZone, localizedError, MODEL_NAME_LENGTH_MAX } from '../fields.ts'
import { type LocalizedText, parseJsonText } from '../json-text.ts'
import type { Presence } from '../presence.ts'

/** The settings page that shows an option. */
export type OptionTab = 'operation' | 'system' | 'other'

/** A group of options on a page of the settings. */
export interface OptionSection {
  /** Its anchor on the page. */
  readonly id: string
  readonly tab: OptionTab
  /** Position on the page, in steps of ten. */
  readonly order: number
  readonly title: LocalizedText
  readonly help?: LocalizedText
  /** What a change of its options needs. */
  readonly needs?: Presence
}

/** The control that edits an option. `page`: Markdown or HTML; `names`: separated by commas; `lines`: one on each line. */
export type OptionKind =
  | 'flag'
  | 'number'
  | 'quota'
  | 'text'
  | 'secret'
  | 'choice'
  | 'names'
  | 'lines'
  | 'json'
  | 'page'

/** What the settings page and the reference say about an option. */
interface OptionAbout {
  /** Position among the options of other features in the section; 0 when it does not matter. */
  readonly order?: number
  readonly label: LocalizedText
  /** What the label leaves open. */
  readonly help?: LocalizedText
  /** Shown behind a number. */
  readonly unit?: LocalizedText
  /** What a change needs, if not what its section says. */
  readonly needs?: Presence
}

/** A system option. It is stored and sent as text, which `schema` parses into the value that the server uses. */
export interface Option<Value> extends OptionAbout {
  readonly section: OptionSection
  readonly kind: OptionKind
  readonly schema: z.ZodType<Value, string>
  /** The default, as text. */
  readonly initial: string
  /** Stored encrypted. Responses only tell whether it is set. */
  readonly isSecret: boolean
  /** The values of a choice with their labels. */
  readonly choices?: Readonly<Record<string, LocalizedText>>
}

/** Options by their names, which are stored and sent, and so are never changed. */
export type Options = Readonly<Record<string, Option<unknown>>>

/** The values parsed from the texts of options. */
export type ValuesOf<Declared extends Options> = {
  readonly [Name in keyof Declared]: z.output<Declared[Name]['schema']>
}

/** Units of numbers. */
export const UNITS = {
  minutes: { zh: '分钟', en: 'minutes' },
  seconds: { zh: '秒', en: 'seconds' },
  days: { zh: '天', en: 'days' },
  times: { zh: '次', en: 'times' },
  requests: { zh: '个请求', en: 'requests' },
  points: { zh: '点', en: 'points' },
  tokens: { zh: 'Token', en: 'tokens' },
  mebibytes: { zh: 'MiB', en: 'MiB' },
  yuanPerDollar: { zh: '元 / 美元', en: 'per dollar' },
  dollars: { zh: '美元', en: 'dollars' },
} as const satisfies Readonly<Record<string, LocalizedText>>

const TEXT_LENGTH_MAX = 200_000
/** A few thousand price lists. */
const JSON_LENGTH_MAX = 2_000_000

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

/**
 * A JSON document as text; an empty text means `fallback`. The path of an issue begins with the entry that it is about, so
 * that the others of a stored list still count.
 */
const jsonText = <Value>(schema: z.ZodType<Value>, fallback: string): z.ZodType<Value, string> =>
  z
    .string()
    .max(JSON_LENGTH_MAX)
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

/** As a ratio two thousand dollars a token: nobody can mean more, and a sum of such figures is no longer exact. */
export const FIGURE_MAX = 1_000_000_000
const Figure = z
  .number()
  .refine(value => value >= 0, localizedError('倍率与价格不能为负数', 'ratios and prices cannot be negative'))
  .refine(
    value => value <= FIGURE_MAX,
    localizedError('倍率与价格不能超过十亿', 'ratios and prices are at most a billion'),
  )
const EntryName = z.string().max(MODEL_NAME_LENGTH_MAX)
export const Figures = z.record(EntryName, Figure)
export const Names = z.record(EntryName, z.string())

const defineOption = <Value>(
  kind: OptionKind,
  schema: z.ZodType<Value, string>,
  initial: string,
  about: OptionAbout,
) =>
  ({ kind, schema, initial, isSecret: kind === 'secret', ...about }) satisfies Omit<Option<Value>, 'section'>

/** Puts options into a section of the settings. The cast is safe: each of them gets the section. */
export const inSection = <Declared extends Readonly<Record<string, Omit<Option<unknown>, 'section'>>>>(
  section: OptionSection,
  options: Declared,
) =>
  Object.fromEntries(Object.entries(options).map(([name, option]) => [name, { ...option, section }])) as {
    readonly [Name in keyof Declared]: Declared[Name] & Pick<Option<unknown>, 'section'>
  }

export const flag = (initial: boolean, about: OptionAbout) =>
  defineOption('flag', FlagText, String(initial), about)

export const integer = (initial: number, [min, max]: readonly [number, number], about: OptionAbout) =>
  defineOption('number', numberSchema(min, max, true), String(initial), about)

export const decimal = (initial: number, [min, max]: readonly [number, number], about: OptionAbout) =>
  defineOption('number', numberSchema(min, max, false), String(initial), about)

const UNITS_MAX = 1_000_000_000_000

/** An amount of quota units, edited as money. */
export const quota = (initial: number, about: OptionAbout) =>
  defineOption('quota', numberSchema(0, UNITS_MAX, true), String(initial), about)

export const text = (initial: string, about: OptionAbout) => defineOption('text', plain, initial, about)

const zone = plain
  .trim()
  .refine(isTimeZone, localizedError('没有这个名称的时区', 'there is no time zone of this name'))

/** A time zone such as `Europe/Berlin`, or empty. */
export const timeZone = (about: OptionAbout) => defineOption('text', zone, '', about)

/** A text of several lines, as Markdown or HTML. */
export const page = (about: OptionAbout) => defineOption('page', plain, '', about)

export const secret = (about: OptionAbout) => defineOption('secret', plain, '', about)

/** Links that a browser would execute. Browsers ignore whitespace and control characters in the scheme. */
const RUNS_AS_CODE = /^(javascript|vbscript|data(?!:image\/)):/i

/** Web pages, images and the URL schemes of chat applications are harmless. */
const isHarmlessLink = (value: string): boolean => !RUNS_AS_CODE.test(value.replace(/[\p{Cc}\s]/gu, ''))
const harmless = localizedError('不允许该类链接', 'a browser would run this link as code')

/** A link to open or an image to show. */
export const link = (initial: string, about: OptionAbout) =>
  defineOption('text', plain.refine(isHarmlessLink, harmless), initial, about)

/** An http or https address without trailing slashes, or empty. */
export const address = (initial: string, about: OptionAbout) =>
  defineOption(
    'text',
    plain
      .transform(value => value.trim().replace(/\/+$/, ''))
      .refine(
        value => value === '' || (/^https?:\/\//.test(value) && URL.canParse(value)),
        localizedError('应为 http 或 https 地址', 'an http or https address is needed'),
      ),
    initial,
    about,
  )

export const oneOf = <const Choice extends string>(
  choices: Readonly<Record<Choice, LocalizedText>>,
  initial: NoInfer<Choice>,
  about: OptionAbout,
) => ({ ...defineOption('choice', plain.pipe(z.enum(keysOf(choices))), initial, about), choices })

/** The cast is safe for object literals, which have no keys beside those of their type. */
const keysOf = <Key extends string>(record: Readonly<Record<Key, unknown>>) => Object.keys(record) as Key[]

/** Comma-separated names. */
export const commaList = (initial: string, about: OptionAbout) =>
  defineOption(
    'names',
    plain.transform(value => splitAt(value, ',')),
    initial,
    about,
  )

/** One entry per line. */
export const lines = (initial: string, about: OptionAbout) =>
  defineOption(
    'lines',
    plain.transform(value => splitAt(value, '\n')),
    initial,
    about,
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
export const figures = (initial: Readonly<Record<string, number>>, about: OptionAbout) =>
  defineOption('json', jsonText(Figures, '{}'), JSON.stringify(initial, null, 2), about)

/** A JSON object from models to price lists in dollars. */
export const priceLists = (about: OptionAbout) =>
  defineOption('json', jsonText(z.record(EntryName, OwnPrices), '{}'), '{}', about)

/** A JSON object from names to descriptions. */
export const descriptions = (initial: Readonly<Record<string, string>>, about: OptionAbout) =>
  defineOption('json', jsonText(Names, '{}'), JSON.stringify(initial, null, 2), about)

const RequestPolicies = z
  .object({
    service_tier: z.enum(REQUEST_POLICIES).optional(),
    server_tools: z.enum(REQUEST_POLICIES).optional(),
  })
  .strict()

/** A JSON document. */
export const json = <Value>(schema: z.ZodType<Value>, initial: string, about: OptionAbout) =>
  defineOption('json', jsonText(schema, initial), initial, about)

/** A JSON object from groups to what happens to their requests for service tiers and server tools. */
export const requestPolicies = (about: OptionAbout) => json(z.record(EntryName, RequestPolicies), '{}', about)

/** A JSON list of one-key objects `{name: link}`. */
export const namedLinks = (initial: readonly Readonly<Record<string, string>>[], about: OptionAbout) =>
  defineOption(
    'json',
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
    about,
  )

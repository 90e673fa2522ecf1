import { z } from 'zod'
import { localizedError } from '../fields.ts'
import { parseJsonText } from '../json-text.ts'

/** The settings page on which an option stands. */
export type OptionTab = 'operation' | 'system' | 'other'

/** One system option. It is stored and sent as text; `schema` reads the text into its live value. */
export interface Option<Value> {
  readonly schema: z.ZodType<Value, string>
  /** As text, like every stored value. */
  readonly initial: string
  /** Stored sealed; answers tell only whether it is set. */
  readonly isSecret: boolean
  readonly tab: OptionTab
  /** What it does, in one line. */
  readonly effect: string
}

const TEXT_LENGTH_MAX = 200_000

const plain = z.string().max(TEXT_LENGTH_MAX)
const FlagText = z
  .string()
  .refine(
    text => text === 'true' || text === 'false',
    localizedError('应为 true 或 false', 'true or false is needed'),
  )
  .transform(text => text === 'true')

const numberSchema = (least: number, most: number, isWhole: boolean) =>
  plain
    .refine(
      text =>
        text.trim() !== '' && Number.isFinite(Number(text)) && (!isWhole || Number.isInteger(Number(text))),
      isWhole
        ? localizedError('应为整数', 'a whole number is needed')
        : localizedError('应为数字', 'a number is needed'),
    )
    .transform(Number)
    .refine(
      value => value >= least && value <= most,
      localizedError(`应在 ${least} 与 ${most} 之间`, `a number from ${least} to ${most} is needed`),
    )

/** A JSON document as text; an empty text counts as `fallback`. */
const jsonText = <Value>(schema: z.ZodType<Value>, fallback: string): z.ZodType<Value, string> =>
  plain
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

type OptionInfo = readonly [tab: OptionTab, effect: string]

const defineOption = <Value>(
  schema: z.ZodType<Value, string>,
  initial: string,
  [tab, effect]: OptionInfo,
  isSecret = false,
) => ({ schema, initial, isSecret, tab, effect }) satisfies Option<Value>

export const flag = (initial: boolean, ...said: OptionInfo) => defineOption(FlagText, String(initial), said)

export const integer = (initial: number, [least, most]: readonly [number, number], ...said: OptionInfo) =>
  defineOption(numberSchema(least, most, true), String(initial), said)

export const decimal = (initial: number, [least, most]: readonly [number, number], ...said: OptionInfo) =>
  defineOption(numberSchema(least, most, false), String(initial), said)

export const text = (initial: string, ...said: OptionInfo) => defineOption(plain, initial, said)

export const secret = (...said: OptionInfo) => defineOption(plain, '', said, true)

/** Links that a browser would run instead of follow. It leaves out blanks and control characters before it looks. */
const RUNS_AS_CODE = /^(javascript|vbscript|data(?!:image\/)):/i

/** Whether a browser can be given the link: pages, pictures and the schemes of chat programs are. */
const isHarmlessLink = (value: string): boolean => !RUNS_AS_CODE.test(value.replace(/[\p{Cc}\s]/gu, ''))
const harmless = localizedError('不允许该类链接', 'a browser would run this link as code')

/** An address to follow or a picture to show. */
export const link = (initial: string, ...said: OptionInfo) =>
  defineOption(plain.refine(isHarmlessLink, harmless), initial, said)

/** An http or https address without its trailing slashes, or nothing. */
export const address = (initial: string, ...said: OptionInfo) =>
  defineOption(
    plain
      .transform(value => value.trim().replace(/\/+$/, ''))
      .refine(
        value => value === '' || (/^https?:\/\//.test(value) && URL.canParse(value)),
        localizedError('应为 http 或 https 地址', 'an http or https address is needed'),
      ),
    initial,
    said,
  )

export const oneOf = <const Choice extends string>(
  choices: readonly Choice[],
  initial: Choice,
  ...said: OptionInfo
) => defineOption(plain.pipe(z.enum(choices)), initial, said)

/** Names with commas between. */
export const commaList = (initial: string, ...said: OptionInfo) =>
  defineOption(
    plain.transform(value => splitAt(value, ',')),
    initial,
    said,
  )

/** One entry a line. */
export const lines = (initial: string, ...said: OptionInfo) =>
  defineOption(
    plain.transform(value => splitAt(value, '\n')),
    initial,
    said,
  )

const splitAt = (value: string, separator: string): readonly string[] => [
  ...new Set(
    value
      .split(separator)
      .map(part => part.trim())
      .filter(part => part !== ''),
  ),
]

/** A JSON object from names to figures that are not negative. */
export const figures = (initial: Readonly<Record<string, number>>, ...said: OptionInfo) =>
  defineOption(jsonText(Figures, '{}'), JSON.stringify(initial, null, 2), said)

/** A JSON object from names to descriptions. */
export const descriptions = (initial: Readonly<Record<string, string>>, ...said: OptionInfo) =>
  defineOption(jsonText(Names, '{}'), JSON.stringify(initial, null, 2), said)

/** A JSON list of one-key objects `{name: link}`. */
export const namedLinks = (initial: readonly Readonly<Record<string, string>>[], ...said: OptionInfo) =>
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
    said,
  )

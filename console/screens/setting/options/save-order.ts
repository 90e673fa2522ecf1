import type { OptionKey } from '#contract/options/system-options.ts'

export interface OptionEdit {
  readonly key: OptionKey
  /** As it will be sent. */
  readonly value: string
}

/** What others need stands first: other options are refused before it is filled in. */
const FIRST: readonly OptionKey[] = ['ServerAddress']

/** What is switched off needs nothing any more, what is switched on needs all that is filled in beside it. */
const rankOf = ({ key, value }: OptionEdit): number => {
  if (value === 'false') return 0
  if (FIRST.includes(key)) return 1
  return value === 'true' ? 3 : 2
}

/** The order in which edits are sent, so that none is refused for want of another. */
export const inSaveOrder = (edits: readonly OptionEdit[]): readonly OptionEdit[] =>
  edits.toSorted((a, b) => rankOf(a) - rankOf(b))

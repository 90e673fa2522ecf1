import { FIGURE_MAX } from '#contract/options/define-option.ts'

/** Parses a typed figure. Undefined when it is not a number, or one that no option takes. */
export function parseAmount(typed: string): number | undefined {
  const value = Number(typed)
  return typed.trim() !== '' && value >= 0 && value <= FIGURE_MAX ? value : undefined
}

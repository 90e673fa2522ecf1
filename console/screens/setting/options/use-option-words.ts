import type { OptionKey } from '#contract/options/system-options.ts'
import { useText } from '../../../ui/text/text.ts'
import { isOptionWord, optionText } from './option-text.ts'

export interface OptionWords {
  readonly label: string
  readonly help: string | undefined
}

/** The name of an option and what it does, in the reader's language. */
export function useOptionWords(): (key: OptionKey) => OptionWords {
  const t = useText(optionText)
  return key => {
    const help = `${key}Help`
    return { label: isOptionWord(key) ? t(key) : key, help: isOptionWord(help) ? t(help) : undefined }
  }
}

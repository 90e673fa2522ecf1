import { createContext, use } from 'react'

export interface SaveFailure {
  readonly key: string
  readonly error: unknown
}

/** The options with unsaved edits. */
export interface OptionForm {
  readonly edits: readonly OptionEdit[]
  readonly isSaving: boolean
  readonly savedCount: number
  readonly failures: readonly SaveFailure[]
  readonly storedValue: (key: string) => string
  /** Whether a secret is stored. */
  readonly isSet: (key: string) => boolean
  /** The edited value; undefined for options without edits. */
  readonly editedValue: (key: string) => string | undefined
  readonly currentValue: (key: string) => string
  /** What is wrong with the edited or the stored value, in the current language. */
  readonly errorOf: (key: string) => string | undefined
  readonly set: (key: string, value: string) => void
  /** Restores the stored value. */
  readonly reset: (key: string) => void
  readonly discard: () => void
  /** Saves each edit with its own request. Failed edits stay in the form. */
  readonly save: () => Promise<readonly SaveFailure[]>
}

const Context = createContext<OptionForm | undefined>(undefined)

export const OptionFormProvider = Context.Provider

/** The option form, provided around the settings tabs of the super administrator. */
export function useOptionForm(): OptionForm {
  const form = use(Context)
  if (!form) throw new Error('useOptionForm needs an OptionFormProvider')
  return form
}

export interface OptionEdit {
  readonly key: string
  /** The value as sent. */
  readonly value: string
}

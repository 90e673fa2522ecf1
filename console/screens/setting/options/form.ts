import { createContext, use, useMemo, useState } from 'react'
import { type OptionKey, systemOptions } from '#contract/options/system-options.ts'
import { issueText } from '../../../app/forms/record-form.ts'
import { useLanguage } from '../../../ui/text/text.ts'
import { putOption, type StoredOptions, useOptionsChanged } from './queries.ts'

export interface SaveFailure {
  readonly key: OptionKey
  readonly error: unknown
}

/** The options as they would be, and what of them differs from the server's. */
export interface OptionForm {
  readonly edits: readonly OptionEdit[]
  readonly isSaving: boolean
  readonly done: number
  readonly failures: readonly SaveFailure[]
  readonly storedOf: (key: OptionKey) => string
  /** For secrets: whether one is stored. */
  readonly isSet: (key: OptionKey) => boolean
  /** What stands in the field; for a secret that was not touched, undefined. */
  readonly editOf: (key: OptionKey) => string | undefined
  readonly textAt: (key: OptionKey) => string
  /** What is wrong with the field, in the reader's language. */
  readonly problemOf: (key: OptionKey) => string | undefined
  readonly set: (key: OptionKey, value: string) => void
  /** Puts the field back to what is stored. */
  readonly reset: (key: OptionKey) => void
  readonly discard: () => void
  /** Sends each edit by itself. What fails keeps standing in its field. */
  readonly save: () => Promise<readonly SaveFailure[]>
}

const Context = createContext<OptionForm | undefined>(undefined)

export const OptionFormProvider = Context.Provider

/** The form of all options, around every settings page of the super administrator. */
export function useOptionForm(): OptionForm {
  const form = use(Context)
  if (!form) throw new Error('expected the form of the options around this part')
  return form
}

type Edits = ReadonlyMap<OptionKey, string>
const NO_EDITS: Edits = new Map()

/** The edits that differ from what is stored. An empty secret that was never set is no edit. */
export function differing(edits: Edits, stored: StoredOptions): readonly OptionEdit[] {
  return [...edits]
    .filter(([key, value]) => {
      const option = stored.get(key)
      return systemOptions[key].isSecret ? value !== '' || option?.isSet === true : value !== option?.value
    })
    .map(([key, value]) => ({ key, value }))
}

/** Keeps the edits of the options until they are saved or discarded. */
export function useOptionEdits(stored: StoredOptions): OptionForm {
  const language = useLanguage()
  const refresh = useOptionsChanged()
  const [edits, setEdits] = useState(NO_EDITS)
  const [failures, setFailures] = useState<readonly SaveFailure[]>([])
  const [progress, setProgress] = useState<number>()
  const changed = useMemo(() => differing(edits, stored), [edits, stored])
  const problems = useMemo(() => {
    const found = changed.flatMap(({ key, value }) => {
      const { error } = systemOptions[key].schema.safeParse(value)
      const [issue] = error?.issues ?? []
      return issue ? [[key, issueText(issue, language)] as const] : []
    })
    return new Map<OptionKey, string>(found)
  }, [changed, language])

  const storedOf = (key: OptionKey) => stored.get(key)?.value ?? ''
  const without = (keys: readonly OptionKey[]) =>
    setEdits(current => new Map([...current].filter(([key]) => !keys.includes(key))))

  const save = async () => {
    const failed: SaveFailure[] = []
    const saved: OptionKey[] = []
    setFailures([])
    setProgress(0)
    for (const { key, value } of inSaveOrder(changed)) {
      try {
        await putOption(key, value)
        saved.push(key)
      } catch (error) {
        failed.push({ key, error })
      }
      setProgress(saved.length + failed.length)
    }
    if (saved.length > 0) await refresh()
    without(saved)
    setFailures(failed)
    setProgress(undefined)
    return failed
  }

  return {
    edits: changed,
    isSaving: progress !== undefined,
    done: progress ?? 0,
    failures,
    storedOf,
    isSet: key => stored.get(key)?.isSet ?? false,
    editOf: key => edits.get(key),
    textAt: key => edits.get(key) ?? storedOf(key),
    problemOf: key => problems.get(key),
    set: (key, value) => setEdits(current => new Map(current).set(key, value)),
    reset: key => without([key]),
    discard: () => {
      setEdits(NO_EDITS)
      setFailures([])
    },
    save,
  }
}

export interface OptionEdit {
  readonly key: OptionKey
  /** As it will be sent. */
  readonly value: string
}

/** What others need stands first: other options are refused before it is filled in. */
const SAVED_FIRST: readonly OptionKey[] = ['ServerAddress']

/** What is switched off needs nothing any more, what is switched on needs all that is filled in beside it. */
const rankOf = ({ key, value }: OptionEdit): number => {
  if (value === 'false') return 0
  if (SAVED_FIRST.includes(key)) return 1
  return value === 'true' ? 3 : 2
}

/** The order in which edits are sent, so that none is refused for want of another. */
export const inSaveOrder = (edits: readonly OptionEdit[]): readonly OptionEdit[] =>
  edits.toSorted((a, b) => rankOf(a) - rankOf(b))

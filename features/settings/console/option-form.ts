import { useMemo, useState } from 'react'
import { issueText } from '#console/app/forms/issue-text.ts'
import type { OptionEdit, OptionForm, SaveFailure } from '#console/app/settings/form.ts'
import { optionOf } from '#console/app/settings/options.ts'
import { putOption, type StoredOptions, useInvalidateOptions } from '#console/app/settings/queries.ts'
import { type Language, useLanguage } from '#console/ui/text/text.ts'

type Edits = ReadonlyMap<string, string>
const NO_EDITS: Edits = new Map()

/** Edits that differ from the stored options. Emptying a secret that was never set is not an edit. */
function changedOptions(edits: Edits, stored: StoredOptions): readonly OptionEdit[] {
  return [...edits]
    .filter(([key, value]) => {
      const option = stored.get(key)
      return optionOf(key).isSecret ? value !== '' || option?.isSet === true : value !== option?.value
    })
    .map(([key, value]) => ({ key, value }))
}

const ISSUES_SHOWN_MAX = 3

/** Also of what is stored: of a list, only the entries that can be read count. */
function problemOf(key: string, value: string, language: Language): string | undefined {
  const { error } = optionOf(key).schema.safeParse(value)
  return error?.issues
    .slice(0, ISSUES_SHOWN_MAX)
    .map(issue => [...issue.path, issueText(issue, language)].join(': '))
    .join(' · ')
}

/** Holds the edits of the options until they are saved or discarded. */
export function useCreateOptionForm(stored: StoredOptions): OptionForm {
  const language = useLanguage()
  const refresh = useInvalidateOptions()
  const [edits, setEdits] = useState(NO_EDITS)
  const [failures, setFailures] = useState<readonly SaveFailure[]>([])
  const [progress, setProgress] = useState<number>()
  const changed = useMemo(() => changedOptions(edits, stored), [edits, stored])
  const problems = useMemo(() => {
    const edited = new Map(changed.map(({ key, value }) => [key, value]))
    const found = [...stored].flatMap(([key, { value }]) => {
      const problem = problemOf(key, edited.get(key) ?? value, language)
      return problem === undefined ? [] : [[key, problem] as const]
    })
    return new Map<string, string>(found)
  }, [changed, stored, language])

  const storedValue = (key: string) => stored.get(key)?.value ?? ''
  const without = (keys: readonly string[]) =>
    setEdits(current => new Map([...current].filter(([key]) => !keys.includes(key))))

  const save = async () => {
    const failed: SaveFailure[] = []
    const saved: string[] = []
    setFailures([])
    setProgress(0)
    for (const { key, value } of sortForSaving(changed)) {
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
    savedCount: progress ?? 0,
    failures,
    storedValue,
    isSet: key => stored.get(key)?.isSet ?? false,
    editedValue: key => edits.get(key),
    currentValue: key => edits.get(key) ?? storedValue(key),
    errorOf: key => problems.get(key),
    set: (key, value) => setEdits(current => new Map(current).set(key, value)),
    reset: key => without([key]),
    discard: () => {
      setEdits(NO_EDITS)
      setFailures([])
    },
    save,
  }
}

/** The server rejects other options while these are missing. */
const SAVED_FIRST: readonly string[] = ['ServerAddress']

/** Turning a feature off needs nothing else; turning it on needs the values saved with it. */
const savePhase = ({ key, value }: OptionEdit): number => {
  if (value === 'false') return 0
  if (SAVED_FIRST.includes(key)) return 1
  return value === 'true' ? 3 : 2
}

/** Sorts edits so that none is rejected because another one is not saved yet. */
export const sortForSaving = (edits: readonly OptionEdit[]): readonly OptionEdit[] =>
  edits.toSorted((a, b) => savePhase(a) - savePhase(b))

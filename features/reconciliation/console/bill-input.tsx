import { useState } from 'react'
import { DateTimeInput } from '#console/app/time/date-time-input.tsx'
import { Field } from '#console/ui/forms/fields.tsx'
import { FileInput } from '#console/ui/forms/file-input.tsx'
import { TextAreaField } from '#console/ui/forms/labelled-inputs.tsx'
import { BILL_CHARS_MAX, BILL_FILES_MAX } from '../contract.ts'
import type { BillToCompare } from './queries.ts'
import { useReconciliationText } from './text.ts'

type Files = BillToCompare['files']
export type BillSource = 'file' | 'paste'

/** The files that are chosen, or the text that is pasted, and the days. `problem` says what is missing or too much. */
export function useBill(kind: BillSource) {
  const t = useReconciliationText()
  const [days, setDays] = useState({ first: '', last: '' })
  const isReversed = days.first !== '' && days.last !== '' && days.last < days.first
  const [chosen, setChosen] = useState<Files>([])
  const [text, setText] = useState('')
  const files: Files = kind === 'file' ? chosen : [{ name: t('pastedName'), text }]
  const size = files.reduce((sum, file) => sum + file.text.length, 0)
  const problemOf = (): string | undefined => {
    if (kind === 'file' && files.length === 0) return t('filesNeeded')
    if (kind === 'paste' && text.trim() === '') return t('textNeeded')
    if (files.length > BILL_FILES_MAX) return t('tooManyFiles')
    return size > BILL_CHARS_MAX ? t('tooLarge') : undefined
  }
  return { kind, files, setChosen, text, setText, problem: problemOf(), days, setDays, isReversed }
}

interface BillInputProps {
  readonly bill: ReturnType<typeof useBill>
  readonly isTried: boolean
}

export function BillInput({ bill, isTried }: BillInputProps) {
  const t = useReconciliationText()
  const { days, setDays } = bill
  const error = isTried ? bill.problem : undefined
  return (
    <>
      {bill.kind === 'file' ? (
        <Field label={t('files')} help={t('filesHelp')} error={error}>
          {control => (
            <FileInput
              control={control}
              isMultiple
              accept=".csv,.tsv,.txt,text/csv"
              label={bill.files.map(({ name }) => name).join(', ') || t('chooseFiles')}
              onChange={async files => bill.setChosen(await readFiles(files))}
            />
          )}
        </Field>
      ) : (
        <TextAreaField
          label={t('pasted')}
          help={t('filesHelp')}
          error={error}
          isMono
          rows={6}
          maxLength={BILL_CHARS_MAX}
          value={bill.text}
          onChange={event => bill.setText(event.target.value)}
        />
      )}
      <div className="grid gap-4 sm:grid-cols-2 lg:max-w-xl">
        <DayField
          label={t('firstDay')}
          help={t('daysHelp')}
          value={days.first}
          onChange={first => setDays({ ...days, first })}
        />
        <DayField
          label={t('lastDay')}
          error={bill.isReversed ? t('reversed') : undefined}
          value={days.last}
          onChange={last => setDays({ ...days, last })}
        />
      </div>
    </>
  )
}

const readFiles = (files: readonly File[]): Promise<Files> =>
  Promise.all(files.map(async file => ({ name: file.name, text: await file.text() })))

interface DayFieldProps {
  readonly label: string
  readonly help?: string
  readonly error?: string | undefined
  readonly value: string
  readonly onChange: (value: string) => void
}

function DayField({ label, help, error, value, onChange }: DayFieldProps) {
  return (
    <Field label={label} help={help} error={error}>
      {control => <DateTimeInput {...control} isDay value={value} onChange={onChange} />}
    </Field>
  )
}

import { Scale } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { BILL_CHARS_MAX, BILL_FILES_MAX, type ReconcilableChannel } from '#contract/billing/reconciliation.ts'
import { plainErrorText } from '../../../app/api/call.ts'
import { Button } from '../../../ui/buttons/buttons.tsx'
import { Banner } from '../../../ui/feedback/feedback.tsx'
import { MultiCombobox } from '../../../ui/forms/combobox.tsx'
import { Field, SegmentedChoice, TextArea, TextInput } from '../../../ui/forms/fields.tsx'
import { useLanguage } from '../../../ui/text/text.ts'
import { type BillToCompare, useReconcile } from './queries.ts'
import { useReconciliationText } from './text.ts'

interface BillFormProps {
  readonly channels: readonly ReconcilableChannel[]
  readonly onMade: (id: number) => void
}

/** A channel in the list: names may repeat, ids do not. */
const labelOf = ({ id, name }: ReconcilableChannel): string => `#${id} ${name}`

/** Chooses channels, files and days, and sends them. */
export function BillForm({ channels, onMade }: BillFormProps) {
  const t = useReconciliationText()
  const reconciling = useReconcile(useLanguage())
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [days, setDays] = useState({ first: '', last: '' })
  const bill = useBill()
  const [isTried, setTried] = useState(false)
  const isReversed = days.first !== '' && days.last !== '' && days.last < days.first
  const selected = channels.filter(channel => chosen.includes(labelOf(channel)))
  const unpriced = selected.filter(channel => !channel.has_purchase_prices)
  const submit = () => {
    setTried(true)
    if (selected.length === 0 || bill.problem !== undefined || isReversed) return
    const body = {
      channel_ids: selected.map(({ id }) => id),
      start_date: days.first,
      end_date: days.last,
      files: [...bill.files],
    }
    reconciling.mutate(body, { onSuccess: ({ id }) => onMade(id) })
  }
  return (
    <form
      noValidate
      className="grid grid-cols-1 gap-4"
      onSubmit={event => {
        event.preventDefault()
        submit()
      }}
    >
      <Field
        label={t('channels')}
        help={t('channelsHelp')}
        error={isTried && selected.length === 0 ? t('channelsNeeded') : undefined}
      >
        {control => (
          <MultiCombobox
            {...control}
            options={channels.map(labelOf)}
            value={chosen}
            onChange={setChosen}
            placeholder={channels.length === 0 ? t('noChannels') : t('chooseChannels')}
          />
        )}
      </Field>
      {unpriced.length > 0 && (
        <Banner tone="warning">
          {t('unpriced', { names: unpriced.map(({ name }) => name).join(', ') })}
        </Banner>
      )}
      <BillInput bill={bill} isTried={isTried} />
      <div className="grid gap-4 sm:grid-cols-2 lg:max-w-xl">
        <DayField
          label={t('firstDay')}
          help={t('daysHelp')}
          value={days.first}
          onChange={first => setDays({ ...days, first })}
        />
        <DayField
          label={t('lastDay')}
          error={isReversed ? t('reversed') : undefined}
          value={days.last}
          onChange={last => setDays({ ...days, last })}
        />
      </div>
      {reconciling.error && (
        <Banner tone="danger" isAlert>
          {plainErrorText(reconciling.error)}
        </Banner>
      )}
      <Button
        type="submit"
        variant="primary"
        icon={Scale}
        className="justify-self-start"
        isBusy={reconciling.isPending}
      >
        {t('compare')}
      </Button>
    </form>
  )
}

type Files = BillToCompare['files']
type Kind = 'file' | 'paste'

/** The files that are chosen, or the text that is pasted. `problem` says what is missing or too much. */
function useBill() {
  const t = useReconciliationText()
  const [kind, setKind] = useState<Kind>('file')
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
  return { kind, setKind, files, setChosen, text, setText, problem: problemOf() }
}

interface BillInputProps {
  readonly bill: ReturnType<typeof useBill>
  readonly isTried: boolean
}

function BillInput({ bill, isTried }: BillInputProps) {
  const t = useReconciliationText()
  const error = isTried ? bill.problem : undefined
  return (
    <div className="grid grid-cols-1 gap-3">
      <div className="sm:w-60">
        <SegmentedChoice
          label={t('source')}
          value={bill.kind}
          options={[
            { value: 'file', label: t('file') },
            { value: 'paste', label: t('paste') },
          ]}
          onChange={bill.setKind}
        />
      </div>
      {bill.kind === 'file' ? (
        <Field label={t('files')} help={t('filesHelp')} error={error}>
          {control => (
            <input
              {...control}
              type="file"
              multiple
              accept=".csv,.tsv,.txt,text/csv"
              className="max-w-full text-small file:mr-3 file:h-9 file:rounded-control file:border file:border-line-strong file:bg-surface file:px-3 file:font-medium file:text-fg hover:file:bg-hover"
              onChange={async event => bill.setChosen(await readFiles(event.target.files))}
            />
          )}
        </Field>
      ) : (
        <Field label={t('pasted')} help={t('filesHelp')} error={error}>
          {control => (
            <TextArea
              {...control}
              isMono
              rows={6}
              maxLength={BILL_CHARS_MAX}
              value={bill.text}
              onChange={event => bill.setText(event.target.value)}
            />
          )}
        </Field>
      )}
    </div>
  )
}

const readFiles = (files: FileList | null): Promise<Files> =>
  Promise.all([...(files ?? [])].map(async file => ({ name: file.name, text: await file.text() })))

interface DayFieldProps {
  readonly label: string
  readonly help?: ReactNode
  readonly error?: string | undefined
  readonly value: string
  readonly onChange: (value: string) => void
}

function DayField({ label, help, error, value, onChange }: DayFieldProps) {
  return (
    <Field label={label} help={help} error={error}>
      {control => (
        <TextInput {...control} type="date" value={value} onChange={event => onChange(event.target.value)} />
      )}
    </Field>
  )
}

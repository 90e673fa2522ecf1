import { useState } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { MultiCombobox } from '#console/ui/forms/combobox.tsx'
import { Field, SegmentedChoice } from '#console/ui/forms/fields.tsx'
import { useLanguage } from '#console/ui/text/text.ts'
import type { ReconcilableChannel } from '../contract.ts'
import { BalanceInput, useBalance } from './balance-input.tsx'
import { BillInput, type BillSource, useBill } from './bill-input.tsx'
import { type Comparable, useReconcile } from './queries.ts'
import { useReconciliationText } from './text.ts'

interface ReconcileFormProps {
  readonly channels: readonly ReconcilableChannel[]
  readonly onMade: (id: number) => void
}

/** A channel in the list: names may repeat, ids do not. */
const labelOf = ({ id, name }: ReconcilableChannel): string => `#${id} ${name}`

/** Chooses channels, and a bill or readings of a balance to compare them with. */
export function ReconcileForm({ channels, onMade }: ReconcileFormProps) {
  const t = useReconciliationText()
  const reconciling = useReconcile(useLanguage())
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [source, setSource] = useState<BillSource | 'balance'>('file')
  const [isTried, setTried] = useState(false)
  const selected = channels.filter(channel => chosen.includes(labelOf(channel)))
  const channelIds = selected.map(({ id }) => id)
  const bill = useBill(source === 'paste' ? 'paste' : 'file')
  const balance = useBalance(selected)
  const requestOf = (): Comparable | undefined => {
    if (source === 'balance') return balance.request && { ...balance.request, channel_ids: channelIds }
    if (bill.problem !== undefined || bill.isReversed) return undefined
    const { first, last } = bill.days
    return { channel_ids: channelIds, start_date: first, end_date: last, files: [...bill.files] }
  }
  const submit = () => {
    setTried(true)
    const request = requestOf()
    if (selected.length > 0 && request) reconciling.mutate(request, { onSuccess: ({ id }) => onMade(id) })
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
      <Unpriced channels={selected} />
      <div className="sm:w-96">
        <SegmentedChoice
          label={t('source')}
          value={source}
          options={[
            { value: 'file', label: t('file') },
            { value: 'paste', label: t('paste') },
            { value: 'balance', label: t('balance') },
          ]}
          onChange={next => {
            setSource(next)
            setTried(false)
            reconciling.reset()
          }}
        />
      </div>
      {source === 'balance' ? (
        <BalanceInput balance={balance} isTried={isTried} />
      ) : (
        <BillInput key={source} bill={bill} isTried={isTried} />
      )}
      {reconciling.error && (
        <Banner tone="danger" isAlert>
          {plainErrorText(reconciling.error)}
        </Banner>
      )}
      <Button type="submit" variant="primary" className="justify-self-start" isBusy={reconciling.isPending}>
        {t('compare')}
      </Button>
    </form>
  )
}

/** Warns of channels whose requests have no cost. */
function Unpriced({ channels }: { readonly channels: readonly ReconcilableChannel[] }) {
  const t = useReconciliationText()
  const names = channels.filter(channel => !channel.has_purchase_prices).map(({ name }) => name)
  return names.length === 0 ? null : (
    <Banner tone="warning">{t('unpriced', { names: names.join(', ') })}</Banner>
  )
}

import { useQuery } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { useState } from 'react'
import { LoadError } from '#console/app/api/load-error.tsx'
import { formatDateTime, formatNumber } from '#console/app/format/format.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { InputField, SelectField } from '#console/ui/forms/labelled-inputs.tsx'
import { type Language, useLanguage } from '#console/ui/text/text.ts'
import type { ReconcilableChannel } from '../contract.ts'
import { type BalanceReading, readingsQuery, useReadBalance } from './queries.ts'
import { useReconciliationText } from './text.ts'

const AMOUNT = /^\d{1,7}(\.\d{1,9})?$/

/** Two readings of the balance of one of the channels, and what was paid in between. */
export function useBalance(selected: readonly ReconcilableChannel[]) {
  const channels = selected.filter(channel => channel.can_query_balance)
  const [channel, setChannel] = useState('')
  const [chosen, setChosen] = useState({ first: '', second: '' })
  const [topUps, setTopUps] = useState('')
  const channelId = (channels.find(({ id }) => String(id) === channel) ?? channels[0])?.id
  const readings = useQuery({ ...readingsQuery(channelId ?? 0), enabled: channelId !== undefined })
  const idOf = (id: string, fallback: number): string =>
    (readings.data?.find(reading => String(reading.id) === id) ?? readings.data?.[fallback])?.id.toString() ??
    ''
  const first = idOf(chosen.first, 1)
  const second = idOf(chosen.second, 0)
  const isAmount = topUps === '' || AMOUNT.test(topUps)
  const isComplete = first !== '' && second !== '' && isAmount
  return {
    channels,
    channelId,
    setChannel,
    readings,
    first,
    second,
    choose: (next: Partial<typeof chosen>) => setChosen({ ...chosen, ...next }),
    topUps,
    setTopUps,
    isAmount,
    request: isComplete
      ? { first_id: Number(first), second_id: Number(second), top_ups: Number(topUps) }
      : undefined,
  }
}

interface BalanceInputProps {
  readonly balance: ReturnType<typeof useBalance>
  readonly isTried: boolean
}

export function BalanceInput({ balance, isTried }: BalanceInputProps) {
  const t = useReconciliationText()
  const { channels, channelId, readings } = balance
  const reading = useReadBalance()
  if (channelId === undefined) return <p className="text-small text-muted">{t('noBalance')}</p>
  return (
    <div className="grid grid-cols-1 gap-4">
      <p className="text-small text-muted">{t('balanceHelp')}</p>
      <div className="flex flex-wrap items-end gap-2">
        {channels.length > 1 && (
          <SelectField
            label={t('balanceChannel')}
            value={String(channelId)}
            onChange={balance.setChannel}
            options={channels.map(({ id, name }) => ({ value: String(id), label: `#${id} ${name}` }))}
          />
        )}
        <Button icon={RotateCw} isBusy={reading.isPending} onClick={() => reading.mutate(channelId)}>
          {t('readNow')}
        </Button>
      </div>
      {readings.error && (
        <LoadError
          error={readings.error}
          isBusy={readings.isFetching}
          onRetry={() => void readings.refetch()}
        />
      )}
      {!readings.error && !readings.data && <Skeleton className="h-16 w-full" />}
      {readings.data && readings.data.length < 2 && (
        <p role={isTried ? 'alert' : undefined} className="text-small text-muted">
          {t('fewReadings', { count: readings.data.length })}
        </p>
      )}
      {readings.data && readings.data.length >= 2 && (
        <ReadingChoice balance={balance} readings={readings.data} />
      )}
    </div>
  )
}

interface ReadingChoiceProps {
  readonly balance: BalanceInputProps['balance']
  readonly readings: readonly BalanceReading[]
}

function ReadingChoice({ balance, readings }: ReadingChoiceProps) {
  const t = useReconciliationText()
  const language = useLanguage()
  const options = readings.map(reading => ({ value: String(reading.id), label: labelOf(reading, language) }))
  return (
    <div className="grid gap-4 sm:grid-cols-3 lg:max-w-4xl">
      <SelectField
        label={t('firstReading')}
        value={balance.first}
        onChange={first => balance.choose({ first })}
        options={options}
      />
      <SelectField
        label={t('secondReading')}
        value={balance.second}
        onChange={second => balance.choose({ second })}
        options={options}
      />
      <InputField
        label={t('topUps')}
        error={balance.isAmount ? undefined : t('notAmount')}
        inputMode="decimal"
        prefix="$"
        placeholder="0"
        value={balance.topUps}
        onChange={event => balance.setTopUps(event.target.value.trim())}
      />
    </div>
  )
}

const labelOf = ({ created_at, balance, currency }: BalanceReading, language: Language): string =>
  `${formatDateTime(created_at)} · ${formatNumber(balance, language)} ${currency}`

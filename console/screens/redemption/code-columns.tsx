import { useMemo } from 'react'
import type { Redemption } from '#contract/redemptions.ts'
import { MoneyText } from '../../app/money-text.tsx'
import { TimeText } from '../../app/time-text.tsx'
import type { Column } from '../../ui/table/column.ts'
import { type Translate, useText } from '../../ui/text.ts'
import { KeyCell, NameCell, RedeemerCell, StatusCell } from './code-cells.tsx'
import { text } from './text.ts'

/** The columns of the list, named in the reader's language. */
export function useCodeColumns(): ReadonlyArray<Column<Redemption>> {
  const t = useText(text)
  return useMemo(() => columnsOf(t), [t])
}

const columnsOf = (t: Translate<keyof typeof text.zh>): ReadonlyArray<Column<Redemption>> => [
  { id: 'name', header: t('name'), isFixed: true, cell: code => <NameCell code={code} /> },
  { id: 'id', header: t('id'), align: 'end', cell: code => code.id },
  { id: 'key', header: t('key'), cell: code => <KeyCell code={code} /> },
  { id: 'status', header: t('status'), cell: code => <StatusCell code={code} /> },
  { id: 'quota', header: t('quota'), align: 'end', cell: code => <MoneyText quota={code.quota} /> },
  { id: 'created', header: t('created'), cell: code => <TimeText unixSeconds={code.created_time} /> },
  {
    id: 'redeemed',
    header: t('redeemed'),
    cell: code =>
      code.redeemed_time > 0 ? (
        <TimeText unixSeconds={code.redeemed_time} />
      ) : (
        <span className="text-subtle">{t('never')}</span>
      ),
  },
  { id: 'redeemedBy', header: t('redeemedBy'), cell: code => <RedeemerCell code={code} /> },
]

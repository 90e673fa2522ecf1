import { useMemo } from 'react'
import type { Token } from '#contract/tokens.ts'
import { MoneyText } from '../../app/money-text.tsx'
import { TimeText } from '../../app/time-text.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Tag } from '../../ui/tag.tsx'
import { useText } from '../../ui/text.ts'
import { text } from './text.ts'
import { KeyCell, NameCell, RemainingCell, StatusCell } from './token-cells.tsx'
import { modelsOf, NEVER } from './token-state.ts'

/** The columns of the token list, named in the reader's language. */
export function useTokenColumns(): ReadonlyArray<Column<Token>> {
  const t = useText(text)
  return useMemo(() => columnsOf(t), [t])
}

type T = ReturnType<typeof useText<keyof typeof text.zh>>

const columnsOf = (t: T): ReadonlyArray<Column<Token>> => [
  { id: 'name', header: t('name'), isFixed: true, cell: token => <NameCell token={token} /> },
  { id: 'key', header: t('key'), cell: token => <KeyCell token={token} /> },
  { id: 'status', header: t('status'), cell: token => <StatusCell token={token} /> },
  {
    id: 'group',
    header: t('group'),
    cell: token =>
      token.group === '' ? (
        <span className="text-subtle">{t('ownGroup')}</span>
      ) : (
        <Tag hasSwatch>{token.group}</Tag>
      ),
  },
  { id: 'used', header: t('used'), align: 'end', cell: token => <MoneyText quota={token.used_quota} /> },
  { id: 'remaining', header: t('remaining'), align: 'end', cell: token => <RemainingCell token={token} /> },
  {
    id: 'expires',
    header: t('expires'),
    cell: token =>
      token.expired_time === NEVER ? t('never') : <TimeText unixSeconds={token.expired_time} />,
  },
  { id: 'created', header: t('created'), cell: token => <TimeText unixSeconds={token.created_time} /> },
  {
    id: 'lastUsed',
    header: t('lastUsed'),
    isExtra: true,
    cell: token =>
      token.accessed_time > token.created_time ? (
        <TimeText unixSeconds={token.accessed_time} />
      ) : (
        t('neverUsed')
      ),
  },
  {
    id: 'models',
    header: t('models'),
    isExtra: true,
    cell: token =>
      token.model_limits_enabled ? t('modelCount', { count: modelsOf(token).length }) : t('anyModel'),
  },
]

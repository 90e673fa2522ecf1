import { KeyRound } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import type { Token } from '#contract/tokens.ts'
import { serverAddress, useStatus } from '../../app/api/status.ts'
import { formatDateTime, MoneyText } from '../../app/format/format.tsx'
import { ListTable } from '../../app/list/list-page.tsx'
import { firstCallSnippets } from '../../app/snippets.ts'
import { copyText } from '../../ui/buttons/buttons.tsx'
import type { RowCard, Selection } from '../../ui/data/table/column.ts'
import { EmptyList, NoResults } from '../../ui/feedback/feedback.tsx'
import { toast } from '../../ui/overlays/messages.tsx'
import { CodeSnippet } from '../../ui/text/code-snippet.tsx'
import { TokenRowActions, useTokenActions } from './actions.tsx'
import { KeyCell, NameCell, RemainingCell, StatusCell, useTokenColumns } from './columns.tsx'
import { NEW } from './search-params.ts'
import { useScreenText } from './text.ts'
import { fullKey, isEnabled, NEVER } from './token.ts'

const KEY_PLACEHOLDER = 'sk-…'

interface TokensTableProps {
  readonly rows: readonly Token[] | undefined
  readonly isFiltered: boolean
  readonly isRefreshing: boolean
  readonly selection: Selection
  readonly openId: string
  readonly onOpen: (edit: string, from?: string) => void
  readonly onClearSearch: () => void
}

export function TokensTable(props: TokensTableProps) {
  const { rows, isFiltered, isRefreshing, selection, openId, onOpen, onClearSearch } = props
  const t = useScreenText()
  const columns = useTokenColumns()
  const card = useTokenCard()
  const { toggle, confirmDelete, menuItems } = useTokenActions(onOpen)
  const edit = useCallback((token: Token) => onOpen(String(token.id)), [onOpen])
  const actions = useCallback(
    (token: Token) => <TokenRowActions token={token} onEdit={edit} onToggle={toggle} menuItems={menuItems} />,
    [edit, toggle, menuItems],
  )
  const copyKey = async (token: Token) => {
    if (await copyText(fullKey(token))) toast('success', t('copied', { count: 1 }))
  }
  return (
    <ListTable
      table="tokens"
      label={t('title')}
      columns={columns}
      rows={rows}
      rowId={rowId}
      rowName={rowName}
      card={card}
      selection={selection}
      actions={actions}
      isMuted={isDisabled}
      openId={openId}
      onOpen={edit}
      rowKeys={{ e: edit, c: token => void copyKey(token), Delete: token => void confirmDelete(token) }}
      isRefreshing={isRefreshing}
      empty={
        isFiltered ? (
          <NoResults
            title={t('noneFoundTitle')}
            text={t('noneFoundText')}
            clear={t('clearSearch')}
            onClear={onClearSearch}
          />
        ) : (
          <NoTokens onCreate={() => onOpen(NEW)} />
        )
      }
    />
  )
}

const rowId = (token: Token): string => String(token.id)
const rowName = (token: Token): string => token.name
const isDisabled = (token: Token): boolean => !isEnabled(token)

function useTokenCard(): RowCard<Token> {
  const t = useScreenText()
  return useMemo(
    () => ({
      title: token => <NameCell token={token} />,
      subtitle: token => <KeyCell token={token} />,
      status: token => <StatusCell token={token} />,
      facts: token => [
        { label: t('used'), value: <MoneyText quota={token.used_quota} /> },
        { label: t('remaining'), value: <RemainingCell token={token} /> },
        {
          label: t('expired_time'),
          value: token.expired_time === NEVER ? t('never') : formatDateTime(token.expired_time).slice(0, 10),
        },
      ],
    }),
    [t],
  )
}

function NoTokens({ onCreate }: { readonly onCreate: () => void }) {
  const t = useScreenText()
  const status = useStatus()
  return (
    <EmptyList icon={KeyRound} title={t('emptyTitle')} text={t('emptyText')} add={t('add')} onAdd={onCreate}>
      <CodeSnippet
        label={t('firstCall')}
        snippets={firstCallSnippets(`${serverAddress(status)}/v1`, KEY_PLACEHOLDER)}
      />
    </EmptyList>
  )
}

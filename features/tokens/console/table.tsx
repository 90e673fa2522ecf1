import { KeyRound } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import { serverAddress, useStatus } from '#console/app/api/status.ts'
import { formatDateTime, MoneyText, nowSeconds, TimeText, useMoney } from '#console/app/format/format.tsx'
import { ListTable } from '#console/app/list/list-page.tsx'
import { RecordLink } from '#console/app/list/record-link.tsx'
import { SecretCell } from '#console/app/preferences/privacy.tsx'
import { useExampleModel } from '#console/app/snippets/example-model.ts'
import { firstCallSnippets } from '#console/app/snippets/first-call.ts'
import { copyText } from '#console/ui/buttons/buttons.tsx'
import { type BadgeMark, StatusBadge, Tag, type Tone } from '#console/ui/data/badges.tsx'
import { type Column, type RowCard, type Selection, STATUS_WIDTH } from '#console/ui/data/table/column.ts'
import { EmptyList, Meter, NoResults } from '#console/ui/feedback/feedback.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { CodeSnippet } from '#console/ui/text/code-snippet.tsx'
import type { Token } from '#contract/entities/token.ts'
import { revealedKey, TokenRowActions, useTokenActions } from './actions.tsx'
import { NEW, TokenSearch } from './search-params.ts'
import { type ScreenTranslate, useScreenText } from './text.ts'
import { allowedModels, isEnabled, maskedKey, NEVER, type TokenStatus, tokenStatus } from './token.ts'

const KEY_PLACEHOLDER = 'sk-…'

interface TokensTableProps {
  readonly rows: readonly Token[] | undefined
  readonly isFiltered: boolean
  readonly isRefreshing: boolean
  readonly selection: Selection
  readonly openId: string
  readonly onOpen: (edit: string, from?: string) => void
  readonly onRotated: (token: Token) => void
  readonly onClearSearch: () => void
}

export function TokensTable(props: TokensTableProps) {
  const { rows, isFiltered, isRefreshing, selection, openId, onOpen, onRotated, onClearSearch } = props
  const t = useScreenText()
  const columns = useTokenColumns()
  const card = useTokenCard()
  const { toggle, confirmDelete, menuItems } = useTokenActions(onOpen, onRotated)
  const edit = useCallback((token: Token) => onOpen(String(token.id)), [onOpen])
  const actions = useCallback(
    (token: Token) => <TokenRowActions token={token} onEdit={edit} onToggle={toggle} menuItems={menuItems} />,
    [edit, toggle, menuItems],
  )
  const copyKey = async (token: Token) => {
    const key = await revealedKey(token)
    if (key !== undefined && (await copyText(key))) toast('success', t('copied', { count: 1 }))
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
  const model = useExampleModel()
  return (
    <EmptyList icon={KeyRound} title={t('emptyTitle')} text={t('emptyText')} add={t('add')} onAdd={onCreate}>
      <CodeSnippet
        label={t('firstCall')}
        snippets={firstCallSnippets({ address: serverAddress(status), key: KEY_PLACEHOLDER, model })}
      />
    </EmptyList>
  )
}

/** The columns of the token list, headed in the current language. */
export function useTokenColumns(): ReadonlyArray<Column<Token>> {
  const t = useScreenText()
  return useMemo(() => tokenColumns(t), [t])
}

const tokenColumns = (t: ScreenTranslate): ReadonlyArray<Column<Token>> => [
  { id: 'name', header: t('name'), isFixed: true, cell: token => <NameCell token={token} /> },
  { id: 'key', header: t('key'), cell: token => <KeyCell token={token} /> },
  { id: 'status', header: t('status'), width: STATUS_WIDTH, cell: token => <StatusCell token={token} /> },
  {
    id: 'group',
    isWide: true,
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
    header: t('expired_time'),
    cell: token =>
      token.expired_time === NEVER ? t('never') : <TimeText unixSeconds={token.expired_time} />,
  },
  {
    id: 'created',
    header: t('created'),
    isWide: true,
    cell: token => <TimeText unixSeconds={token.created_time} />,
  },
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
      token.model_limits_enabled ? t('modelCount', { count: allowedModels(token).length }) : t('anyModel'),
  },
]

const STATUS_BADGES: Readonly<Record<TokenStatus, readonly [Tone, BadgeMark]>> = {
  enabled: ['success', 'filled'],
  enabledLimited: ['success', 'filled'],
  disabled: ['neutral', 'hollow'],
  expired: ['warning', 'clock'],
  exhausted: ['danger', 'cross'],
  unknown: ['unknown', 'none'],
}

const MASKED_KEY = 'sk-••••••••••'

interface TokenProps {
  readonly token: Token
}

/** The name of the token; opens its sheet. */
function NameCell({ token }: TokenProps) {
  return <RecordLink name={token.name} schema={TokenSearch} open={{ edit: String(token.id) }} />
}

export function StatusCell({ token }: TokenProps) {
  const t = useScreenText()
  const status = tokenStatus(token, nowSeconds())
  const [tone, mark] = STATUS_BADGES[status]
  const models = allowedModels(token).join(', ')
  return (
    <StatusBadge tone={tone} mark={mark} {...(status === 'enabledLimited' ? { reason: models } : {})}>
      {t(status, { status: token.status })}
    </StatusBadge>
  )
}

/** The masked key, with buttons to reveal and copy it. */
function KeyCell({ token }: TokenProps) {
  const t = useScreenText()
  const { name } = token
  return (
    <SecretCell
      secret={() => revealedKey(token)}
      masked={maskedKey(token)}
      hidden={MASKED_KEY}
      labels={{ show: t('showKey', { name }), hide: t('hideKey', { name }), copy: t('copyKey', { name }) }}
    />
  )
}

/** The remaining quota of the token, and a meter of the used share. */
export function RemainingCell({ token }: TokenProps) {
  const t = useScreenText()
  const { money } = useMoney()
  if (token.unlimited_quota) return <span className="text-muted">{t('unlimited')}</span>
  const limit = token.used_quota + token.remain_quota
  const share = limit === 0 ? 0 : token.used_quota / limit
  return (
    <span className="inline-grid min-w-20 gap-1 sm:justify-items-end">
      <MoneyText quota={token.remain_quota} />
      <Meter
        label={t('used')}
        share={share}
        text={t('usedOf', { used: money(token.used_quota), limit: money(limit) })}
      />
    </span>
  )
}

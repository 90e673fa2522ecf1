import { useQuery } from '@tanstack/react-query'
import { KeyRound, Power, PowerOff } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { MoneyText, TimeText } from '#console/app/format/format.tsx'
import {
  ListPage,
  ListTable,
  ListTools,
  useListPages,
  useListSearchParams,
} from '#console/app/list/list-page.tsx'
import { UserLink } from '#console/app/list/record-link.tsx'
import { Button, IconButton } from '#console/ui/buttons/buttons.tsx'
import { Tag } from '#console/ui/data/badges.tsx'
import { Facet, FilterBar, SearchBox } from '#console/ui/data/filter/filters.tsx'
import { type Column, type RowCard, STATUS_WIDTH } from '#console/ui/data/table/column.ts'
import { Banner, NoResults } from '#console/ui/feedback/feedback.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { TOKEN_STATUS, USER_STATUS } from '#contract/enums.ts'
import type { AdministeredToken } from '../../contract/all-tokens.ts'
import { NO_FILTERS, STATUSES } from '../filters.tsx'
import { TokenSearch } from '../search-params.ts'
import { RemainingCell, StatusCell } from '../table.tsx'
import { type ScreenTranslate, useScreenText } from '../text.ts'
import { isEnabled, maskedKey } from '../token.ts'
import { addressesQuery, allTokensQuery, keyQuery, useSwitchToken } from './queries.ts'
import { type AllTranslate, useAllText } from './text.ts'

const TABLE = 'all-tokens'
const rowId = ({ id }: AdministeredToken): string => String(id)
const rowName = ({ name }: AdministeredToken): string => name
const isMuted = (token: AdministeredToken): boolean => !isEnabled(token)
/** Nobody makes tokens for others. */
const noNewToken = (): void => undefined

/** The tokens of all users, and the one of a key that has leaked. */
export function AllTokens() {
  const t = useScreenText()
  const a = useAllText()
  const url = useListSearchParams(TokenSearch)
  const { search, page, size, set, setFilter } = url
  const { q: keyword, status } = search
  const filter = useMemo(() => ({ keyword, status }), [keyword, status])
  // Not in the URL, which histories and logs keep.
  const [key, setKey] = useState('')
  const list = useQuery(allTokensQuery(filter, page, size))
  const found = useQuery(keyQuery(key))
  const rows = key === '' ? list.data?.rows : found.data
  const columns = useMemo(() => allColumns(t, a), [t, a])
  const card = useMemo(() => allCard(t, a), [t, a])
  const refresh = useCallback(() => void list.refetch(), [list.refetch])
  const clear = useCallback(() => {
    setKey('')
    setFilter(NO_FILTERS)
  }, [setFilter])
  useListPages({
    url,
    total: list.data?.total,
    isPlaceholder: list.isPlaceholderData,
    queryOf: at => allTokensQuery(filter, at, size),
    onRefresh: refresh,
    onNew: noNewToken,
  })
  const shown =
    key === '' ? list : { ...found, data: found.data && { rows: found.data, total: found.data.length } }
  return (
    <ListPage
      title={a('title')}
      actions={
        <Button icon={KeyRound} onClick={() => set({ ...NO_FILTERS, all: '' })}>
          {a('own')}
        </Button>
      }
      notice={found.data?.map(({ id, name, username }) => (
        <div key={id} className="mb-4">
          <Banner tone="info">
            {a('keyFound', { name, username })} <UsedFrom id={id} />
          </Banner>
        </div>
      ))}
      toolbar={
        <FilterBar
          active={status === '' ? 0 : 1}
          onClear={clear}
          search={
            <>
              <SearchBox isMain label={a('searchAll')} value={keyword} onSearch={q => setFilter({ q })} />
              <SearchBox isMono label={a('searchKey')} value={key} onSearch={setKey} />
            </>
          }
          tools={<ListTools table={TABLE} columns={columns} isBusy={list.isFetching} onRefresh={refresh} />}
        >
          <Facet
            label={t('status')}
            options={STATUSES.map(state => ({ value: String(TOKEN_STATUS[state]), label: t(state) }))}
            value={status}
            onChange={picked => setFilter({ status: TokenSearch.shape.status.parse(picked) })}
          />
        </FilterBar>
      }
      url={url}
      list={shown}
      onRefresh={key === '' ? refresh : () => void found.refetch()}
    >
      <ListTable
        table={TABLE}
        label={a('title')}
        columns={columns}
        rows={rows}
        rowId={rowId}
        rowName={rowName}
        card={card}
        actions={token => <SwitchButton token={token} />}
        isMuted={isMuted}
        isRefreshing={list.isFetching && rows !== undefined}
        empty={<NoResults title={a('noneTitle')} text={a('noneText')} clear={a('clear')} onClear={clear} />}
      />
    </ListPage>
  )
}

/** Owner and thief may both use a key: its addresses tell them apart. */
function UsedFrom({ id }: { readonly id: number }) {
  const a = useAllText()
  const { data } = useQuery(addressesQuery(id))
  const addresses = data?.map(({ address }) => address).join(', ')
  return addresses ? a('usedFrom', { addresses }) : null
}

function SwitchButton({ token }: { readonly token: AdministeredToken }) {
  const a = useAllText()
  const { mutate, isPending } = useSwitchToken()
  const { id, name } = token
  const isOn = isEnabled(token)
  const status = isOn ? TOKEN_STATUS.disabled : TOKEN_STATUS.enabled
  const done = () => toast('success', a(isOn ? 'disabledToast' : 'enabledToast', { name }))
  return (
    <IconButton
      label={a(isOn ? 'disable' : 'enable', { name })}
      icon={isOn ? PowerOff : Power}
      size="small"
      isBusy={isPending}
      onClick={() => mutate({ id, status }, { onSuccess: done })}
    />
  )
}

function OwnerCell({ token: { user_id, username, owner_status } }: { readonly token: AdministeredToken }) {
  const a = useAllText()
  return (
    <span className="flex items-center gap-2">
      <UserLink id={user_id} title={`#${user_id}`} className="text-accent">
        {username}
      </UserLink>
      {owner_status !== USER_STATUS.enabled && <Tag>{a('banned')}</Tag>}
    </span>
  )
}

const LastUse = ({ token }: { readonly token: AdministeredToken }) => {
  const t = useScreenText()
  return token.accessed_time > token.created_time ? (
    <TimeText unixSeconds={token.accessed_time} />
  ) : (
    t('neverUsed')
  )
}

const KeyText = ({ token }: { readonly token: AdministeredToken }) => (
  <code className="font-mono text-caption">{maskedKey(token)}</code>
)

const allColumns = (t: ScreenTranslate, a: AllTranslate): ReadonlyArray<Column<AdministeredToken>> => [
  { id: 'name', header: t('name'), isFixed: true, cell: token => token.name },
  { id: 'owner', header: a('owner'), cell: token => <OwnerCell token={token} /> },
  { id: 'key', header: t('key'), cell: token => <KeyText token={token} /> },
  { id: 'status', header: t('status'), width: STATUS_WIDTH, cell: token => <StatusCell token={token} /> },
  { id: 'lastUsed', header: t('lastUsed'), cell: token => <LastUse token={token} /> },
  { id: 'used', header: t('used'), align: 'end', cell: token => <MoneyText quota={token.used_quota} /> },
  { id: 'remaining', header: t('remaining'), align: 'end', cell: token => <RemainingCell token={token} /> },
  { id: 'created', header: t('created'), cell: token => <TimeText unixSeconds={token.created_time} /> },
]

const allCard = (t: ScreenTranslate, a: AllTranslate): RowCard<AdministeredToken> => ({
  title: token => <span className="font-medium">{token.name}</span>,
  subtitle: token => <KeyText token={token} />,
  status: token => <StatusCell token={token} />,
  facts: token => [
    { label: a('owner'), value: <OwnerCell token={token} /> },
    { label: t('used'), value: <MoneyText quota={token.used_quota} /> },
    { label: t('lastUsed'), value: <LastUse token={token} /> },
  ],
})
